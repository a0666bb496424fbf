import HTTPTypes
public import Hummingbird
public import Logging
public import MapTiles
import PageServing
public import ServiceLifecycle

/// The page of a map in a Hummingbird server of the program's own, beside its other routes.
///
/// ``MapServer`` is a server with this page alone. A program with a server adds the routes to its router, and the page to the
/// services of its application, which keep the page current; `Tests/Map/Examples/OwnServer.swift` is such a program.
///
/// Every request without the cookie that the browser has in exchange for the code of ``makePath()`` gets the response of an empty
/// server, and so does one from the page of another server or for another host than `127.0.0.1` and `localhost`. What `MapServer`
/// does beyond that is up to the program: it listens at the loopback interface, closes connections of other users before it reads
/// from them, and limits their number.
public final class MapPage: Service {
    private let sessions = BrowserSessionStore()
    private let responder: MapResponder
    private let map: MapView
    private let owner: ObjectIdentifier

    /// Creates the page of `map`. The parameters and errors are those of
    /// ``MapServer/init(_:port:data:regions:sources:idleLimit:logger:)``.
    @MainActor
    public convenience init(
        _ map: MapView, data: MapData? = nil, regions: MapRegions = MapRegions(), sources: [any TileSource] = [],
        logger: Logger = Logger(label: "org.locationd.map")
    ) throws {
        let (data, places) = try PlaceIndexCache.forPages(data: data, regions: regions, logger: logger)
        try self.init(map, data: data, regions: regions, sources: sources, places: places, logger: logger)
    }

    /// Creates the page of a map that another page of its server shows in a frame.
    @MainActor
    package convenience init(framing map: MapView, data: MapData, logger: Logger) throws {
        let regions = MapRegions()
        let (data, places) = try PlaceIndexCache.forPages(data: data, regions: regions, logger: logger)
        try self.init(
            map, data: data, regions: regions, sources: [], places: places, framing: .isFramed, logger: logger)
    }

    @MainActor
    init(
        _ map: MapView, data: MapData, regions: MapRegions, sources: [any TileSource], places: any PageSearch,
        framing: PageFraming = .none, logger: Logger
    ) throws {
        let owner = ObjectIdentifier(sessions)
        (self.map, self.owner) = (map, owner)
        // An unstructured task, because the handler is synchronous.
        responder = try MapResponder(
            map, sessions: sessions, data: data, regions: regions, sources: sources, places: places, framing: framing,
            logger: logger
        ) { Task { await map.end(owner) } }
    }

    /// Adds the page's routes to a router. Their paths begin with a part that is different for each page, and not known to others.
    public func addRoutes(to router: some RouterMethods) {
        for path in ["\(sessions.root.text)", "\(sessions.root.text)/**"] {
            for method in [HTTPRequest.Method.get, .post] {
                router.on(RouterPath(path), method: method) { [responder] request, _ in
                    try await responder.respond(to: request)
                }
            }
        }
    }

    /// Responds to a request for this page; `nil` for another one.
    package func response(to request: Request) async throws -> Response? {
        let first = request.uri.string.dropFirst().prefix { $0 != "/" && $0 != "?" }
        return sessions.root.matches(first) ? try await responder.respond(to: request) : nil
    }

    /// Returns the path of an address that shows the map in a browser, once. Whoever opens it sees the map: give it to those that the
    /// program knows.
    public func makePath() -> String { "/\(sessions.root.text)/enter/\(sessions.issueCode())" }

    /// Keeps the pages that are open current until the server shuts down or the task is cancelled, and ends them then.
    public func run() async throws {
        await cancelWhenGracefulShutdown { [hub = map.hub, notices = responder.notices] in
            while (try? await Task.sleep(for: .seconds(3))) != nil {
                await hub.sendHeartbeat()
                notices.flush()
            }
        }
        await map.end(owner)
    }
}
