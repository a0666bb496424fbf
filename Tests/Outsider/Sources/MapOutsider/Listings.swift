// From the documentation of LocationMap, by `make listings`.
import LocationMap

@MainActor
func readme1(_ surroundings: Surroundings) async throws {
    let harbour = surroundings.harbour
    let map = MapView()
    map.addAnnotation(PointAnnotation(coordinate: harbour, title: "Harbour"))
    map.showsUserLocation = true
    try await MapServer(map).run { address in print(address) }
}

@MainActor
func locationMap1(_ surroundings: Surroundings) async throws {
    let harbour = surroundings.harbour
    let map = MapView()
    map.addAnnotation(PointAnnotation(coordinate: harbour, title: "Harbour"))
    map.showsUserLocation = true
    try await MapServer(map).run { address in print(address) }
}

@MainActor
func mapView1(_ surroundings: Surroundings) async throws {
    let harbour = surroundings.harbour
    let map = MapView()
    map.addAnnotation(PointAnnotation(coordinate: harbour, title: "Harbour"))
    map.setRegion(CoordinateRegion(center: harbour, latitudinalMeters: 2000, longitudinalMeters: 2000), animated: false)
    try await MapServer(map).run { address in print(address) }
}
