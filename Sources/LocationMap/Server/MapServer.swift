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

/// Serves the page of a map to the user that runs the program, on a port of the loopback.
///
/// Nobody else sees it. The loopback is open to every user of a machine, so a connection of another user's is closed before
/// anything of it is read. The address that ``run(onReady:)`` gives has a one-time code, which the browser exchanges for a
/// cookie; without that, and from pages of other servers, every request has the answer of an empty server.
public final class MapServer: Service {
    private let map: MapView
    private let port: Int
    private let sessions = BrowserSessionStore()
    private let files: PageFiles
    private let sources: [any TileSource]
    private let places: any PageSearch
    private let logger: Logger
    private let notices: Notices
    /// Sixteen browsers can have six connections each, and their streams of events among them.
    private let maximumConnections: Int
    private let boundPort = Mutex<Int?>(nil)
    private let onReady = Mutex<(@Sendable @MainActor (String) -> Void)?>(nil)

    /// A server of `map` at `port`, or at any that is free for 0.
    ///
    /// - Parameters:
    ///   - map: The map that the page shows and changes.
    ///   - port: A TCP port of the loopback interface, 0 to 65535.
    ///   - data: Where the page and the map data are.
    ///   - regions: Where installed regions are; by default the user's and the machine's.
    ///   - sources: Further sources of tiles. One replaces that of the same name in `data`, and all regions if it is called
    ///     `streets`.
    ///   - logger: Takes what pages did wrong, never a query or a position.
    /// - Throws: `MapData.Missing`, and what keeps an archive of tiles from being read.
    @MainActor
    public convenience init(
        _ map: MapView, port: Int = 0, data: MapData? = nil, regions: MapRegions = MapRegions(),
        sources: [any TileSource] = [],
        logger: Logger = Logger(label: "org.locationd.map")
    ) throws {
        // The searches of the program and of its pages open the same files once.
        let isUsual = data == nil && regions == MapRegions()
        let data = try data ?? MapData()
        let places =
            isUsual ? .shared : PlaceIndexCache(regions: regions, data: data.directory) { logger.warning("\($0)") }
        try self.init(
            map, port: port, data: data, regions: regions, sources: sources, places: places, logger: logger)
    }

    @MainActor
    init(
        _ map: MapView, port: Int, data: MapData, regions: MapRegions, sources: [any TileSource],
        places: any PageSearch, maximumConnections: Int = 256, logger: Logger
    ) throws {
        self.map = map
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

    /// An address that shows the map in a browser of this user: once. `nil` while the server does not run.
    public func makeAddress() -> String? {
        boundPort.withLock { $0 }.map { "http://127.0.0.1:\($0)/\(sessions.map.text)/enter/\(sessions.issueCode())" }
    }

    /// Serves until the process is told to end (SIGINT, SIGTERM) or the task is cancelled.
    ///
    /// - Parameter onReady: Called with an address when the server listens.
    /// - Throws: When the port cannot be had.
    public func run(onReady: @escaping @Sendable @MainActor (String) -> Void) async throws {
        whenReady(onReady)
        var configuration = ServiceGroupConfiguration(
            services: [self], gracefulShutdownSignals: [.sigterm, .sigint], logger: Self.quiet)
        // Pages are told and gone long before; one that does not read is not waited for.
        configuration.maximumGracefulShutdownDuration = .milliseconds(700)
        try await ServiceGroup(configuration: configuration).run()
    }

    /// Has `onReady` called with an address when the server listens.
    func whenReady(_ onReady: @escaping @Sendable @MainActor (String) -> Void) {
        self.onReady.withLock { $0 = onReady }
    }

    /// Serves as a part of a program that is a group of services.
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
                group.addTask { [map] in
                    while (try? await Task.sleep(for: .seconds(15))) != nil {
                        await map.hub.sendHeartbeat()
                        notices.flush()
                    }
                }
                defer { group.cancelAll() }
                try await application.run()
            }
        } onGracefulShutdown: { [map, owner] in
            // A task of its own: the handler is called where nothing can be waited for.
            Task { await map.end(owner) }
        }
        await map.end(owner)
    }

    /// Distinguishes its pages from those of other servers of the same map.
    var owner: ObjectIdentifier { ObjectIdentifier(sessions) }

    /// The browser that the value of a `Cookie` header is of.
    func session(cookies: String) -> BrowserSession? { sessions.session(cookies: cookies) }

    private func didStart(_ channel: any Channel) async {
        boundPort.withLock { $0 = channel.localAddress?.port }
        guard let onReady = onReady.withLock({ $0 }), let address = makeAddress() else { return }
        await onReady(address)
    }

    /// For those who log each connection: what is of interest is logged here.
    private static let quiet: Logger = {
        var logger = Logger(label: "org.locationd.map.server")
        logger.logLevel = .error
        return logger
    }()
}

extension MapView {
    /// The program ends, or its server.
    fileprivate func end(_ server: ObjectIdentifier) {
        hub.end(server)
        updates.endWaiting(for: server)
    }
}
