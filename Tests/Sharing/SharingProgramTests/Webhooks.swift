import FoundationEssentials
import LocationSharing
import TestSupport
import Testing

/// A server that answers as Home Assistant's webhooks do.
struct Webhooks {
    /// A request as the server prints it.
    struct Request: Decodable {
        struct Content: Decodable {
            struct Place: Decodable { var timestamp: String }
            struct Feature: Decodable { var properties: Place }

            var _type: String?
            var location: Place?
            var locations: [Feature]?
            var lat: Double?
            var lon: Double?
            var acc: Double?
            /// The time until the caller hung up, in seconds; `nil` for a message.
            var held: Double?
        }

        var path: String
        var headers: [String: String]
        var content: Content

        /// The times of the positions in a message for Traccar, or in a batch.
        var times: [String] {
            content.location.map { [$0.timestamp] } ?? content.locations?.map(\.properties.timestamp) ?? []
        }
    }

    static let directory = String(#filePath.dropLast("Webhooks.swift".count)) + "Server"
    static let authority = directory + "/../../../Programs/NetworkPositioningTests/Server/authority.pem"
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
