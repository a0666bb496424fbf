import LocationMap
import LocationModel

/// A map of a city.
@MainActor
func addAMap(_ map: MapView) -> (any MapViewDelegate)? {
    let honolulu = Coordinate(clampingLatitude: 21.282778, wrappingLongitude: -157.829444)
    map.setRegion(
        CoordinateRegion(center: honolulu, latitudinalMeters: 50_000, longitudinalMeters: 60_000), animated: false)
    return nil
}
