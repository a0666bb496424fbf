import LocationModel
import NIOCore
import TestSupport
import Testing

@testable import LocationMap
@testable import PageServing

/// What pages post is hostile input.
@Suite("MapServer: hostile pages", .timeLimit(.minutes(10)))
@MainActor
struct HostilePageTests {
    /// Posts `messages`, or the whole body `raw`, as `page`.
    private func post(
        _ map: ServedMap, _ cookie: String, page: String = "x", _ messages: String = "", raw: String? = nil,
        headers: [String: String?] = [:]
    ) async throws -> Int {
        let body = raw ?? #"{"page":"\#(page)","messages":[\#(messages)]}"#
        return try await map.request("POST", map.root + "messages", cookie: cookie, headers: headers, body: body).status
    }

    @Test("posts that do not come from a page are refused, and the map stays as it is")
    func malformed() async throws {
        try await ServedMap.run { map in
            let cookie = try await map.enter()
            let events = try await map.events(cookie: cookie)
            let page = try #require(try await events.next("state")["page"]?.string)
            let before = map.map.cameraState.viewpoint
            let camera = #""zoom":3,"heading":0,"pitch":0,"isMoving":false,"cause":"gesture""#
            let bad = [
                #"{"type":"camera","center":[1e400,0],\#(camera)}"#, #"{"type":"camera","center":[0,91],\#(camera)}"#,
                #"{"type":"camera","center":[0],\#(camera)}"#, #"{"type":"camera","center":[0,0,0],\#(camera)}"#,
                #"{"type":"camera","center":[0,0],"zoom":1e9,"heading":0,"pitch":0,"isMoving":false,"cause":"gesture"}"#,
                #"{"type":"camera","center":[0,0],"zoom":"3","heading":0,"pitch":0,"isMoving":false,"cause":"gesture"}"#,
                #"{"type":"viewport","width":1e9,"height":10}"#, #"{"type":"viewport","width":-1,"height":10}"#,
                #"{"type":"launch"}"#, #"{}"#, #"[]"#,
                #"{"type":"select","id":"\#(String(repeating: "a", count: 99))"}"#,
                #"{"type":"loading"}"#, #"{"type":"rendering","stage":"half"}"#,
                #"{"type":"gesture","kind":"all"}"#, #"{"type":"answer","prompt":1,"choice":"yes"}"#,
                #"{"type":"drag","id":"a1","state":"fly","position":[0,0]}"#,
            ]
            for message in bad { #expect(try await post(map, cookie, page: page, message) == 400, "\(message)") }
            #expect(try await post(map, cookie, raw: "") == 400)
            #expect(try await post(map, cookie, raw: "\u{0}") == 400)
            #expect(try await post(map, cookie, raw: String(repeating: "[", count: 60_000)) == 400)
            let many = Array(repeating: #"{"type":"idle","revision":1}"#, count: 65).joined(separator: ",")
            #expect(try await post(map, cookie, page: page, many) == 400)
            #expect(try await post(map, cookie, raw: String(repeating: " ", count: 600_000)) == 413)
            #expect(try await post(map, cookie, "", headers: ["Content-Type": "text/plain"]) == 415)
            #expect(try await post(map, cookie, page: "nobody", #"{"type":"idle","revision":1}"#) == 409)
            #expect(map.map.cameraState.viewpoint == before)
            // What does not exist has no effect.
            let foreign =
                #"{"type":"select","id":"a4294967296"},{"type":"deselect","id":""},"#
                + #"{"type":"accessory","id":"c1","side":"left"},{"type":"answer","prompt":-1,"choice":"allowOnce"},"#
                + #"{"type":"drag","id":"a1","state":"end","position":[0,0]},{"type":"mapType","value":"satellite"},"#
                + #"{"type":"menu","action":"x","position":[0,0]},{"type":"idle","revision":-9223372036854775808}"#
            #expect(try await post(map, cookie, page: page, foreign) == 204)
            #expect(map.map.mapType == .standard, "there is no control for it on this map")
            await events.wire.close()
        }
    }

    @Test("a page that posts without end is slowed down, and another one is not")
    func flood() async throws {
        try await ServedMap.run { map in
            let cookie = try await map.enter()
            let (loud, calm) = (try await map.events(cookie: cookie), try await map.events(cookie: cookie))
            let loudPage = try #require(try await loud.next("state")["page"]?.string)
            let calmPage = try #require(try await calm.next("state")["page"]?.string)
            let clock = NIODeadline.now()
            var refused = 0
            // At one moment, so that it does not matter how fast this machine is.
            let page = try #require(map.map.hub.pages[loudPage])
            for _ in 0..<500 where !page.mayPost(at: clock) { refused += 1 }
            #expect(refused == 380)
            #expect(page.mayPost(at: clock + .seconds(1)))
            #expect(
                try await post(map, cookie, page: calmPage, #"{"type":"viewport","width":700,"height":500}"#) == 204)
            await loud.wire.close()
            await calm.wire.close()
        }
    }

    @Test("pages of one browser beyond its share are refused, and those of another are not")
    func crowd() async throws {
        try await ServedMap.run { map in
            let (greedy, modest) = (try await map.enter(), try await map.enterAgain())
            #expect(greedy != modest)
            var streams: [EventStream] = []
            for _ in 0..<BrowserSession.maximumPages {
                let stream = try await map.events(cookie: greedy)
                _ = try await stream.next("state")
                streams.append(stream)
            }
            #expect(try await map.request("GET", map.root + "events", cookie: greedy).status == 503)
            for _ in streams.count..<PageHub.maximumPages {
                let stream = try await map.events(cookie: modest)
                _ = try await stream.next("state")
                streams.append(stream)
            }
            let third = try await map.enterAgain()
            #expect(try await map.request("GET", map.root + "events", cookie: third).status == 503, "no place is left")
            await streams.removeFirst().wire.close()
            try await map.waitForPages(streams.count)
            streams.append(try await map.events(cookie: greedy))
            _ = try await streams[streams.count - 1].next("state")
            for stream in streams { await stream.wire.close() }
            try await map.waitForPages(0)
        }
    }

    @Test("a browser that asks for tiles, streams or places without end is slowed down, and another one is not")
    func rates() async throws {
        let (wild, calm) = (BrowserSession(), BrowserSession())
        // At one moment, so that it does not matter how fast this machine is.
        let now = NIODeadline.now()
        for (kind, burst) in [(BrowserSession.Kind.read, 4000), (.connection, 60), (.search, 40), (.file, 60)] {
            let allowed = (0..<10_000).count { _ in wild.may(kind, at: now) }
            #expect(allowed == burst, "\(kind)")
            #expect(wild.may(kind, at: now + .seconds(1)))
            #expect(calm.may(kind, at: now))
        }
        try await ServedMap.run { map in
            let cookie = try await map.enter()
            let session = try #require(map.session(cookie: cookie))
            // All that it may ask in the hour to come, so that it does not matter when the request is read.
            while session.may(.search, at: now + .seconds(3600)) {}
            let answer = try await map.request("POST", map.root + "search", cookie: cookie, body: "{}")
            #expect(answer.status == 429)
            #expect(answer.headers["retry-after"] != nil)
            #expect(try await map.request("GET", map.root, cookie: cookie).status == 200, "the rest still works")
        }
    }

    @Test("of many browsers the oldest needs a new code")
    func manyBrowsers() throws {
        let store = BrowserSessionStore()
        let sessions = try (0..<20).map { _ in try #require(store.redeem(store.issueCode())) }
        let known = sessions.map { store.session(cookies: "x=y; map=\($0.cookie.text)") != nil }
        #expect(known == sessions.indices.map { $0 >= 4 })
        #expect(store.session(cookies: "map=\(Secret().text)") == nil)
    }

    @Test("a page that does not read delays no other, and gets the whole state when it reads again")
    func deafPage() async throws {
        let map = MapView()
        let (deaf, other) = (try FakePage(map), try FakePage(map))
        // The deaf page takes nothing; what is sent to it meanwhile is bounded.
        for round in 0..<400 {
            map.title = String(repeating: "t", count: 10_000) + "\(round)"
            #expect(try other.last("map")?["title"]?.string?.hasSuffix("\(round)") == true)
        }
        let events = try deaf.events()
        #expect(events.map(\.name) == ["state"])
        #expect(events.last?.data["map"]?["title"]?.string?.hasSuffix("399") == true)
        map.title = "after"
        #expect(try deaf.events().map(\.name) == ["map"])
    }
}

extension ServedMap {
    /// What the server knows of a browser.
    func session(cookie: String) -> BrowserSession? { server.session(cookies: cookie) }

    /// Waits until the map has so many pages.
    func waitForPages(_ count: Int) async throws {
        let hub = map.hub
        guard hub.pages.count != count else { return }
        let (counts, continuation) = AsyncStream<Int>.makeStream()
        hub.onPagesChange = { continuation.yield(hub.pages.count) }
        defer { hub.onPagesChange = nil }
        for await current in counts where current == count { return }
        throw AwaitedInVain("\(count) pages")
    }
}
