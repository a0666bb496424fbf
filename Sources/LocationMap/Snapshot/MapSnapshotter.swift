public import MapTiles
public import Logging
import ServiceLifecycle

/// The reason why a snapshot cannot be made.
public enum SnapshotError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no program that can draw it.
    case noBrowser
    /// It could not.
    case browserFailed(reason: String)
    /// It took longer than ``MapSnapshotter/Options/timeLimit``.
    case timedOut(after: Duration)

    /// The fault and its remedy.
    public var description: String {
        switch self {
        case .noBrowser:
            "A picture of a map is drawn by Chromium, which is not installed. On Debian: apt install chromium"
        case .timedOut(let limit):
            "No picture of the map within \(limit.components.seconds) s: the machine may be too busy, or the map too large."
        case .browserFailed(let reason): "Chromium drew no picture of the map: \(reason)."
        }
    }
}

/// Makes a picture of a map without a window (MapKit's `MKMapSnapshotter`), with all that is on it.
///
/// The same page that people see draws it, in a Chromium without a window, over a server that lives as long as that takes.
@MainActor
public final class MapSnapshotter {
    /// The size and content of the picture.
    public struct Options: Sendable {
        /// The size in CSS pixels, 16 to 4096 in each direction.
        public var size = ViewSize(width: 800, height: 600)
        /// The number of image pixels for a CSS pixel, 0.5 to 4.
        public var scale = 1.0
        /// The time limit.
        public var timeLimit = Duration.seconds(60)
        /// The page's files and the map data.
        public var data: MapData?

        /// A picture of 800 by 600 pixels.
        public init() {}
    }

    private let map: MapView
    private let options: Options
    private let logger: Logger

    /// A snapshotter of `map`, as it looks when ``start()`` is called.
    public init(_ map: MapView, options: Options = Options(), logger: Logger = Logger(label: "org.locationd.map")) {
        self.map = map
        self.options = options
        self.logger = logger
    }

    /// The picture, as a PNG file's bytes.
    ///
    /// - Throws: ``SnapshotError``, and `MapData.Missing`.
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
