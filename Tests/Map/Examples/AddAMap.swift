import LocationMap
import LocationModel

/// A map of a city, and a line for each gesture that changes what it shows, and each click.
@MainActor
final class AddAMap: MapViewDelegate {
    init(_ map: MapView) {
        let honolulu = LocationCoordinate2D(latitude: 21.282778, longitude: -157.829444)
        map.setRegion(
            CoordinateRegion(center: honolulu, latitudinalMeters: 50_000, longitudinalMeters: 60_000), animated: false)
        map.delegate = self
    }

    func mapView(_ mapView: MapView, regionWillChangeAnimated animated: Bool) {
        if animated { say("The region will change.") }
    }

    func mapView(_ mapView: MapView, regionDidChangeAnimated animated: Bool) {
        if animated { say("The region has changed.") }
    }

    func mapView(_ mapView: MapView, didTapAt coordinate: Coordinate) {
        guard let point = mapView.convert(coordinate, toPointTo: mapView) else { return }
        say("A click at \(Int(point.x.rounded())), \(Int(point.y.rounded())).")
    }

    func mapViewDidFinishLoadingMap(_ mapView: MapView) { say("The tiles are loaded.") }

    func mapViewDidFinishRenderingMap(_ mapView: MapView, fullyRendered: Bool) {
        say(fullyRendered ? "The map is drawn." : "The map is drawn, but for some tiles.")
    }
}
