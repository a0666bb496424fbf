import ArgumentParser
import CommandLineSupport
import LinuxPlumbing
import LocationConfiguration
import LocationInterface
import NIOCore
import NIOPosix
import WiFiPositioning
import WiFiScanning

struct SourcesWiFi: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wifi",
        abstract: "Show what a positioning server would be sent.",
        discussion: """
            Prints the request that the service would send now, and sends nothing. With --server it shows a request to a server \
            that is not named yet.
            """)

    @Flag(help: "Show the request without sending it. Only the service sends requests.")
    var dryRun = false

    @Option(help: ArgumentHelp("The URL of the server.", valueName: "url"))
    var server: String?

    @OptionGroup var output: OutputOptions

    /// The result of the command.
    private struct Request: Encodable {
        /// The URL; `nil` while no server is named.
        var url: String?
        var headers: [String]
        /// The body; `nil` if nothing would be sent.
        var body: String?
    }

    func validate() throws {
        guard dryRun else { throw ValidationError("Only the service sends requests. To see one, add --dry-run.") }
        if let server { _ = try ServerAddress(option: server) }
    }

    func run() async throws {
        let named = try server.map { try ServerAddress(option: $0) } ?? configuredServer()
        let scan: WiFiScan
        do {
            scan = try await Self.scan()
        } catch {
            Terminal.complain("\(error).")
            throw Exit.failure
        }
        let selection = AccessPointSelection(scan.points, at: BootClock.now())
        // The same bytes go to whatever server.
        let address = try named ?? ServerAddress(option: "https://server.invalid/")
        guard let request = GeolocateRequest(selection.points, of: address, version: serviceVersion) else {
            try output.say(Request(url: named?.url, headers: [])) {
                ["Nothing would be sent: it takes two access points that a server may be asked about."]
            }
            return Terminal.complain(Self.summary(scan, selection))
        }
        try output.say(Request(url: named?.url, headers: request.headers, body: request.body)) {
            [named.map { "POST \($0.url)" } ?? "POST to nobody: no server is named"] + request.headers + [
                "", request.body,
            ]
        }
        Terminal.complain(["Nothing was sent."] + Self.summary(scan, selection))
    }

    private func configuredServer() throws -> ServerAddress? {
        do throws(InvalidConfiguration) {
            return try NetworkConfiguration.load(file: NetworkConfiguration.defaultFile)?.server
        } catch {
            Terminal.complain(error.problems.map(\.description))
            throw Exit.configuration
        }
    }

    private static func summary(_ scan: WiFiScan, _ selection: AccessPointSelection) -> [String] {
        let omitted = AccessPointSelection.Omission.allCases.compactMap { omission in
            selection.omitted[omission].map { "\($0) \(omission.rawValue)" }
        }
        let reasons = omitted.isEmpty ? "" : ": " + omitted.joined(separator: ", ")
        return [
            "NetworkManager knows \(scan.points.count) access points, of which \(omitted.isEmpty ? "none" : "some") are left out\(reasons)."
        ]
    }

    /// Returns the access points that NetworkManager lists now.
    static func scan() async throws -> WiFiScan {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let promise = loop.makePromise(of: Result<WiFiScan, WiFiFailure>.self)
        let scanner = try await loop.submit {
            let scanner = NetworkManagerScanner(on: SystemBus(eventLoop: loop))
            scanner.open { event in
                switch event {
                case .available: scanner.read { promise.succeed($0) }
                case .unavailable(let failure): promise.succeed(.failure(failure))
                case .scanned: break
                }
            }
            return NIOLoopBound(scanner, eventLoop: loop)
        }.get()
        let result = try await promise.futureResult.get()
        try await loop.submit { scanner.value.close() }.get()
        return try result.get()
    }
}
