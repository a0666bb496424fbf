public import MapTiles
public import Logging
import ServiceLifecycle

/// An error of a snapshot.
public enum SnapshotError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No browser is installed that can draw the map.
    case noBrowser
    /// The browser failed.
    case browserFailed(reason: String)
    /// The snapshot took longer than ``MapSnapshotter/Options/timeLimit``.
    case timedOut(after: Duration)

    /// A sentence for people with the error and its remedy.
    public var description: String {
        switch self {
        case .noBrowser:
            "A picture of a map is drawn by Chromium, which is not installed. On Debian, run: sudo apt install chromium"
        case .timedOut(let limit):
            "No picture of the map within \(limit.components.seconds) s: the machine may be too busy, or the map too large."
        case .browserFailed(let reason): "Chromium drew no picture of the map: \(reason)."
        }
    }
}

/// A generator of images of a map with everything on it (MapKit's `MKMapSnapshotter`).
///
/// Requires the package chromium. It draws the same page that users see, without a window, from a server that lasts as
/// long as the snapshot.
@MainActor
public final class MapSnapshotter {
    /// The options of a snapshot.
    public struct Options: Sendable {
        /// The size in CSS pixels, 16 to 4096 in each direction. Default 800 by 600.
        public var size = ViewSize(width: 800, height: 600)
        /// The number of image pixels to a CSS pixel, 0.5 to 4. Default 1.
        public var scale = 1.0
        /// The longest time for the snapshot. Default 60 seconds.
        public var timeLimit = Duration.seconds(60)
        /// The directory of the page's files and the map data; `nil`, the default, for that of this program or of the
        /// system.
        public var data: MapData?

        /// Creates options for an image of 800 by 600 pixels.
        public init() {}
    }

    private let map: MapView
    private let options: Options
    private let logger: Logger

    /// Creates a snapshotter of `map`, in its state at ``start()``.
    public init(_ map: MapView, options: Options = Options(), logger: Logger = Logger(label: "org.locationd.map")) {
        self.map = map
        self.options = options
        self.logger = logger
    }

    /// Draws the map, and returns the image as the bytes of a PNG file.
    ///
    /// - Throws: ``SnapshotError``, or `MapData.Missing` if the package locationd-map is not installed.
    public func start() async throws -> [UInt8] {
        let server = try MapServer(map, data: options.data, logger: logger)
        let (addresses, continuation) = AsyncStream<String>.makeStream()
        server.whenReady { continuation.yield($0) }
        let group = ServiceGroup(configuration: .init(services: [server], logger: logger))
        return try await withThrowingTaskGroup(of: [UInt8]?.self) { tasks in
            tasks.addTask {
                defer { continuation.finish() }
                try await group.run()
                return nil
            }
            tasks.addTask { [map, options] in
                for await address in addresses {
                    return try await HeadlessBrowser.takePicture(
                        of: address + "?snapshot", width: Self.pixels(options.size.width),
                        height: Self.pixels(options.size.height), scale: min(max(options.scale, 0.5), 4)
                    ) { await map.updates.waitUntilIdle(server.owner) }
                }
                throw SnapshotError.browserFailed(reason: "the map's server ended")
            }
            tasks.addTask { [options] in
                try await Task.sleep(for: options.timeLimit)
                throw SnapshotError.timedOut(after: options.timeLimit)
            }
            defer { tasks.cancelAll() }
            while let picture = try await tasks.next() {
                guard let picture else { continue }
                await group.triggerGracefulShutdown()
                return picture
            }
            throw SnapshotError.browserFailed(reason: "the map's server ended")
        }
    }

    private nonisolated static func pixels(_ length: Double) -> Int { Int(min(max(length, 16), 4096)) }
}
