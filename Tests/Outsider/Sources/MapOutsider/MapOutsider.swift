import Glibc
import LocationMap

/// A program with a map, which prints the address of its page and ends.
@main
struct MapOutsider {
    @MainActor
    static func main() async throws {
        let map = MapView()
        map.addAnnotation(PointAnnotation(coordinate: Surroundings().harbour, title: "Harbour"))
        try await MapServer(map).run { address in
            print(address)
            exit(0)
        }
    }
}

/// The values that the listings of the documentation use without a declaration.
@MainActor
struct Surroundings {
    let harbour = Coordinate(latitude: 21.3, longitude: -157.9)
    let map = MapView()
}
