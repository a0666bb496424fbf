import MapTiles
import Glibc
import HTTPTypes
import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
public import ServiceLifecycle
import Synchronization
import UnixSignals

/// A server of a map's page on a port of the loopback interface, for the user that runs the program.
///
/// The loopback interface is open to every user of a machine, so a connection of another user is closed before any of
/// it is read. The address passed to the closure of ``run(onReady:)`` contains a one-time code, which the browser
/// exchanges for a cookie. Without the cookie, and from pages of other servers, every request gets the response of an
/// empty server.
public final class MapServer: Service {
    private let map: MapView
    private let port: Int
    private let sessions = BrowserSessionStore()
    private let files: PageFiles
    private let sources: [any TileSource]
    private let places: any PageSearch
    private let logger: Logger
    private let notices: Notices
    /// Enough for sixteen browsers with six connections each, including their streams of events.
    private let maximumConnections: Int
    private let idleLimit: Duration?
    private let boundPort = Mutex<Int?>(nil)
    private let onReady = Mutex<(@Sendable @MainActor (String) -> Void)?>(nil)

    /// Creates a server of `map` at `port`.
    ///
    /// - Parameters:
    ///   - map: The map that the page shows and changes.
    ///   - port: A TCP port of the loopback interface, 1 to 65535; 0, the default, selects a free one.
    ///   - data: The directory of the page's files and the map data; `nil`, the default, for that of this program or of
    ///     the system.
    ///   - regions: The directories of the installed regions; by default the user's and the machine's.
    ///   - sources: Additional sources of tiles. One replaces the source of the same name in `data`; one named
    ///     `streets` replaces all regions.
    ///   - idleLimit: The time after which the server ends if no page shows the map; `nil`, the default, for never. A
    ///     page that is hidden for ten seconds counts as closed.
    ///   - logger: The logger for mistakes of pages. It receives neither queries nor locations.
    /// - Throws: `MapData.Missing` if the package locationd-map is not installed; an error if an archive of tiles
    ///   cannot be read.
    @MainActor
    public convenience init(
        _ map: MapView, port: Int = 0, data: MapData? = nil, regions: MapRegions = MapRegions(),
        sources: [any TileSource] = [], idleLimit: Duration? = nil,
        logger: Logger = Logger(label: "org.locationd.map")
    ) throws {
        // The program and its pages share the open files.
        let isUsual = data == nil && regions == MapRegions()
        let data = try data ?? MapData()
        let places =
            isUsual ? .shared : PlaceIndexCache(regions: regions, data: data.directory) { logger.warning("\($0)") }
        try self.init(
            map, port: port, data: data, regions: regions, sources: sources, places: places, idleLimit: idleLimit,
            logger: logger)
    }

    @MainActor
    init(
        _ map: MapView, port: Int, data: MapData, regions: MapRegions, sources: [any TileSource],
        places: any PageSearch, maximumConnections: Int = 256, idleLimit: Duration? = nil, logger: Logger
    ) throws {
        self.map = map
        self.idleLimit = idleLimit
        self.maximumConnections = maximumConnections
        self.port = port
        self.places = places
        self.logger = logger
        notices = Notices(logger: logger)
        files = PageFiles(directory: data.directory + "/page")
        let names = Set(sources.map(\.description.name))
        let archives: [any TileSource] = try data.archives().map { try MBTiles(path: $0) }
        let streets = RegionTiles(regions) { logger.warning("\($0)") }
        self.sources = (archives + [streets]).filter { !names.contains($0.description.name) } + sources
        map.tileSources = self.sources
    }

    /// Returns an address that shows the map in a browser of this user, once; `nil` while the server is not running.
    public func makeAddress() -> String? {
        boundPort.withLock { $0 }.map { "http://127.0.0.1:\($0)/\(sessions.map.text)/enter/\(sessions.issueCode())" }
    }

    /// Runs the server until the process receives SIGINT or SIGTERM, the task is cancelled or the limit of idleness is
    /// reached.
    ///
    /// - Parameter onReady: Called on the main actor with an address once the server listens. What it prints is written at once,
    ///   also into a pipe.
    /// - Throws: ``MapServerError`` if the port is in use.
    public func run(onReady: @escaping @Sendable @MainActor (String) -> Void) async throws {
        whenReady(onReady)
        var configuration = ServiceGroupConfiguration(
            services: [.init(service: self, successTerminationBehavior: .gracefullyShutdownGroup)],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: Self.quiet)
        // Pages are notified and disconnect well before; a page that does not read is not waited for.
        configuration.maximumGracefulShutdownDuration = .milliseconds(700)
        try await ServiceGroup(configuration: configuration).run()
    }

    /// Calls `onReady` with an address once the server listens.
    func whenReady(_ onReady: @escaping @Sendable @MainActor (String) -> Void) {
        self.onReady.withLock { $0 = onReady }
    }

    /// Runs the server as a service of a `ServiceGroup`. Throws as ``run(onReady:)`` does.
    public func run() async throws {
        let responder = MapResponder(
            map: map, sessions: sessions, files: files,
            sources: Dictionary(sources.map { ($0.description.name, $0) }) { first, _ in first }, places: places,
            logger: logger, notices: notices)
        let (user, owner, notices) = (getuid(), owner, notices)
        let connections = ConnectionLimit(maximumConnections)
        let application = Application(
            responder: responder,
            server: .http1(
                configuration: .init(
                    additionalChannelHandlers: [
                        PeerCheckHandler(owner: user, notices: notices), ConnectionLimitHandler(connections),
                    ], idleTimeout: .seconds(60),
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: 8192, maxHeaderListSize: 16384, maxHeaderFieldCount: 64))),
            configuration: .init(
                address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { [weak self] channel in await self?.didStart(channel) }, logger: Self.quiet)
        try await withGracefulShutdownHandler {
            try await withThrowingTaskGroup { group in
                group.addTask { [map, idleLimit] in
                    var idleness = Idleness(limit: idleLimit, since: .now)
                    while (try? await Task.sleep(for: .seconds(3))) != nil {
                        await map.hub.sendHeartbeat()
                        notices.flush()
                        if idleness.isOver(isUsed: await !map.hub.isEmpty, at: .now) { return }
                    }
                }
                group.addTask { [port] in
                    do {
                        try await application.run()
                    } catch let error as IOError {
                        throw MapServerError(port: port, errorNumber: error.errnoCode)
                    }
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        } onGracefulShutdown: { [map, owner] in
            // An unstructured task, because the handler is synchronous.
            Task { await map.end(owner) }
        }
        await map.end(owner)
    }

    /// The identity that distinguishes its pages from those of other servers of the same map.
    var owner: ObjectIdentifier { ObjectIdentifier(sessions) }

    /// Returns the session in the value of a `Cookie` header.
    func session(cookies: String) -> BrowserSession? { sessions.session(cookies: cookies) }

    private func didStart(_ channel: any Channel) async {
        boundPort.withLock { $0 = channel.localAddress?.port }
        guard let onReady = onReady.withLock({ $0 }), let address = makeAddress() else { return }
        await onReady(address)
        // What it prints is needed now, also where the output is a pipe, as in a unit.
        fflush(nil)
    }

    /// The logger for NIO and Hummingbird, which log every connection; the notable events are logged here.
    private static let quiet: Logger = {
        var logger = Logger(label: "org.locationd.map.server")
        logger.logLevel = .error
        return logger
    }()
}

/// The time for which no page has shown the map.
struct Idleness {
    private let limit: Duration?
    private var start: ContinuousClock.Instant

    init(limit: Duration?, since start: ContinuousClock.Instant) {
        (self.limit, self.start) = (limit, start)
    }

    /// Returns true if the limit is reached.
    mutating func isOver(isUsed: Bool, at now: ContinuousClock.Instant) -> Bool {
        if isUsed { start = now }
        return limit.map { now - start >= $0 } ?? false
    }
}

extension MapView {
    /// Ends the pages of a server.
    fileprivate func end(_ server: ObjectIdentifier) {
        hub.end(server)
        updates.endWaiting(for: server)
    }
}
