import LocationModel
package import LocationPolicy
import LocationUsage
import Logging
import NIOCore

// Decisions that end when their user logs out.

extension Core {
    /// Makes a decision to allow a client until its user logs out; calls `completion` once that is saved.
    package func allowUntilLogout(
        _ level: ClientPolicy.Level, _ name: String, _ userID: Int?, _ connection: Connection,
        completion: @escaping (Result<DecisionReport, Refusal>) -> Void
    ) throws(Refusal) {
        try queue.answer { () throws(Refusal) in
            let sessions = rules.sessions(try managedUser(userID, connection))
            // The session of a desktop is likely to outlive one in a terminal.
            guard let session = sessions.first(where: \.isGraphical) ?? sessions.first else {
                throw .invalidParameter("untilLogout")
            }
            let decision = ClientAuthorization.Decision.allow(level, until: .logout(session: session.number))
            try make(decision, name, userID, connection, manner: .command) { [self] in
                // The user may have logged out while it was saved.
                endDecisionsAtLogout()
                completion($0)
            }
        }
    }

    /// Ends permissions until a logout of users who are no longer logged in. While that is in doubt it continues.
    func endDecisionsAtLogout() {
        for key in directory.untilLogout where rules.isLoggedIn(key.userID) == false { endAtLogout(key) }
    }

    /// Ends permissions until a logout unless the session of the decision still exists: while the service was not running,
    /// the user may have logged out and in again. Without logind all of it ends.
    func endDecisionsOfEarlierLogins() {
        for key in directory.untilLogout {
            let ends = rules.sessions(key.userID).map { Timestamp.logout(session: $0.number) }
            guard let end = directory.record(of: key)?.ending?.time, !ends.contains(end) else { continue }
            endAtLogout(key)
        }
    }

    private func endAtLogout(_ key: ClientKey) {
        guard let record = directory.record(of: key), let end = record.ending?.time, end.isLogout else { return }
        if let declaration = directory.declaration(named: key.client, of: table.users[key.userID]) {
            let client = directory.client(declaration, of: table.user(key.userID))
            authorizer.end(client, at: end, now: rules.now)
            return directory.discardIfUnused(client)
        }
        // A former client has no state in memory. If it is declared again, the decision has ended nevertheless.
        let ended = record.current(at: end)
        let origin = DecisionOrigin(userID: key.userID, manner: .end, timestamp: rules.now)
        directory.note(ended, of: key, by: origin)
        disk.save(ended, for: key, origin: origin).whenFailure { [logger] error in
            logger.error("The end of a decision about \(key.client) of user \(key.userID) could not be saved: \(error)")
        }
    }
}
