import FoundationEssentials
import LocationSharing
import SharingProgram
import TestSupport
import Testing

/// A user with a location service, a server and the program.
struct SharingSite {
    let daemon: DaemonProcess
    let server: Webhooks
    let directory: ShareDirectory
    let home: TemporaryDirectory

    private var environment: [String: String] {
        ["LOCATIOND_SOCKET": daemon.site.socket, "XDG_STATE_HOME": home.path]
    }

    /// Runs `body` with a user who has added Home Assistant as the destination `home` and allowed sharing.
    ///
    /// - Parameter mode: how its webhook answers.
    static func with(
        _ mode: String = "known", home: TemporaryDirectory? = nil, _ body: (SharingSite) async throws -> Void
    ) async throws {
        try await with(.homeassistant, "/api/webhook/\(mode)", home: home, body)
    }

    /// Runs `body` with a user who has added a service as the destination `home` and allowed sharing.
    ///
    /// - Parameters:
    ///   - access: the path of its URL, and in a second line the key.
    ///   - home: the user's directory; `nil` for another one.
    static func with(
        _ service: SharingService, _ access: String, home: TemporaryDirectory? = nil,
        _ body: (SharingSite) async throws -> Void
    ) async throws {
        let site = try DaemonSite()
        try site.declare(
            "org.locationd.share", executable: Products.locationdShare, policy: [:],
            ["NSLocationAlwaysAndWhenInUseUsageDescription": "For a test."])
        let home = try home ?? TemporaryDirectory()
        let user = SharingSite(
            daemon: try await site.start(), server: try await Webhooks(),
            directory: ShareDirectory(path: home.path + "/locationd/share"), home: home)
        try await user.add("home", service, access, device: "van")
        #expect(try await site.locationctl("allow", "--always", "org.locationd.share").code == 0)
        try await body(user)
        #expect(try await user.daemon.stop().code == 0)
    }

    /// Adds a service as another destination.
    func add(_ name: String, _ service: SharingService, _ access: String, device: String) async throws {
        let file = home.path + "/url"
        try "https://localhost:\(server.port)\(access)\n".write(toFile: file, atomically: true, encoding: .utf8)
        try await share(
            "add", name, service.rawValue, "--url-file", file, "--ca", Webhooks.authority, "--user-name", "ann",
            "--device", device)
    }

    /// Runs a command that succeeds, and returns what it printed.
    @discardableResult
    func share(_ arguments: String...) async throws -> String {
        let result = try await attempt(arguments)
        #expect(result.code == 0, "\(arguments): \(result.errors)")
        return result.output
    }

    func attempt(
        _ arguments: [String], environment additions: [String: String] = [:]
    ) async throws -> ChildProcess.Result {
        try await ChildProcess.run(
            [Products.locationdShare] + arguments, environment: environment.merging(additions) { $1 })
    }

    /// Runs a command of `locationctl` that succeeds, and returns what it said beside its output.
    @discardableResult
    func control(_ arguments: [String]) async throws -> String {
        let result = try await ChildProcess.run([Products.locationctl] + arguments, environment: environment)
        #expect(result.code == 0, "\(arguments): \(result.errors)")
        return result.errors
    }

    /// Starts the program that sends.
    ///
    /// - Parameters:
    ///   - bus: the address of the session's bus; by default a session without one.
    ///   - additions: other variables of its environment.
    func run(bus: String = "unix:path=/none", environment additions: [String: String] = [:]) async throws
        -> ChildProcess
    {
        let variables = additions.merging(["DBUS_SESSION_BUS_ADDRESS": bus]) { $1 }
        return try await ChildProcess(
            [Products.locationdShare, "run"], environment: environment.merging(variables) { $1 })
    }

    /// The next message of a device with a position, or without one.
    func message(_ device: String, isEnd: Bool) async throws -> Webhooks.Request {
        while true {
            let request = try await server.request()
            if request.headers["X-Limit-D"] == device, (request.content.lat == nil) == isEnd { return request }
        }
    }

    /// The next message with the end. Positions before it are passed over.
    func end() async throws {
        while try await server.request().content.lat != nil { continue }
    }
}
