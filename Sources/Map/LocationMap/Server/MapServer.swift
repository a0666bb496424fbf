import MapTiles
import PageServing
public import Logging
public import ServiceLifecycle

/// A server of a map's page on a port of the loopback interface, for the user that runs the program.
///
/// The loopback interface is open to every user of a machine, so a connection of another user is closed before any of
/// it is read. The address passed to the closure of ``run(onReady:)`` contains a one-time code, which the browser
/// exchanges for a cookie. Without the cookie, and from pages of other servers, every request gets the response of an
/// empty server.
public final class MapServer: Service {
    private let sessions = BrowserSessionStore()
    private let server: PageServer<MapResponder>

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
        let (data, places) = try PlaceIndexCache.forPages(data: data, regions: regions, logger: logger)
        try self.init(
            map, port: port, data: data, regions: regions, sources: sources, places: places, idleLimit: idleLimit,
            logger: logger)
    }

    @MainActor
    init(
        _ map: MapView, port: Int, data: MapData, regions: MapRegions, sources: [any TileSource],
        places: any PageSearch, maximumConnections: Int = 256, idleLimit: Duration? = nil, logger: Logger
    ) throws {
        let responder = try MapResponder(
            map, sessions: sessions, data: data, regions: regions, sources: sources, places: places, logger: logger)
        server = PageServer(
            port: port, sessions: sessions, hub: map.hub, notices: responder.notices, responder: responder,
            maximumConnections: maximumConnections, idleLimit: idleLimit
        ) { [owner = ObjectIdentifier(sessions)] in map.end(owner) }
    }

    /// Returns an address that shows the map in a browser of this user, once; `nil` while the server is not running.
    public func makeAddress() -> String? { server.makeAddress() }

    /// Runs the server until the process receives SIGINT or SIGTERM, the task is cancelled or the limit of idleness is
    /// reached.
    ///
    /// - Parameter onReady: Called on the main actor with an address once the server listens. What it prints is written at once,
    ///   also into a pipe.
    /// - Throws: ``MapServerError`` if the port is in use.
    public func run(onReady: @escaping @Sendable @MainActor (String) -> Void) async throws {
        try await Self.explaining { try await server.run(onReady: onReady) }
    }

    /// Calls `onReady` with an address once the server listens.
    func whenReady(_ onReady: @escaping @Sendable @MainActor (String) -> Void) { server.whenReady(onReady) }

    /// Runs the server as a service of a `ServiceGroup`. Throws as ``run(onReady:)`` does.
    public func run() async throws { try await Self.explaining { try await server.run() } }

    private static func explaining(_ run: () async throws -> Void) async throws {
        do {
            try await run()
        } catch let error as PortError {
            throw MapServerError(port: error.port, errorNumber: error.errorNumber)
        }
    }

    /// The identity that distinguishes its pages from those of other servers of the same map.
    var owner: ObjectIdentifier { ObjectIdentifier(sessions) }

    /// Returns the session in the value of a `Cookie` header.
    func session(cookies: String) -> BrowserSession? { sessions.session(cookies: cookies) }
}

extension PlaceIndexCache {
    /// Returns the map data, `data` or the usual one, and the places that its pages search in. The program and its pages share the
    /// open files.
    static func forPages(
        data: MapData?, regions: MapRegions, logger: Logger
    ) throws -> (MapData, PlaceIndexCache) {
        let isUsual = data == nil && regions == MapRegions()
        let data = try data ?? MapData()
        return (
            data,
            isUsual ? .shared : PlaceIndexCache(regions: regions, data: data.directory) { logger.warning("\($0)") }
        )
    }
}

extension MapView {
    /// Ends the pages of a server.
    func end(_ server: ObjectIdentifier) {
        hub.end(server)
        updates.endWaiting(for: server)
    }
}
