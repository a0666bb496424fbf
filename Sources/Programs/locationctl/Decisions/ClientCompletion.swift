import ArgumentParser
import LocationInterface
import LocationServiceManagement

extension CompletionKind {
    /// The words for a client, from the service; none if it does not answer.
    static let clients = list { try await $0.clients().flatMap(\.words) }

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

extension ManagerInterface.Client {
    /// The words by which a command line names it: its identifier; for an undeclared program its name, too, and no identifier
    /// with a colon, at which bash ends a word.
    var words: [String] {
        if client.contains(":") { return [displayName] }
        return client.hasPrefix("/") ? [displayName, client] : [client]
    }
}
