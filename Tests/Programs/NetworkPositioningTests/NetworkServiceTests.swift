import FoundationEssentials
import Glibc
import LocationInterface
import Logging
import NIOCore
import NetworkInterface
import TestSupport
import Testing
import Varlink
import WiFiPositioning

@testable import NetworkPositioning

/// The program's service with a positioning server of its own.
private struct Site {
    static let directory = String(#filePath.dropLast("NetworkServiceTests.swift".count)) + "Server"
    static let points = [
        NetworkInterface.AccessPoint(address: "a4:2b:b0:11:22:33", signalStrength: -51, frequency: 2412, age: 3000),
        NetworkInterface.AccessPoint(address: "cc:40:d0:44:55:66", signalStrength: -71, frequency: 5180, age: 5000),
    ]

    let positioning: ChildProcess
    let port: Int
    let client: VarlinkClient
    let log: LogRecorder
    let service: NetworkService
    let eventLoop: any EventLoop
    let temporary: TemporaryDirectory

    var file: String { temporary.path + "/network.plist" }

    /// Runs `body` with a service that asks `https://localhost:PORT` + `path`.
    static func with(
        path: String, authorities: String? = directory + "/authority.pem", plain: Bool = false,
        host: String = "localhost",
        timeout: Duration = .seconds(10), _ body: (Site) async throws -> Void
    ) async throws {
        let temporary = try TemporaryDirectory()
        let positioning = try await ChildProcess(
            ["/usr/bin/env", "python3", directory + "/positioning-server"] + (plain ? ["--plain"] : []))
        defer { positioning.signal(SIGKILL) }
        let port = try #require(Int(try await positioning.output.receive() ?? ""))
        let log = LogRecorder()
        let eventLoop = ObservedLoops.next()
        let service = try NetworkService(
            configurationFile: temporary.path + "/network.plist", eventLoop: eventLoop, logger: log.logger,
            authorities: authorities, timeout: timeout)
        let server = try await VarlinkServer.bind(
            service, to: .path(temporary.path + "/socket", mode: 0o600), on: eventLoop, logger: log.logger)
        let site = Site(
            positioning: positioning, port: port, client: try await .connect(to: temporary.path + "/socket"), log: log,
            service: service, eventLoop: eventLoop, temporary: temporary)
        try site.name("\(plain ? "http" : "https")://\(host):\(port)\(path)")
        do {
            try await body(site)
            await server.shutdown(within: .seconds(1))
        } catch {
            await server.shutdown(within: .seconds(1))
            throw error
        }
    }

    /// Writes the file that names the server.
    func name(_ url: String) throws {
        try PropertyList.text(["Server": .string(url)]).write(
            toFile: file, atomically: true, encoding: .utf8)
    }

    func locate(_ points: [NetworkInterface.AccessPoint] = points) async throws -> NetworkInterface.Locate.Reply {
        try await client.call(
            NetworkInterface.Locate.name, NetworkInterface.Locate.Parameters(accessPoints: points),
            returning: NetworkInterface.Locate.Reply.self)
    }

    func failure() async throws -> NetworkInterface.NoPosition {
        let error = try await #require(throws: VarlinkError.self) { _ = try await locate() }
        #expect(error.name == NetworkInterface.NoPosition.name)
        return try error.parameters(as: NetworkInterface.NoPosition.self)
    }
}

@Suite("The program that queries a positioning server", .timeLimit(.minutes(10)))
struct NetworkServiceTests {
    /// What the server prints of a request.
    private struct Request: Decodable {
        var path: String
        var headers: [String: String]
        var content: String
    }

    @Test("sends exactly what a dry run shows, over TLS, and passes the answer on")
    func answer() async throws {
        try await Site.with(path: "/ok?key=secret") { site in
            let reply = try await site.locate()
            #expect(reply == .init(latitude: 52.52, longitude: 13.405, accuracy: 100, server: "localhost:\(site.port)"))
            let line = try #require(try await site.positioning.output.receive())
            let request = try JSONDecoder().decode(Request.self, from: Data(line.utf8))
            let points = try Site.points.map {
                AccessPoint(
                    address: try #require(HardwareAddress($0.address)), signalStrength: $0.signalStrength,
                    frequency: $0.frequency, age: $0.age)
            }
            let shown = try #require(
                GeolocateRequest(
                    points, of: ServerAddress("https://localhost:\(site.port)/ok?key=secret"), version: serviceVersion))
            #expect(request.path == "/ok?key=secret")
            #expect(request.content == shown.body)
            #expect(Set(request.headers.keys) == ["Host", "Accept", "Content-Type", "User-Agent", "Content-Length"])
            #expect(
                shown.headers.allSatisfy {
                    $0 == "Content-Type: application/json" || $0 == "User-Agent: locationd/\(serviceVersion)"
                })
            #expect(request.headers["User-Agent"] == "locationd/\(serviceVersion)")
            // Neither a position, nor an access point, nor a key.
            #expect(!site.log.lines.contains { $0.contains("52.5") || $0.contains("a4:2b") || $0.contains("secret") })
        }
    }

    private static let failures: [(String, NetworkInterface.Reason, String)] = [
        ("/notfound", .notFound, "knows none of the access points"),
        ("/missing", .refused, "(HTTP status 404)"),
        ("/busy", .busy, "accepts no more requests for now (HTTP status 429)"),
        ("/page", .notAPosition, "such as a captive portal's page"),
        ("/huge", .tooLarge, "answered with more than 65536 bytes"),
        ("/endless", .tooLarge, "answered with more than 65536 bytes"),
        ("/redirect", .redirected, "answered with a redirection"),
        ("/fallback", .notAPosition, "not by Wi-Fi"),
        ("/lie", .notAPosition, "cannot be one by Wi-Fi"),
        ("/wide", .notAPosition, "cannot be one by Wi-Fi"),
    ]

    @Test("refuses an answer that cannot be a position by Wi-Fi, with a line in the log", arguments: failures)
    fileprivate func refusals(path: String, reason: NetworkInterface.Reason, message: String) async throws {
        try await Site.with(path: path) { site in
            let failure = try await site.failure()
            #expect(failure.reason == reason)
            #expect(failure.message.hasPrefix("localhost:\(site.port) ") && failure.message.contains(message))
            #expect(failure.server == "localhost:\(site.port)")
            #expect(failure.retryAfter == (path == "/busy" ? 120 : nil))
            #expect(site.log.lines.contains { $0.contains(message) })
            // The same again is logged once.
            _ = try await site.failure()
            #expect(site.log.lines.filter { $0.contains(message) }.count == 1)
        }
    }

    @Test("logs a failure again after an answer")
    func loggedAgain() async throws {
        try await Site.with(path: "/notfound") { site in
            _ = try await site.failure()
            try site.name("https://localhost:\(site.port)/ok")
            _ = try await site.locate()
            try site.name("https://localhost:\(site.port)/notfound")
            _ = try await site.failure()
            #expect(site.log.lines.filter { $0.contains("knows none of the access points") }.count == 2)
        }
    }

    @Test("follows no redirection")
    func redirection() async throws {
        try await Site.with(path: "/redirect") { site in
            _ = try await site.failure()
            try site.name("https://localhost:\(site.port)/ok")
            _ = try await site.locate()
            #expect(try await site.positioning.output.receive()?.contains(#""path": "/redirect""#) == true)
            #expect(try await site.positioning.output.receive()?.contains(#""path": "/ok""#) == true)
        }
    }

    @Test("abandons a server that does not answer")
    func timeout() async throws {
        try await Site.with(path: "/slow", timeout: .milliseconds(300)) { site in
            let failure = try await site.failure()
            #expect(failure.reason == .timeout)
            #expect(failure.message.contains("did not answer within"))
        }
    }

    @Test("ends the request with the connection of the caller")
    func cancellation() async throws {
        try await Site.with(path: "/slow", timeout: .seconds(600)) { site in
            let other = try await VarlinkClient.connect(to: site.client.path)
            let answer = Task {
                try await other.call(
                    NetworkInterface.Locate.name, NetworkInterface.Locate.Parameters(accessPoints: Site.points),
                    returning: NetworkInterface.Locate.Reply.self)
            }
            _ = try await site.positioning.output.receive()
            // One request at a time.
            #expect(try await site.failure().reason == .busy)
            let service = site.service
            try await ObservedLoops.wait(
                for: "the end of the request", on: site.eventLoop, after: { await other.close() },
                until: { !service.isBusy })
            await #expect(throws: VarlinkConnectionError.self) { _ = try await answer.value }
        }
    }

    @Test("trusts no certificate of an unknown authority, nor for another name, and sends nothing there")
    func certificates() async throws {
        try await Site.with(path: "/ok", authorities: nil) { site in
            let failure = try await site.failure()
            #expect(failure.reason == .untrusted)
        }
        try await Site.with(path: "/ok", host: "127.0.0.1") { site in
            let failure = try await site.failure()
            #expect(failure.reason == .untrusted)
            #expect(failure.message.contains("The certificate of 127.0.0.1:\(site.port) is not valid here"))
        }
    }

    @Test("uses a server of this machine without TLS, and no other")
    func plain() async throws {
        try await Site.with(path: "/ok", plain: true) { site in
            #expect(try await site.locate().accuracy == 100)
            try site.name("http://positioning.test:\(site.port)/ok")
            let failure = try await site.failure()
            #expect(failure.reason == .notConfigured)
            #expect(failure.message.contains("Server: This must begin with https://"))
        }
    }

    @Test("sends nothing while no server is named, or the file may be written by others")
    func configuration() async throws {
        try await Site.with(path: "/ok") { site in
            #expect(chmod(site.file, 0o666) == 0)
            var failure = try await site.failure()
            #expect(failure.reason == .notConfigured)
            #expect(failure.message.contains("can be written by others than its owner; run: chmod go-w"))
            #expect(failure.server == nil)
            #expect(unlink(site.file) == 0)
            failure = try await site.failure()
            #expect(failure.reason == .notConfigured)
            #expect(failure.message.contains("sudo locationctl sources enable wifi --server URL"))
            try site.name("https://localhost:\(site.port)/ok")
            _ = try await site.locate()
        }
    }

    @Test("reports that a server cannot be reached")
    func unreachable() async throws {
        try await Site.with(path: "/ok") { site in
            try site.name("https://localhost:1/ok")
            #expect(try await site.failure().message == "localhost:1 cannot be reached")
            try site.name("https://positioning.invalid/ok")
            #expect(try await site.failure().message == "The name of positioning.invalid cannot be resolved")
        }
    }

    @Test("refuses calls about one access point, or about addresses that may not be asked about")
    func parameters() async throws {
        try await Site.with(path: "/ok") { site in
            var moving = Site.points
            moving[1].address = "da:a1:19:00:00:03"
            var unreadable = Site.points
            unreadable[1].address = "x"
            for points in [[], [Site.points[0]], moving, unreadable, Site.points + Site.points] {
                await #expect(throws: VarlinkError.invalidParameter("accessPoints")) {
                    _ = try await site.locate(points)
                }
            }
        }
    }
}
