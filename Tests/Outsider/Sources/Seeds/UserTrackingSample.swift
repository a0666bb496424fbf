import LocationMap

/// "Show the user's location": a map of a city that follows the user.
final class UserTrackingSample: Seeds.Sample {
    let mapView = MapView()

    func viewDidLoad() {
        mapView.delegate = self
        mapView.mapType = .standard
        mapView.isZoomEnabled = true
        mapView.isScrollEnabled = true
        mapView.isRotateEnabled = true
        mapView.isPitchEnabled = true
        let vaduz = LocationCoordinate2D(latitude: 47.141, longitude: 9.5215)
        let region = CoordinateRegion(center: vaduz, latitudinalMeters: 10_000, longitudinalMeters: 10_000)
        mapView.setRegion(region, animated: false)
        mapView.showsUserLocation = true
        mapView.setUserTrackingMode(.follow, animated: true)
    }

    func mapView(_ mapView: MapView, didUpdate userLocation: UserLocation) {
        userLocation.title = "You are here"
        // The sample compares with -1.
        guard let accuracy = userLocation.location?.horizontalAccuracy else { return }
        userLocation.subtitle = "\(Int(accuracy)) m"
    }

    func mapView(_ mapView: MapView, didChange mode: UserTrackingMode, animated: Bool) {
        if mode == .none { print("The map no longer follows.") }
    }

    func mapView(_ mapView: MapView, didFailToLocateUserWithError error: any Error) {
        print(error)
    }
}
