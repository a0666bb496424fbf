import LocationPolicy
import Varlink

/// The programs that could not be verified by their path, each of which is logged once.
struct UnseenPrograms {
    /// The largest number of programs that are logged, because anybody can make up paths.
    private static let limit = 256

    private var named: Set<UnseenExecutable> = []

    /// The log line about a refused peer, unless its program has been logged before.
    mutating func line(for peer: PeerIdentity) -> String? {
        guard let program = peer.unseenExecutable, named.count < Self.limit, named.insert(program).inserted else {
            return nil
        }
        return
            "Process \(peer.processID) of user \(peer.userID) runs \(LogText(program.path)), which \(program.reason)."
    }
}
