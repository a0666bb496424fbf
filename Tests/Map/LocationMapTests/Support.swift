import MapTiles
import FoundationEssentials
import LocationModel
import Logging
import NIOCore
import ServiceLifecycle
import TestSupport
import Testing

@testable import LocationClient
@testable import LocationMap
@testable import PageServing

extension Coordinate {
    /// For coordinates that are there for certain.
    static func at(_ latitude: Double, _ longitude: Double) -> Coordinate {
        Coordinate(latitude: latitude, longitude: longitude)!
    }
}

/// A page without a browser: what a map tells it, as values.
@MainActor
final class FakePage {
    let map: MapView
    let page: Page

    /// A page of 800 by 600 pixels that has been told the state.
    init(_ map: MapView, width: Double = 800, height: Double = 600) throws {
        self.map = map
        page = try #require(map.connectPage(over: ObjectIdentifier(map), by: BrowserSession()))
        _ = try events()
        post(.viewport(width: width, height: height))
    }

    func post(_ messages: PageMessage...) { map.receive(messages, from: page.id) }

    /// What has been sent since the last call, by the names of the events.
    func events() throws -> [(name: String, data: JSON)] {
        map.updates.flush()
        var text = ""
        while let chunk = try page.take() { text += String(buffer: chunk) }
        return ServerEvents.parse(text)
    }

    /// The last event of a name that has been sent since the last call.
    func last(_ name: String) throws -> JSON? { try events().last { $0.name == name }?.data }

    /// What the page would show if it came now.
    func state() throws -> JSON {
        let page = try #require(map.connectPage(over: ObjectIdentifier(map), by: BrowserSession()))
        defer { map.disconnect(page) }
        let chunk = try #require(try page.take())
        return try #require(ServerEvents.parse(String(buffer: chunk)).last { $0.name == "state" }?.data)
    }
}

/// Reads the text of Server-Sent Events.
enum ServerEvents {
    static func parse(_ text: String) -> [(name: String, data: JSON)] {
        text.split(separator: "\n\n").compactMap { block in
            var name: String?
            var data: JSON?
            for line in block.split(separator: "\n") {
                if line.hasPrefix("event: ") { name = String(line.dropFirst(7)) }
                if line.hasPrefix("data: ") { data = try? JSON(String(line.dropFirst(6))) }
            }
            guard let name, let data else { return nil }
            return (name, data)
        }
    }
}

/// Nothing to search in.
struct NoPlaces: PageSearch {
    func answer(to query: WirePlaceQuery) -> PlaceAnswer { PlaceAnswer(isMissing: true) }
}

/// A JSON value to look into.
enum JSON: Decodable, Hashable {
    case null, bool(Bool), number(Double), string(String), array([JSON]), object([String: JSON])

    init(_ text: String) throws { self = try JSONDecoder().decode(JSON.self, from: Data(text.utf8)) }

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let string = try? value.decode(String.self) {
            self = .string(string)
        } else if let array = try? value.decode([JSON].self) {
            self = .array(array)
        } else {
            self = .object(try value.decode([String: JSON].self))
        }
    }

    subscript(name: String) -> JSON? {
        guard case .object(let members) = self, let member = members[name], member != .null else { return nil }
        return member
    }

    var string: String? { if case .string(let string) = self { string } else { nil } }
    var number: Double? { if case .number(let number) = self { number } else { nil } }
    var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }
    var array: [JSON] { if case .array(let array) = self { array } else { [] } }
}

/// A directory with a page that is a page and no more.
func makeMapData() throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    try FileManager.default.createDirectory(atPath: directory.path + "/page", withIntermediateDirectories: false)
    try "<!doctype html><title>Map</title>".write(
        toFile: directory.path + "/page/index.html", atomically: true, encoding: .utf8)
    try "<!doctype html><title>New address</title>".write(
        toFile: directory.path + "/page/new-address.html", atomically: true, encoding: .utf8)
    try "secret".write(toFile: directory.path + "/outside.txt", atomically: true, encoding: .utf8)
    return directory
}

/// A map that is served.
@MainActor
struct ServedMap {
    let map: MapView
    let server: MapServer
    /// The address with the first code.
    let address: String
    let port: Int

    /// Runs `body` with a map that is served, and ends the server.
    static func run(
        regions: MapRegions = MapRegions(userDirectory: nil, systemDirectory: "/nonexistent"),
        sources: [any TileSource] = [], places: any PageSearch = NoPlaces(), maximumConnections: Int = 256,
        _ body: @MainActor (ServedMap) async throws -> Void
    ) async throws {
        let data = try makeMapData()
        let map = MapView()
        let server = try MapServer(
            map, port: 0, data: try MapData(directory: data.path), regions: regions, sources: sources, places: places,
            maximumConnections: maximumConnections, logger: .silent)
        let (addresses, continuation) = AsyncStream<String>.makeStream()
        server.whenReady { continuation.yield($0) }
        let group = ServiceGroup(configuration: .init(services: [server], logger: .silent))
        let running = Task { try await group.run() }
        var iterator = addresses.makeAsyncIterator()
        let address = try #require(await iterator.next())
        let port = try #require(Int(address.split(separator: "/")[1].split(separator: ":")[1]))
        var failure: (any Error)?
        do {
            try await body(ServedMap(map: map, server: server, address: address, port: port))
        } catch {
            failure = error
        }
        await group.triggerGracefulShutdown()
        try await running.value
        if let failure { throw failure }
    }

    /// The path of the address, and of its map.
    var entry: String { "/" + address.split(separator: "/").dropFirst(2).joined(separator: "/") }
    var root: String { "/" + entry.split(separator: "/")[0] + "/" }

    /// Another browser, with a code of its own.
    func enterAgain() async throws -> String {
        let another = try #require(server.makeAddress())
        return try await enter("/" + another.split(separator: "/").dropFirst(2).joined(separator: "/"))
    }

    /// Exchanges the code for the cookie.
    func enter(_ path: String? = nil) async throws -> String {
        let answer = try await request("GET", path ?? entry)
        let cookie = try #require(answer.headers["set-cookie"])
        return String(cookie.prefix { $0 != ";" })
    }

    /// Asks with the headers that a browser sends; `nil` leaves one out.
    func request(
        _ method: String, _ path: String, cookie: String? = nil, headers: [String: String?] = [:], body: String = ""
    ) async throws -> HTTPAnswer {
        try await HTTPAnswer.of(
            port: port, Self.text(method, path, port: port, cookie: cookie, headers: headers, body: body))
    }

    /// Opens a stream of events.
    func events(cookie: String) async throws -> EventStream {
        let wire = try await Wire.connect(toPort: port)
        await wire.send(Self.text("GET", root + "events", port: port, cookie: cookie, close: false))
        let head = try await HTTPAnswer.head(from: wire)
        #expect(head.status == 200)
        return EventStream(wire: wire)
    }

    static func text(
        _ method: String, _ path: String, port: Int, cookie: String?, headers: [String: String?] = [:],
        body: String = "", close: Bool = true
    ) -> String {
        HTTPAnswer.request(method, path, port: port, cookie: cookie, headers: headers, body: body, close: close)
    }
}

/// A stream of events over a connection.
@MainActor
final class EventStream {
    let wire: Wire

    init(wire: Wire) { self.wire = wire }

    /// The next event; `nil` when the stream has ended.
    func next() async throws -> (name: String, data: JSON)? {
        var name: String?
        while let line = try await wire.receive() {
            if line.hasPrefix("event: ") { name = String(line.dropFirst(7)) }
            if line.hasPrefix("data: "), let name { return (name, try JSON(String(line.dropFirst(6)))) }
        }
        return nil
    }

    /// The next event of a name that is as wanted.
    func next(_ wanted: String, where isWanted: (JSON) -> Bool = { _ in true }) async throws -> JSON {
        while let event = try await next() {
            if event.name == wanted, isWanted(event.data) { return event.data }
        }
        throw AwaitedInVain("the event “\(wanted)”", because: "nothing more comes, or the time limit is over")
    }
}
