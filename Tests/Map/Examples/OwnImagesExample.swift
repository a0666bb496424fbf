import LocationMap
import LocationModel

/// Bridges with images of the program's own, one of which can be moved.
@MainActor
final class OwnImagesExample: MapViewDelegate {
    init(_ map: MapView) {
        map.delegate = self
        let bridges = [
            PointAnnotation(
                coordinate: Coordinate(latitude: 37.8199, longitude: -122.4783),
                title: "Golden Gate Bridge", subtitle: "1937"),
            PointAnnotation(
                coordinate: Coordinate(latitude: 37.7983, longitude: -122.3778),
                title: "Bay Bridge", subtitle: "1936"),
        ]
        map.showAnnotations(bridges, animated: false)
    }

    func mapView(_ mapView: MapView, viewFor annotation: any Annotation) -> AnnotationView? {
        let view =
            mapView.dequeueReusableAnnotationView(withIdentifier: "bridge")
            ?? AnnotationView(annotation: annotation, reuseIdentifier: "bridge")
        view.annotation = annotation
        view.image = MapImage(bridge)
        // The foot of the picture is where the bridge is.
        view.centerOffset = ViewPoint(x: 0, y: -bridge.height / 2)
        view.canShowCallout = true
        view.isDraggable = annotation.title == "Bay Bridge"
        return view
    }

    func mapView(
        _ mapView: MapView, annotationView view: AnnotationView, didChange newState: AnnotationView.DragState,
        fromOldState oldState: AnnotationView.DragState
    ) {
        guard newState == .ending, let annotation = view.annotation else { return }
        say("\(annotation.title ?? "") is at \(annotation.coordinate.latitude), \(annotation.coordinate.longitude)")
    }

    private var bridge: Drawing {
        var drawing = Drawing(width: 44, height: 32)
        drawing.addRectangle(x: 0, y: 22, width: 44, height: 4, .init(fill: .red))
        for x in [10.0, 31] { drawing.addRectangle(x: x, y: 2, width: 3, height: 28, .init(fill: .red)) }
        var cable = DrawingPath()
        cable.move(toX: 0, y: 20)
        cable.addLine(toX: 11.5, y: 3)
        cable.addCurve(to: .init(x: 32.5, y: 3), control1: .init(x: 18, y: 22), control2: .init(x: 26, y: 22))
        cable.addLine(toX: 44, y: 20)
        drawing.addPath(cable, .init(stroke: .red, lineWidth: 2))
        return drawing
    }
}
