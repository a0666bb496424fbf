import LocationPolicy

/// The clients that their users trust to have the location all the time, and that therefore light no indicator. They are listed like
/// any other. Neither a declaration nor a program can put one there.
///
/// Confined to the event loop.
final class QuietList {
    /// The number of clients on the list of one user.
    static let clientsPerUser = 256

    private var clients: [UInt32: Set<String>]

    init(_ clients: [UInt32: Set<String>]) { self.clients = clients }

    /// The number of a user's clients on it.
    func count(of userID: UInt32) -> Int { clients[userID]?.count ?? 0 }

    /// True if the client is on it.
    func contains(_ key: ClientKey) -> Bool { clients[key.userID]?.contains(key.client) ?? false }

    /// Puts a client on it, or takes it off.
    func set(_ isQuiet: Bool, _ key: ClientKey) {
        if isQuiet {
            clients[key.userID, default: []].insert(key.client)
        } else {
            clients[key.userID]?.remove(key.client)
            if clients[key.userID]?.isEmpty == true { clients[key.userID] = nil }
        }
    }

    /// Takes over the content of a database that took the place of the open one.
    func adopt(_ clients: [UInt32: Set<String>]) { self.clients = clients }
}

extension Core {
    /// Puts a client on its user's quiet list, or takes it off, for a manager; calls `completion` once that is saved.
    package func setQuiet(
        _ isQuiet: Bool, _ name: String, of userID: Int?, _ connection: Connection,
        completion: @escaping (Refusal?) -> Void
    ) throws(Refusal) {
        try queue.answer { () throws(Refusal) in
            let userID = try managedUser(userID, connection)
            let key = ClientKey(userID: userID, client: directory.identifier(named: name, of: userID))
            guard quiet.contains(key) || directory.declarationForDecision(about: key.client, userID) != nil else {
                throw .noSuchClient(name, among: directory.registry.declarations.keys)
            }
            guard !isQuiet || quiet.contains(key) || quiet.count(of: userID) < QuietList.clientsPerUser else {
                throw .limitExceeded("QuietClientsPerUser", QuietList.clientsPerUser)
            }
            setQuiet(isQuiet, key, by: connection.peer.userID, completion: completion)
        }
    }

    func setQuiet(_ isQuiet: Bool, _ key: ClientKey, by decider: UInt32, completion: @escaping (Refusal?) -> Void) {
        // Its indicator is lit again at once, even if that is not saved.
        if !isQuiet { apply(isQuiet, key) }
        queue.take(disk.setQuiet(isQuiet, key, by: decider)) { [self] result in
            switch result {
            case .success:
                if isQuiet { apply(isQuiet, key) }
                completion(nil)
            case .failure(let error):
                completion(.notSaved(Unsaved(reason: error, isInForce: !isQuiet)))
            }
        }
    }

    private func apply(_ isQuiet: Bool, _ key: ClientKey) {
        guard quiet.contains(key) != isQuiet else { return }
        quiet.set(isQuiet, key)
        managers.note(.clients, of: key.userID)
        managers.note(.currentAccesses, of: key.userID)
    }
}
