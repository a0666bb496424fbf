import FoundationEssentials
import LocationSharing
import TestSupport
import Testing

/// A server that answers as Home Assistant's webhooks do.
struct Webhooks {
    /// A request as the server prints it.
    struct Request: Decodable {
        struct Content: Decodable {
            var _type: String
            var lat: Double?
            var lon: Double?
            var acc: Double?
        }

        var path: String
        var headers: [String: String]
        var content: Content
    }

    static let directory = String(#filePath.dropLast("Webhooks.swift".count)) + "Server"
    static let authority = directory + "/../../NetworkPositioningTests/Server/authority.pem"
    /// The key of the server's certificate.
    static let pin = "sha256//8SrYzujzIAoX/GdhwIloSnoU9Tg+JkUshAOSJZEVwX4="

    let process: ChildProcess
    let port: Int

    /// Starts it, with TLS unless it is `plain`.
    init(plain: Bool = false) async throws {
        process = try await ChildProcess(
            ["/usr/bin/env", "python3", Self.directory + "/webhooks"] + (plain ? ["--plain"] : []))
        port = try #require(Int(try await process.output.receive() ?? ""))
    }

    /// The next request.
    func request() async throws -> Request {
        let line = try #require(try await process.output.receive())
        return try JSONDecoder().decode(Request.self, from: Data(line.utf8))
    }
}
