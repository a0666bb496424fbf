import ArgumentParser
import LocationClient
import LocationInterface

extension CompletionKind {
    /// The identifiers of the clients, from the service; none if it does not answer.
    static let clients = list { try await $0.clients().map(\.client) }

    /// Words from the service; none if it does not answer.
    static func list(
        _ words: @escaping @Sendable (LocationServiceManager) async throws -> [String]
    ) -> CompletionKind {
        Self.words { try await words(LocationServiceManager(socketPath: $0)) }
    }

    /// Words from the service at a socket, `nil` for the usual one; none if it does not answer.
    static func words(_ words: @escaping @Sendable (String?) async throws -> [String]) -> CompletionKind {
        .custom { (line: [String], _: Int, _: String) async in
            let socket = line.firstIndex(of: "--socket").flatMap { line.dropFirst($0 + 1).first }
            // Errors are ignored, because they would garble the command line.
            return (try? await words(socket)) ?? []
        }
    }
}
