import LocationMap
import LocationModel

/// The area around a place.
@MainActor
final class CircleExample: MapViewDelegate {
    init(_ map: MapView) {
        map.delegate = self
        let center = Coordinate(latitude: 47.141, longitude: 9.5215)
        let circle = Circle(center: center, radius: 5000)
        map.addOverlay(circle, level: .aboveRoads)
        map.setVisibleMapRect(circle.boundingMapRect, edgePadding: 40, animated: false)
    }

    func mapView(_ mapView: MapView, rendererFor overlay: any Overlay) -> OverlayRenderer {
        guard let circle = overlay as? Circle else { return mapView.defaultRenderer(for: overlay) }
        let renderer = CircleRenderer(circle: circle)
        renderer.fillColor = .purple.withAlpha(0.3)
        renderer.strokeColor = .purple
        renderer.lineWidth = 2
        renderer.lineDashPattern = [4, 2]
        return renderer
    }
}
