import ArgumentParser
import LocationClient
import LocationInterface

extension CompletionKind {
    /// The identifiers of the clients, from the service; none if it does not answer.
    static let clients = CompletionKind.custom { (words: [String], _: Int, _: String) async in
        let socket = words.firstIndex(of: "--socket").flatMap { words.dropFirst($0 + 1).first }
        // Errors are ignored, because they would garble the command line.
        return (try? await LocationServiceManager(socketPath: socket).clients().map(\.client)) ?? []
    }
}
