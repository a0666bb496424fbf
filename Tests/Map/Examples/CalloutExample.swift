import LocationMap
import LocationModel

/// Works of art as pins with a callout, whose button leads on.
@MainActor
final class CalloutExample: MapViewDelegate {
    private let map: MapView

    init(_ map: MapView) {
        self.map = map
        map.delegate = self
        let king = Artwork(
            title: "King David Kalakaua", locationName: "Waikiki Gateway Park", discipline: "Sculpture",
            coordinate: Coordinate(latitude: 21.283921, longitude: -157.831661))
        map.addAnnotation(king)
        map.setRegion(
            CoordinateRegion(center: king.coordinate, latitudinalMeters: 1000, longitudinalMeters: 1000),
            animated: false)
    }

    func mapView(_ mapView: MapView, viewFor annotation: any Annotation) -> AnnotationView? {
        guard let annotation = annotation as? Artwork else { return nil }
        let identifier = "artwork"
        if let view = mapView.dequeueReusableAnnotationView(withIdentifier: identifier) {
            view.annotation = annotation
            return view
        }
        let view = MarkerAnnotationView(annotation: annotation, reuseIdentifier: identifier)
        view.canShowCallout = true
        view.calloutOffset = ViewPoint(x: -5, y: 5)
        view.glyphImage = MapImage(Self.statue)
        view.leftCalloutAccessoryView = .image(MapImage(Self.statue), accessibilityLabel: annotation.discipline)
        view.rightCalloutAccessoryView = .detailDisclosure
        return view
    }

    /// A figure on a pedestal.
    private static let statue = {
        var drawing = Drawing(width: 20, height: 20)
        drawing.addRectangle(x: 4, y: 15, width: 12, height: 3, .init(fill: .black))
        drawing.addRectangle(x: 8, y: 7, width: 4, height: 8, .init(fill: .black))
        drawing.addCircle(x: 10, y: 4, radius: 2.5, .init(fill: .black))
        return drawing
    }()

    func mapView(
        _ mapView: MapView, annotationView view: AnnotationView,
        calloutAccessoryControlTapped control: CalloutAccessory
    ) {
        guard let artwork = view.annotation as? Artwork else { return }
        say("\(artwork.title ?? ""), a \(artwork.discipline.lowercased())")
    }
}

/// An annotation with properties of its own.
@MainActor
final class Artwork: Annotation {
    let title: String?
    let locationName: String
    let discipline: String
    let coordinate: Coordinate

    init(title: String, locationName: String, discipline: String, coordinate: Coordinate) {
        self.title = title
        self.locationName = locationName
        self.discipline = discipline
        self.coordinate = coordinate
    }

    var subtitle: String? { locationName }
}
