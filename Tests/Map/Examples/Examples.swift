import Glibc
import LocationMap

// Ports of the classic examples for MapKit, each a file of its own: MapExamples NAME prints the address of its map.

@main
struct Examples {
    /// What each example puts onto a map.
    @MainActor private static let all: [String: @MainActor (MapView) -> (any MapViewDelegate)?] = [
        "add-a-map": { AddAMap($0) },
        "callout": { CalloutExample($0) },
        "own-images": { OwnImagesExample($0) },
        "circle": { CircleExample($0) },
        "bikes": { BikesExample($0) },
        "bar": { BarExample($0) },
        "declared": { DeclaredExample($0) },
        "shapes": { ShapesExample($0) },
        "search": { SearchExample($0) },
    ]

    @MainActor
    static func main() async throws {
        let name = CommandLine.arguments.dropFirst().first ?? ""
        if name == "own-server" { return try await OwnServer.run(port: 8080) }
        guard let example = all[name] else {
            let names = (all.keys + ["own-server"]).sorted().joined(separator: ", ")
            return print("MapExamples NAME, where NAME is one of", names)
        }
        let map = MapView()
        // The map does not keep its delegate, as in MapKit.
        let delegate = example(map)
        try await MapServer(map).run { say($0) }
        withExtendedLifetime(delegate) {}
    }
}

/// Prints a line now, also into a pipe.
func say(_ line: String) {
    print(line)
    fflush(nil)
}
