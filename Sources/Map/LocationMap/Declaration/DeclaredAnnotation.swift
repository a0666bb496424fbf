import LocationModel
import MapModel

/// An annotation that a declared map has made.
@MainActor
final class DeclaredAnnotation: PointAnnotation {
    private static let markerIdentifier = "DeclaredMarker"

    private(set) var tag: AnyHashable?
    private var look: MapElement.MarkerLook?
    private var makeOwnView: (@MainActor () -> AnnotationView)?

    init(_ element: MapElement, title: String, coordinate: Coordinate) {
        (tag, look, makeOwnView) = (element.tag, element.markerLook, element.makeView)
        super.init(coordinate: coordinate, title: title)
    }

    /// Takes over a later declaration. `view` is the present view, if there is one.
    func update(to element: MapElement, title: String, coordinate: Coordinate, view: AnnotationView?) {
        (tag, makeOwnView) = (element.tag, element.makeView)
        (self.title, self.coordinate) = (title, coordinate)
        guard element.markerLook != look else { return }
        look = element.markerLook
        if let marker = view as? MarkerAnnotationView { apply(to: marker) }
    }

    /// Returns a view for the annotation.
    func makeView(on map: MapView) -> AnnotationView {
        guard look != nil else { return makeOwnView?() ?? AnnotationView(annotation: self, reuseIdentifier: nil) }
        let marker =
            map.dequeueReusableAnnotationView(withIdentifier: Self.markerIdentifier) as? MarkerAnnotationView
            ?? MarkerAnnotationView(annotation: self, reuseIdentifier: Self.markerIdentifier)
        apply(to: marker)
        return marker
    }

    private func apply(to marker: MarkerAnnotationView) {
        marker.markerTintColor = look?.tint
        marker.glyphText = look?.monogram
        marker.glyphImage = look?.image
        marker.titleVisibility = look?.titleVisibility ?? .adaptive
    }
}
