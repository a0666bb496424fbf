import LocationPolicy
import Varlink

/// The programs that no declaration by executable can recognise because the service does not see them: each is named once in
/// the log.
struct UnseenPrograms {
    /// More than these are not named: anybody can make up paths.
    private static let limit = 256

    private var named: Set<UnseenExecutable> = []

    /// The line for the log about a peer that was refused, unless its program has been named before.
    mutating func line(for peer: PeerIdentity) -> String? {
        guard let program = peer.unseenExecutable, named.count < Self.limit, named.insert(program).inserted else {
            return nil
        }
        return
            "Process \(peer.processID) of user \(peer.userID) runs \(LogText(program.path)), which \(program.reason)."
    }
}
