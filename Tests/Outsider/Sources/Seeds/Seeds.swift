import Glibc
import LocationMap

/// The samples of five articles about MapKit, as a programmer ports them: the prefixes are gone, colours are `Color`, and what is
/// UIKit's is named at its place. `Seeds NAME` prints the address of its map.
@main
struct Seeds {
    /// What an article's view controller does.
    @MainActor
    protocol Sample: MapViewDelegate {
        init()
        var mapView: MapView { get }
        func viewDidLoad()
    }

    @MainActor private static let all: [String: any Sample.Type] = [
        "tracking": UserTrackingSample.self, "annotations": AnnotationSample.self, "overlays": OverlaySample.self,
        "clustering": ClusteringSample.self, "search": SearchSample.self,
    ]

    @MainActor
    static func main() async throws {
        guard let name = CommandLine.arguments.dropFirst().first, let sample = all[name]?.init() else {
            return print("Seeds NAME, where NAME is one of " + all.keys.sorted().joined(separator: ", "))
        }
        sample.viewDidLoad()
        try await MapServer(sample.mapView).run { address in print(address) }
        withExtendedLifetime(sample) {}
    }
}

/// Prints a line now, also into a pipe.
func print(_ item: Any) {
    Swift.print(item)
    fflush(nil)
}
