import ArgumentParser
import LocationClient

extension CompletionKind {
    /// The identifiers of the clients, asked of the service; none where it does not answer.
    static let clients = CompletionKind.custom { (words: [String], _: Int, _: String) async in
        let socket = words.firstIndex(of: "--socket").flatMap { words.dropFirst($0 + 1).first }
        // Somebody presses Tab: there is no place for an error.
        return (try? await LocationServiceManager(socketPath: socket).clients().map(\.client)) ?? []
    }
}
