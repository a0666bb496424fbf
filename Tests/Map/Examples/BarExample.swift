import LocationMap
import LocationModel

/// Compass and scale where the program wants them, and the tracking button in a bar below the map.
@MainActor
final class BarExample: MapViewDelegate {
    init(_ map: MapView) {
        map.delegate = self
        let compass = CompassButton(mapView: map, placement: .topLeading)
        compass.compassVisibility = .visible
        map.addControl(compass)
        let scale = ScaleView(mapView: map, placement: .top)
        scale.scaleVisibility = .visible
        scale.lengthUnit = .metric
        scale.legendAlignment = .trailing
        map.addControl(scale)
        map.addControl(UserTrackingButton(mapView: map, placement: .bar))
        map.addControl(MapTypeControl(mapView: map, placement: .bar))
        map.showsUserLocation = true
    }

    func mapView(_ mapView: MapView, didChange mode: UserTrackingMode, animated: Bool) {
        say("The map's tracking mode is \(mode).")
    }
}
