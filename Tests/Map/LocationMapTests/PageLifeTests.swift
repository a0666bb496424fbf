import FoundationEssentials
import Glibc
import LocationModel
import PageServing
import TestSupport
import Testing

@testable import LocationMap

@Suite("MapServer: pages that open and close", .timeLimit(.minutes(10)))
@MainActor
struct PageLifeTests {
    private final class Visit { weak var page: Page? }

    @Test("a page is sent everything when it opens, later the changes, and everything again when it reconnects")
    func reconnecting() async throws {
        try await ServedMap.run { map in
            let cookie = try await map.enter()
            let stream = try await map.events(cookie: cookie)
            let state = try await stream.next("state")
            #expect(state["map"]?["type"]?.string == "standard")
            map.map.mapType = .satellite
            #expect(try await stream.next("map")["type"]?.string == "satellite")
            await stream.wire.close()
            try await map.waitForPages(0)
            map.map.mapType = .hybrid
            map.map.addAnnotation(PointAnnotation(coordinate: .at(20, 0), title: "new"))
            let again = try await map.events(cookie: cookie)
            let present = try await again.next("state")
            #expect(present["map"]?["type"]?.string == "hybrid")
            #expect(present["views"]?.array.map { $0["title"]?.string } == ["new"])
            #expect(present["page"]?.string != state["page"]?.string)
            await again.wire.close()
            try await map.waitForPages(0)
        }
    }

    @Test("a page that has drawn all that it was sent is idle, whatever changed back before it was sent")
    func idlePage() async throws {
        try await ServedMap.run { map in
            let stream = try await map.events(cookie: try await map.enter())
            let page = try #require(try await stream.next("state")["page"]?.string)
            let updates = map.map.updates
            let drawn = map.map.hub.revision
            // No view has changed: the page is sent nothing, and will not report again.
            map.map.changed(.views)
            #expect(updates.pageIsIdle(page, revision: drawn))
            map.map.changed(.user)
            #expect(updates.pageIsIdle(page, revision: drawn))
            map.map.addAnnotation(PointAnnotation(coordinate: .at(20, 0), title: "new"))
            #expect(updates.pageIsIdle(page, revision: drawn) == false)
            #expect(updates.pageIsIdle(page, revision: map.map.hub.revision))
            await stream.wire.close()
        }
    }

    @Test("nothing remains of closed pages")
    func closedPagesAreReleased() async throws {
        var visits: [Visit] = []
        var served: MapView?
        try await ServedMap.run { map in
            served = map.map
            let cookie = try await map.enter()
            // The server's ends of connections, which a process holds: those of other tests in this process have other ports.
            func openConnections() throws -> Int {
                let local = ":" + String(map.port, radix: 16, uppercase: true)
                return try String(contentsOfFile: "/proc/self/net/tcp", encoding: .utf8).split(separator: "\n").count {
                    line in
                    let columns = line.split(separator: " ")
                    return columns[1].hasSuffix(local) && columns[3] != "0A" && columns[9] != "0"
                }
            }
            @MainActor func visit() async throws {
                let stream = try await map.events(cookie: cookie)
                let id = try #require(try await stream.next("state")["page"]?.string)
                let visit = Visit()
                visit.page = map.map.hub.pages[id]
                #expect(visit.page != nil)
                visits.append(visit)
                await stream.wire.close()
                try await map.waitForPages(0)
            }
            try await visit()
            for _ in 0..<30 { try await visit() }
            // The last ones may still be about to be closed.
            #expect(try openConnections() < 25)
        }
        // The tasks of their connections have ended with the server; the map is still there.
        #expect(served != nil && visits.allSatisfy { $0.page == nil })
    }

    @Test("the program ends by SIGTERM while pages are open, one of which does not read", arguments: [SIGTERM, SIGINT])
    func ending(signal: Int32) async throws {
        let data = try makeMapData()
        let process = try await ChildProcess(
            [Products.locationctlMap, "--socket", data.path + "/no-such-socket"],
            environment: ["LOCATIOND_MAP_DATA": data.path])
        let address = try #require(try await process.output.receive())
        let port = try #require(Int(address.split(separator: "/")[1].split(separator: ":")[1]))
        let parts = address.split(separator: "/").map(String.init)
        let entered = try await HTTPAnswer.of(
            port: port, ServedMap.text("GET", "/\(parts[2])/enter/\(parts[4])", port: port, cookie: nil))
        let cookie = String(try #require(entered.headers["set-cookie"]).prefix { $0 != ";" })
        var streams: [EventStream] = []
        for _ in 0..<3 {
            let wire = try await Wire.connect(toPort: port)
            await wire.send(ServedMap.text("GET", "/\(parts[2])/events", port: port, cookie: cookie, close: false))
            _ = try await HTTPAnswer.head(from: wire)
            let stream = EventStream(wire: wire)
            _ = try await stream.next("state")
            streams.append(stream)
        }
        process.signal(signal)
        // The last of them does not even read.
        for stream in streams.dropLast() { _ = try await stream.next("end") }
        #expect(try await process.exitCode() == (signal == SIGINT ? 130 : 0))
        await streams[2].wire.close()
    }
}
