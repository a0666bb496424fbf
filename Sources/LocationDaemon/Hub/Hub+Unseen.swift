import LocationPolicy
import Logging
import Varlink

// Programs that no declaration by executable can recognise, because the service does not see them.

extension Hub {
    /// More than these are not told of: anybody can make up paths.
    private static let mostToldOf = 256

    /// Says once in the log that a program was refused which the service does not see.
    func noteUnseen(_ peer: PeerIdentity) {
        guard let program = peer.unseenExecutable, toldOfUnseen.count < Self.mostToldOf,
            toldOfUnseen.insert(program).inserted
        else { return }
        logger.notice(
            "Process \(peer.processID) of user \(peer.userID) runs \(LogText(program.path)), which \(program.reason).",
            metadata: ["uid": "\(peer.userID)"])
    }
}
