import TextSupport
import LocationPolicy

/// The refused programs whose path could not be verified. Each is logged once.
struct UnverifiedPrograms {
    /// The largest number of logged programs. Limited because any user can make up paths.
    private static let limit = 256

    private var named: Set<UnverifiedExecutable> = []

    /// The log line about a refused peer, unless its program has been logged before.
    mutating func line(for peer: PeerIdentity) -> String? {
        guard let program = peer.unverifiedExecutable, named.count < Self.limit, named.insert(program).inserted else {
            return nil
        }
        return
            "Process \(peer.processID) of user \(peer.userID) runs \(LogText(program.path)), which \(program.reason)."
    }
}
