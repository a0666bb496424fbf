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

/// What the listings of the documentation use without saying where it comes from.
struct Surroundings {
    let harbour = Coordinate(clampingLatitude: 21.3, wrappingLongitude: -157.9)
}
