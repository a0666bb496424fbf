import MapTiles
import FoundationEssentials
import Glibc
import LocationModel
import PageServing
import TestSupport
import Testing

@testable import LocationMap

@Suite("MapSnapshotter", .timeLimit(.minutes(10)))
@MainActor
struct SnapshotTests {
    /// Where `make map-data` has put the page, which the tests of the browser need, too.
    private nonisolated static let data = try? MapData()
    private nonisolated static let isPossible = data != nil && access("/usr/bin/chromium", X_OK) == 0

    @Test("a snapshot has the requested size, with the map's content", .enabled(if: isPossible))
    func picture() async throws {
        let map = MapView()
        map.appearance = .light
        map.setRegion(
            CoordinateRegion(center: .at(47, 9), latitudinalMeters: 400_000, longitudinalMeters: 400_000),
            animated: false)
        var options = MapSnapshotter.Options()
        options.size = ViewSize(width: 320, height: 200)
        options.scale = 2
        options.data = Self.data
        // A busy machine without a graphics card draws slowly.
        options.timeLimit = .seconds(240)
        let first = try await MapSnapshotter(map, options: options).start()
        let plain = try #require(MapImage(png: first))
        #expect(plain.size == ViewSize(width: 640, height: 400))
        map.addOverlay(Circle(center: .at(47, 9), radius: 80_000))
        map.addAnnotation(PointAnnotation(coordinate: .at(47, 9), title: "Here"))
        let marked = try await MapSnapshotter(map, options: options).start()
        #expect(marked != plain.bytes)
        if let file = getenv("LOCATIOND_TEST_PICTURE").flatMap({ String(validatingCString: $0) }) {
            try Data(marked).write(to: URL(filePath: file))
        }
        #expect(map.hub.isEmpty, "its page is gone")
    }

    @Test(
        "a picture that takes too long ends with an error",
        .enabled(if: isPossible))
    func timeLimit() async throws {
        let map = MapView()
        var options = MapSnapshotter.Options()
        options.data = Self.data
        options.timeLimit = .zero
        await #expect(throws: SnapshotError.timedOut(after: .zero)) {
            try await MapSnapshotter(map, options: options).start()
        }
        #expect(map.hub.isEmpty, "its page is gone")
    }

    @Test("without a browser the error names the package")
    func noBrowser() {
        #expect(SnapshotError.noBrowser.description.contains("apt install chromium"))
    }
}
