import DesktopEntries
import FoundationEssentials
import Glibc
import LocationClient
import LocationServiceManagement
import Logging
import MapTiles
import TestSupport
import Testing

@testable import PrivacyPage

/// Nobody but the user that runs the program sees the page, or learns that there is one.
@Suite("PrivacyServer: access to the page", .timeLimit(.minutes(10)))
@MainActor
struct PrivacySafetyTests {
    /// Every kind of request.
    private static func paths(_ page: ServedPage) -> [(method: String, path: String)] {
        [
            ("GET", "/"), ("GET", page.root), ("GET", page.root + "events"), ("GET", page.root + "page/privacy.html"),
            ("GET", page.root + "icons/0.png"), ("GET", page.root + "enter/00"), ("POST", page.root + "decisions"),
            ("POST", page.root + "services"), ("POST", page.root + "timeline"),
            ("POST", page.root + "answers"), ("POST", page.root + "reports"), ("POST", page.root + "rules"),
            ("POST", page.root + "places"), ("POST", page.root + "trials"), ("POST", page.root + "map"),
            ("DELETE", page.root),
            ("OPTIONS", page.root + "decisions"),
        ]
    }

    private func isBare(_ answer: HTTPAnswer) -> Bool {
        answer.status == 404 && answer.body.isEmpty
            && Set(answer.headers.keys).isSubset(of: ["content-length", "date", "connection"])
    }

    @Test("without the cookie every route has the same bare answer")
    func bareAnswers() async throws {
        try await ServedPage.run { page in
            for (method, path) in Self.paths(page) {
                for cookie in [nil, "map=", "map=\(String(repeating: "0", count: 32))"] {
                    let answer = try await page.request(method, path, cookie: cookie, body: "{}")
                    #expect(isBare(answer), "\(method) \(path)")
                }
            }
        }
    }

    @Test("a code opens the page once, for one browser")
    func usedCode() async throws {
        try await ServedPage.run { page in
            _ = try await page.enter()
            let second = try await page.request("GET", page.entry)
            #expect(second.headers["set-cookie"] == nil)
            #expect(second.headers["location"] == nil)
        }
    }

    @Test("a foreign origin, a foreign host and another site decide nothing, in spite of the cookie")
    func origins() async throws {
        try await ServedPage.run { page in
            let cookie = try await page.enter()
            let own = try await page.request(
                "POST", page.root + "services", cookie: cookie, body: #"{"isEnabled":false}"#)
            #expect(own.status == 200 && own.body.contains("error"), "there is no service")
            let changes: [[String: String?]] = [
                ["Origin": "http://evil.example"], ["Origin": "null"], ["Origin": "http://127.0.0.1:1"],
                ["Origin": nil],
                ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"],
                ["Host": "evil.example:\(page.port)"],
            ]
            for headers in changes {
                for path in [
                    "decisions", "services", "timeline", "answers", "reports", "rules", "places", "trials", "map",
                ] {
                    let answer = try await page.request(
                        "POST", page.root + path, cookie: cookie, headers: headers, body: "{}")
                    #expect(isBare(answer), "\(headers) \(path)")
                }
            }
        }
    }

    @Test("a form, plain text and a malformed decision are refused before the service is asked")
    func shapes() async throws {
        try await ServedPage.run { page in
            let cookie = try await page.enter()
            func status(_ body: String, type: String = "application/json") async throws -> Int {
                try await page.request(
                    "POST", page.root + "decisions", cookie: cookie, headers: ["Content-Type": type], body: body
                ).status
            }
            #expect(try await status("client=x", type: "application/x-www-form-urlencoded") == 415)
            #expect(try await status(#"{"client":"x"}"#, type: "text/plain") == 415)
            #expect(try await status(#"{"client":"x","authorization":"everything"}"#) == 400)
            #expect(try await status(#"{"authorization":"denied"}"#) == 400)
            #expect(try await status("[]") == 400)
            #expect(try await status(#"{"client":"\#(String(repeating: "x", count: 20_000))"}"#) == 413)
        }
    }

    @Test("no path leads to a file that is not the page's, and an icon is in a sandbox")
    func paths() async throws {
        try await ServedPage.run { page in
            let cookie = try await page.enter()
            for path in [
                "page/../outside.txt", "icons/..%2foutside.txt", "icons/passwd", "icons/0.png", "page/outside.txt",
            ] {
                let answer = try await page.request("GET", page.root + path, cookie: cookie)
                #expect(answer.status == 404 && !answer.body.contains("secret"), "\(path)")
            }
            let index = try await page.request("GET", page.root, cookie: cookie)
            #expect(index.status == 200)
            #expect(
                index.headers["content-security-policy"]?.hasPrefix("default-src 'none'; script-src 'self';") == true)
        }
    }

    @Test("the map of places is shown in a frame of the page, and in no other page")
    func frames() async throws {
        try await ServedPage.run { page in
            let cookie = try await page.enter()
            func policy(_ path: String, _ cookie: String) async throws -> String {
                try await page.request("GET", path, cookie: cookie).headers["content-security-policy"] ?? ""
            }
            #expect(try await policy(page.root, cookie).hasSuffix("frame-src 'self'; frame-ancestors 'none'"))
            let answer = try await page.request("POST", page.root + "map", cookie: cookie, body: "{}")
            let path = try JSONDecoder().decode([String: String].self, from: Data(answer.body.utf8))["path"] ?? ""
            #expect(path.contains("/enter/") && !path.hasPrefix(page.root))
            let entered = try await page.request("GET", path)
            let map = try #require(entered.headers["set-cookie"]?.split(separator: ";").first.map(String.init))
            let root = try #require(entered.headers["location"])
            #expect(try await policy(root, map).hasSuffix("frame-ancestors 'self'"))
            // The page's cookie does not open the map.
            #expect(isBare(try await page.request("GET", root, cookie: cookie)))
            #expect(isBare(try await page.request("GET", path)), "the code is used")
        }
    }

    @Test("another user gets no byte, even with the cookie", .enabled(if: getuid() == 0))
    func otherUser() async throws {
        try await ServedPage.run { page in
            let cookie = try await page.enter()
            let request = HTTPAnswer.request("GET", page.root, port: page.port, cookie: cookie)
            #expect(try await HTTPAnswer.read(request, port: page.port, by: .nobody) == "END\n")
            #expect(try await HTTPAnswer.read(request, port: page.port, by: .root).hasPrefix("HTTP/1.1 200"))
        }
    }
}

/// A privacy page that is served, of a service that does not run.
@MainActor
struct ServedPage {
    let server: PrivacyServer
    /// The address with the first code.
    let address: String
    let port: Int

    /// Runs `body` with a page that is served, and ends the server.
    static func run(_ body: @MainActor (ServedPage) async throws -> Void) async throws {
        let data = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: data.path + "/page", withIntermediateDirectories: false)
        for (name, text) in [
            ("page/index.html", ""), ("page/privacy.html", "<!doctype html><title>Location</title>"),
            ("page/privacy-new-address.html", "<!doctype html><title>New address</title>"), ("outside.txt", "secret"),
        ] { try text.write(toFile: "\(data.path)/\(name)", atomically: true, encoding: .utf8) }
        let server = try PrivacyServer(
            manager: LocationServiceManager(socketPath: data.path + "/socket"),
            commands: PageCommands(locationctl: nil, sharing: nil, socket: data.path + "/socket", configuration: nil),
            port: 0,
            idleLimit: nil,
            logger: .silent,
            data: try MapData(directory: data.path), directories: ApplicationDirectories([data.path])
        ) { _ in }
        let (addresses, continuation) = AsyncStream<String>.makeStream()
        let running = Task { try await server.run { continuation.yield($0) } }
        var iterator = addresses.makeAsyncIterator()
        let address = try #require(await iterator.next())
        let port = try #require(Int(address.split(separator: "/")[1].split(separator: ":")[1]))
        var failure: (any Error)?
        do {
            try await body(ServedPage(server: server, address: address, port: port))
        } catch {
            failure = error
        }
        running.cancel()
        try? await running.value
        if let failure { throw failure }
    }

    /// The path of the address, and of its page.
    var entry: String { "/" + address.split(separator: "/").dropFirst(2).joined(separator: "/") }
    var root: String { "/" + entry.split(separator: "/")[0] + "/" }

    /// Exchanges the code for the cookie.
    func enter() async throws -> String {
        let cookie = try #require(try await request("GET", entry).headers["set-cookie"])
        return String(cookie.prefix { $0 != ";" })
    }

    /// Asks with the headers that a browser sends; `nil` leaves one out.
    func request(
        _ method: String, _ path: String, cookie: String? = nil, headers: [String: String?] = [:], body: String = ""
    ) async throws -> HTTPAnswer {
        try await HTTPAnswer.of(
            port: port,
            HTTPAnswer.request(method, path, port: port, cookie: cookie, headers: headers, body: body))
    }
}
