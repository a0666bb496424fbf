import Hummingbird
import LocationModel
import MapTiles
import NIOCore
import ServiceLifecycle
import TestSupport
import Testing

@testable import LocationMap

/// The page of a map in a server of the program's own.
@Suite("MapPage", .timeLimit(.minutes(10)))
@MainActor
struct MapPageTests {
    /// A server with a route of its own and the page, for the time of `body`, which is given the port.
    private func run(
        _ map: MapView, _ body: @MainActor (_ page: MapPage, _ port: Int, _ group: ServiceGroup) async throws -> Void
    ) async throws {
        let data = try makeMapData()
        let page = try MapPage(
            map, data: try MapData(directory: data.path),
            regions: MapRegions(userDirectory: nil, systemDirectory: "/nonexistent"), sources: [], places: NoPlaces(),
            logger: .silent)
        let router = Router()
        router.get("tides") { _, _ in "High tide at noon." }
        page.addRoutes(to: router)
        let (ports, continuation) = AsyncStream<Int>.makeStream()
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)), services: [page],
            onServerRunning: { continuation.yield($0.localAddress?.port ?? 0) }, logger: .silent)
        let group = ServiceGroup(configuration: .init(services: [application], logger: .silent))
        let running = Task { try await group.run() }
        var iterator = ports.makeAsyncIterator()
        let port = try #require(await iterator.next())
        var failure: (any Error)?
        do { try await body(page, port, group) } catch { failure = error }
        await group.triggerGracefulShutdown()
        try await running.value
        if let failure { throw failure }
    }

    private func get(_ path: String, port: Int, cookie: String? = nil) async throws -> HTTPAnswer {
        try await HTTPAnswer.of(port: port, HTTPAnswer.request("GET", path, port: port, cookie: cookie))
    }

    /// Exchanges the code of a path for the cookie. Returns it with the page's own path.
    private func enter(_ path: String, port: Int) async throws -> (cookie: String, root: String) {
        let answer = try await get(path, port: port)
        #expect(answer.status == 303)
        let cookie = try #require(answer.headers["set-cookie"]).prefix { $0 != ";" }
        return (String(cookie), try #require(answer.headers["location"]))
    }

    @Test("its page is beside the program's own routes, for a browser with its code and for no other")
    func routes() async throws {
        let map = MapView()
        try await run(map) { page, port, _ in
            #expect(try await get("/tides", port: port).body == "High tide at noon.\n")
            let path = page.makePath()
            let (cookie, root) = try await enter(path, port: port)
            #expect(try await get(root, port: port, cookie: cookie).body.contains("<title>Map"))
            #expect(try await get(path, port: port).status == 404, "a code is for one exchange")
            for path in [root, root + "events", root + "page/index.html", root + "tiles/world/0/0/0"] {
                let answer = try await get(path, port: port)
                #expect(answer.status == 404 && answer.body.isEmpty, "\(path)")
            }
        }
    }

    @Test("it receives changes and heartbeats, and ends with the server")
    func events() async throws {
        let map = MapView()
        try await run(map) { page, port, group in
            let (cookie, root) = try await enter(page.makePath(), port: port)
            let wire = try await Wire.connect(toPort: port)
            await wire.send(HTTPAnswer.request("GET", root + "events", port: port, cookie: cookie, close: false))
            #expect(try await HTTPAnswer.head(from: wire).status == 200)
            let stream = EventStream(wire: wire)
            _ = try await stream.next("state")
            map.mapType = .satellite
            _ = try await stream.next("map")
            _ = try await stream.next("heartbeat")
            await group.triggerGracefulShutdown()
            _ = try await stream.next("end")
        }
    }
}
