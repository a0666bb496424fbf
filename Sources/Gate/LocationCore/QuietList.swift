import LocationPolicy

extension Core {
    /// The number of quiet clients of one user.
    static let quietClientsPerUser = 256

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
            let count = quiet.count { $0.userID == userID }
            guard !isQuiet || quiet.contains(key) || count < Self.quietClientsPerUser else {
                throw .limitExceeded("QuietClientsPerUser", Self.quietClientsPerUser)
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
        if isQuiet { quiet.insert(key) } else { quiet.remove(key) }
        managers.note(.clients, of: key.userID)
        managers.note(.currentAccesses, of: key.userID)
    }
}
