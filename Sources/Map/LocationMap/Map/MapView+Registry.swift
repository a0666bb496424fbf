import MapModel

// The propagation of changed annotations, overlays and views to every map that shows them. MapKit observes their keys.

extension MapView {
    private struct Reference { weak var map: MapView? }
    private static var all: [Reference] = []

    static func register(_ map: MapView) {
        all.removeAll { $0.map == nil }
        all.append(Reference(map: map))
    }

    static func annotationDidChange(_ annotation: any Annotation) {
        for map in all.lazy.compactMap(\.map) { map.annotationTable.annotationDidChange(annotation) }
    }

    static func polyline(_ polyline: Polyline, didAppend points: [MapPoint]) {
        for map in all.lazy.compactMap(\.map) where map.overlayTable.append(points, to: polyline) {
            map.changed(.overlays)
        }
    }

    func viewChanged(_ view: AnnotationView, _ change: AnnotationView.Change) {
        annotationTable.viewDidChange(view, change)
    }

    func rendererChanged(_ renderer: OverlayRenderer, isNewShape: Bool) {
        overlayTable.rendererChanged(renderer, isNewShape: isNewShape)
        changed(.overlays)
    }
}
