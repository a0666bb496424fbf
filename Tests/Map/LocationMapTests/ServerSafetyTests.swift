import FoundationEssentials
import Glibc
import LocationModel
import MapTiles
import TestSupport
import Testing

@testable import LocationMap
@testable import PageServing

/// Nobody but the user that runs the program sees the map, or learns that there is one.
@Suite("MapServer: access to the map", .timeLimit(.minutes(10)))
@MainActor
struct ServerSafetyTests {
    /// Every kind of request.
    private static func paths(_ map: ServedMap) -> [(method: String, path: String)] {
        [
            ("GET", "/"), ("GET", "/favicon.ico"), ("GET", map.root), ("GET", map.root + "events"),
            ("GET", map.root + "page/index.html"), ("GET", map.root + "tiles/world/0/0/0"),
            ("GET", map.root + "images/1.svg"), ("GET", map.root + "overlays/o1"),
            ("GET", map.root + "profiles/o1"),
            ("GET", map.root + "overlay-tiles/o1/0/0/0"), ("GET", map.root + "enter/00"),
            ("POST", map.root + "messages"), ("POST", map.root + "regions/x.osm.pbf"),
            ("POST", map.root + "files/x.gpx"), ("DELETE", map.root),
            ("OPTIONS", map.root + "messages"),
        ]
    }

    @Test("without the cookie every route has the same bare answer")
    func bareAnswers() async throws {
        try await ServedMap.run { map in
            for (method, path) in Self.paths(map) {
                for cookie in [nil, "map=", "map=\(String(repeating: "0", count: 32))", "other=1"] {
                    let answer = try await map.request(method, path, cookie: cookie, body: "{}")
                    #expect(answer.status == 404, "\(method) \(path)")
                    #expect(answer.body.isEmpty)
                    #expect(Set(answer.headers.keys).isSubset(of: ["content-length", "date", "connection"]))
                }
            }
        }
    }

    @Test("a used, an expired and an invented address lead to one and the same page; other requests get none")
    func newAddressPage() async throws {
        try await ServedMap.run { map in
            let opening: [String: String?] = [
                "Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document",
            ]
            func seen(_ path: String, _ changes: [String: String?] = [:]) async throws -> HTTPAnswer {
                try await map.request("GET", path, headers: opening.merging(changes) { $1 })
            }
            _ = try await map.enter()
            let expected = try await seen(map.entry)
            #expect(expected.status == 404 && expected.body.contains("<title>New address"))
            #expect(expected.headers["content-security-policy"]?.hasPrefix("default-src 'none'; style-src") == true)
            for (_, path) in Self.paths(map) + [("", "/0123456789abcdef/enter/0123456789abcdef"), ("", "/../x")] {
                var answer = try await seen(path)
                answer.headers["date"] = expected.headers["date"]
                #expect(answer.status == expected.status && answer.body == expected.body, "\(path)")
                #expect(answer.headers == expected.headers, "\(path)")
            }
            let others: [[String: String?]] = [
                ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": nil], ["Sec-Fetch-Mode": "no-cors"],
                ["Sec-Fetch-Dest": "iframe"], ["Origin": "null"], ["Host": "evil.example:\(map.port)"],
            ]
            for changes in others {
                let answer = try await seen(map.entry, changes)
                #expect(answer.status == 404 && answer.body.isEmpty, "\(changes)")
                #expect(Set(answer.headers.keys).isSubset(of: ["content-length", "date", "connection"]))
            }
        }
    }

    @Test("a page without a script is in the browser's first language that has a catalogue, and in no other")
    func languages() throws {
        let directory = try TemporaryDirectory()
        for (language, texts) in [("de", #"{"Map": "Karte", "{n} maps": {"one": "x"}}"#), ("ar", #"{"Map": "خريطة"}"#)]
        {
            try texts.write(
                toFile: "\(directory.path)/texts.\(language).json", atomically: true, encoding: .utf8)
        }
        let page = #"<html lang="en" dir="auto"><title>Map</title><p>Map, <b>Map</b> and more<html lang="en">"#
        for (languages, lang, word) in [
            ("de-AT,de;q=0.9,en;q=0.8", "de", "Karte"), ("sv, ar;q=0.5", "ar", "خريطة"), ("en-GB,de", "en", "Map"),
            ("../texts.de,*,d", "en", "Map"), ("", "en", "Map"),
        ] {
            let translated = PageTranslation.translated(page, to: languages, from: directory.path)
            #expect(
                translated
                    == "<html lang=\"\(lang)\" dir=\"auto\"><title>\(word)</title><p>Map, <b>\(word)</b> and more"
                    + "<html lang=\"en\">")
        }
        #expect(PageTranslation.translated(page, to: nil, from: directory.path) == page)
    }

    @Test("a code works once, and the cookie is for this map's path and hidden from scripts")
    func codes() async throws {
        try await ServedMap.run { map in
            let first = try await map.request("GET", map.entry)
            #expect(first.status == 303)
            #expect(first.headers["location"] == map.root)
            let cookie = try #require(first.headers["set-cookie"])
            #expect(
                cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict") && cookie.contains("Path=\(map.root)")
            )
            #expect(try await map.request("GET", map.entry).status == 404, "a replayed code")
            let value = String(cookie.prefix { $0 != ";" })
            #expect(try await map.request("GET", map.root, cookie: value).status == 200)
            #expect(
                try await map.request("GET", map.entry, cookie: value).status == 303, "back to the map, for a reload")
            let second = try #require(map.server.makeAddress())
            let path = "/" + second.split(separator: "/").dropFirst(2).joined(separator: "/")
            #expect(try await map.request("GET", path).status == 303, "another browser with another code")
        }
    }

    @Test("a port in use is an error that names the port and the remedy")
    func portInUse() async throws {
        try await ServedMap.run { map in
            let data = try makeMapData()
            let other = try MapServer(
                MapView(), port: map.port, data: try MapData(directory: data.path), logger: .silent)
            let error = await #expect(throws: MapServerError.self) { try await other.run { _ in } }
            #expect(error == MapServerError(port: map.port, errorNumber: EADDRINUSE))
            #expect(error?.description.hasPrefix("Port \(map.port) is in use by another program. Choose") == true)
        }
    }

    @Test("of many unused codes only the newest work")
    func manyCodes() {
        let store = BrowserSessionStore()
        let codes = (0..<20).map { _ in store.issueCode() }
        #expect(codes.map { store.redeem($0) != nil } == codes.indices.map { $0 >= 4 })
    }

    @Test("a foreign Host, as DNS rebinding sends, gets the bare answer in spite of the cookie")
    func hosts() async throws {
        try await ServedMap.run { map in
            let cookie = try await map.enter()
            let foreign = [
                "evil.example", "evil.example:\(map.port)", "", "127.0.0.1:\(map.port).evil.example",
                "localhost.evil.example:\(map.port)", "127.0.0.1:", "127.0.0.1:70000", "127.0.0.2:\(map.port)",
            ]
            for host in foreign {
                let answer = try await map.request("GET", map.root, cookie: cookie, headers: ["Host": host])
                #expect([400, 404].contains(answer.status), "\(host)")
                #expect(answer.body.isEmpty)
            }
            for own in ["localhost:\(map.port)", "127.0.0.1:\(map.port)"] {
                #expect(try await map.request("GET", map.root, cookie: cookie, headers: ["Host": own]).status == 200)
            }
        }
    }

    @Test("the map is the same at a port that is forwarded to its own, for pages of that port alone")
    func forwarded() async throws {
        try await ServedMap.run { map in
            let cookie = try await map.enter()
            for host in ["localhost:9000", "127.0.0.1:9000", "localhost"] {
                let page = try await map.request("GET", map.root, cookie: cookie, headers: ["Host": host])
                #expect(page.status == 200, "\(host)")
                for (origin, isOwn) in [("http://\(host)", true), ("http://127.0.0.1:\(map.port)", false)] {
                    let answer = try await map.request(
                        "GET", map.root, cookie: cookie, headers: ["Host": host, "Origin": origin])
                    #expect((answer.status == 200) == isOwn, "\(origin) at \(host)")
                }
            }
        }
    }

    @Test("a foreign Origin and requests of other sites get the bare answer in spite of the cookie")
    func origins() async throws {
        try await ServedMap.run { map in
            let cookie = try await map.enter()
            let post = (method: "POST", path: map.root + "messages")
            for origin in ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1:\(map.port)"] {
                let answer = try await map.request(post.method, post.path, cookie: cookie, headers: ["Origin": origin])
                #expect(answer.status == 404, "\(origin)")
                #expect(
                    try await map.request("GET", map.root, cookie: cookie, headers: ["Origin": origin]).status == 404)
            }
            #expect(
                try await map.request(post.method, post.path, cookie: cookie, headers: ["Origin": nil]).status == 404)
            for site in ["cross-site", "same-site"] {
                let answer = try await map.request("GET", map.root, cookie: cookie, headers: ["Sec-Fetch-Site": site])
                #expect(answer.status == 404, "\(site)")
            }
        }
    }

    @Test("no path leads out of the page's directory")
    func paths() async throws {
        try await ServedMap.run { map in
            let cookie = try await map.enter()
            for path in [
                "../outside.txt", "..%2foutside.txt", "%2e%2e/outside.txt", "..", ".", "a/b", "index.html%00.js",
                "page",
            ] {
                let answer = try await map.request("GET", map.root + "page/" + path, cookie: cookie)
                #expect(answer.status == 404, "\(path)")
                #expect(!answer.body.contains("secret"))
            }
            let page = try await map.request("GET", map.root + "page/index.html", cookie: cookie)
            #expect(page.status == 200)
            #expect(
                page.headers["content-security-policy"]?.hasPrefix("default-src 'none'; script-src 'self';") == true)
            #expect(page.headers["x-content-type-options"] == "nosniff")
            #expect(page.headers["referrer-policy"] == "no-referrer")
        }
    }

    @Test("another user gets no byte, even with the cookie", .enabled(if: getuid() == 0))
    func otherUser() async throws {
        try await ServedMap.run { map in
            let cookie = try await map.enter()
            let request = ServedMap.text("GET", map.root, port: map.port, cookie: cookie)
            #expect(try await HTTPAnswer.read(request, port: map.port, by: .nobody) == "END\n")
            #expect(try await HTTPAnswer.read(request, port: map.port, by: .root).hasPrefix("HTTP/1.1 200"))
        }
    }
}
