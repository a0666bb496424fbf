import Logging
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import LocationMap
@testable import PageServing

@Suite("MapServer: connections", .timeLimit(.minutes(10)))
@MainActor
struct ConnectionTests {
    @Test("incomplete requests only replace each other: the page's stream stays, and it is answered")
    func halfRequests() async throws {
        try await ServedMap.run(maximumConnections: 4) { map in
            let cookie = try await map.enter()
            let events = try await map.events(cookie: cookie)
            _ = try await events.next("state")
            var half: [Wire] = []
            for _ in 0..<10 {
                let wire = try await Wire.connect(toPort: map.port)
                await wire.send("GET \(map.root) HTTP/1.1\r\nHost: 127.0.0.1:\(map.port)\r\nX-Half: ")
                half.append(wire)
            }
            // The first ones had to go, without an answer.
            for wire in half.prefix(6) { #expect(try await wire.receive() == nil) }
            #expect(try await map.request("GET", map.root, cookie: cookie).status == 200)
            map.map.title = "still there"
            var title: String?
            while title != "still there" { title = try await events.next("map")["title"]?.string }
            for wire in half { await wire.close() }
            await events.wire.close()
        }
    }

    @Test("answered connections stay while there is room, then the one that is idle longest is closed")
    func idleConnections() async throws {
        try await ServedMap.run(maximumConnections: 4) { map in
            let cookie = try await map.enter()
            // An answer without a body.
            let request = ServedMap.text("GET", "/", port: map.port, cookie: nil, close: false)
            func ask(_ wire: Wire) async throws -> Int {
                await wire.send(request)
                return try await HTTPAnswer.head(from: wire).status
            }
            let first = try await Wire.connect(toPort: map.port)
            #expect(try await ask(first) == 404)
            // One after the other, each of which is closed: the first one keeps its place.
            for _ in 0..<20 { #expect(try await map.request("GET", map.root, cookie: cookie).status == 200) }
            #expect(try await ask(first) == 404)
            async let end = first.receive()
            var others: [Wire] = []
            // The server may count a connection as busy for a moment after its answer was read: then another one gives way.
            while try await first.isOpen || others.count < 4 {
                others.append(try await Wire.connect(toPort: map.port))
                #expect(try await ask(others[others.count - 1]) == 404)
            }
            #expect(try await end == nil, "it was idle longest")
            #expect(try await others[others.count - 1].isOpen)
            for wire in others { await wire.close() }
        }
    }

    @Test("a server with a limit ends once no page has shown the map for that long, and one without never does")
    func idleness() {
        let start = ContinuousClock.now
        var idleness = Idleness(limit: .seconds(600), start: start)
        #expect(idleness.isOver(isUsed: false, at: start + .seconds(599)) == false)
        #expect(idleness.isOver(isUsed: true, at: start + .seconds(601)) == false)
        #expect(idleness.isOver(isUsed: false, at: start + .seconds(1200)) == false)
        #expect(idleness.isOver(isUsed: false, at: start + .seconds(1201)) == true)
        var endless = Idleness(limit: nil, start: start)
        #expect(endless.isOver(isUsed: false, at: start + .seconds(1_000_000)) == false)
    }

    @Test("a log line that others can cause is written once a minute, with the number of those left out")
    func notices() {
        let log = LogRecorder(level: .trace)
        let notices = Notices(logger: log.logger)
        let now = ContinuousClock.now
        for _ in 0..<5000 { notices.post(.warning, kind: "peer", "Refused a connection", at: now) }
        notices.post(.error, kind: "tile", "No tile", at: now)
        notices.flush(at: now + .seconds(59))
        #expect(log.lines == ["Refused a connection", "No tile"])
        notices.flush(at: now + .seconds(60))
        notices.flush(at: now + .seconds(200))
        #expect(log.lines.dropFirst(2) == ["Refused a connection (and 4998 more like this)"])
        notices.post(.warning, kind: "peer", "Refused another", at: now + .seconds(201))
        notices.post(.warning, kind: "peer", "Refused a third", at: now + .seconds(202))
        notices.post(.warning, kind: "peer", "Refused a fourth", at: now + .seconds(262))
        #expect(
            log.lines.dropFirst(3) == ["Refused another", "Refused a fourth (and 1 more like this)"])
    }
}
