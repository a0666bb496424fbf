import DaemonTestSupport

@testable import Varlink

extension Peer {
    /// The latitude in the next message, if it has one.
    func nextLatitude() async throws -> Double? {
        try await next()["parameters"]?["location"]?["latitude"]?.number
    }
}
