package import LinuxPlumbing
package import LocationPolicy

// Explanations of a client's or process's access.

extension Core {
    /// The maximum number of processes in an explanation.
    private static let processLimit = 16

    private var explainer: Explainer {
        Explainer(
            directory: directory, rules: rules, conditions: publisher.conditions, quiet: quiet,
            statuses: publisher.statuses
        ) { [table] in (table.users[$0]?.promptAssignment.agentCount ?? 0) > 0 }
    }

    /// Explains a client or a process to a manager of its user. The front end identifies the process.
    package func explain(
        client: String?, processID: Int?, of userID: Int?, _ connection: Connection,
        identify: (Int32, @escaping ((PeerIdentity, WatchedProcess)?) -> Void) -> Void,
        completion: @escaping (Result<Explanation, Refusal>) -> Void
    ) throws(Refusal) {
        try queue.answer { () throws(Refusal) in
            switch (client, processID) {
            case (let name?, nil):
                let userID = try managedUser(userID, connection)
                let identifier = directory.identifier(named: name, of: userID)
                let program = program(named: identifier, of: userID)
                if let program, program.declaration == nil {
                    return completion(.success(Explanation(steps: program.steps)))
                }
                guard
                    let declaration =
                        program?.declaration ?? directory.declaration(named: identifier, of: table.users[userID])
                else {
                    throw .noSuchClient(name, among: directory.registry.declarations.keys)
                }
                let connections =
                    directory.known(declaration.identifier, of: userID).map { Array($0.connections.values) } ?? []
                let processes = Set(connections.map(\.process)).sorted { $0.process.processID < $1.process.processID }
                let shown = Array(processes.prefix(Self.processLimit))
                use.find(shown) { [self] in
                    var reply = explainer.explanation(of: declaration, userID, shown)
                    reply.steps = (program?.steps ?? []) + frontEndSteps(connections) + reply.steps
                    completion(.success(reply))
                }
            case (nil, let number?):
                guard let processID = Int32(exactly: number), processID > 0 else {
                    throw .invalidParameter("processID")
                }
                // Callers without the right to manage learn nothing about processes.
                _ = try managedUser(nil, connection)
                identify(processID) { [self] identified in
                    queue.take { [self] in
                        guard let (peer, process) = identified else {
                            return completion(.failure(.noSuchProcess(number)))
                        }
                        explain(peer, process, connection, completion: completion)
                    }
                }
            case (nil, nil): throw .invalidParameter("client")
            case (_?, _?): throw .invalidParameter("processID")
            }
        }
    }

    /// The program at a path; `nil` for another name, and for an undeclared program that has asked or was decided about.
    private func program(named name: String, of userID: UInt32) -> NamedProgram? {
        guard case .executable(let path)? = UndeclaredProgram(identifier: name)?.evidence else { return nil }
        let serving = frontEnds.compactMap(\.status).filter { $0.kind.servesUndeclared && $0.problem == nil }
        let program = NamedProgram(
            path, of: userID, in: directory.registry, servedUndeclaredBy: serving.map(\.kind.name))
        let key = ClientKey(userID: userID, client: name)
        let hasAsked = directory.known(name, of: userID) != nil || directory.record(of: key) != nil
        return program.declaration == nil && hasAsked ? nil : program
    }

    private func explain(
        _ peer: PeerIdentity, _ process: WatchedProcess, _ connection: Connection,
        completion: @escaping (Result<Explanation, Refusal>) -> Void
    ) {
        do throws(Refusal) {
            _ = try managedUser(Int(peer.userID), connection)
        } catch {
            return completion(.failure(error))
        }
        let steps = explainer.recognitionSteps(peer)
        guard case .declared(let declaration) = directory.registry.recognise(peer) else {
            return completion(
                .success(Explanation(steps: steps)))
        }
        let held = table.hold(process)
        use.find([held]) { [self] in
            var reply = explainer.explanation(of: declaration, peer.userID, [held])
            reply.steps = steps + frontEndSteps(Array(held.connections.values)) + reply.steps
            completion(.success(reply))
        }
    }

    /// The step that names the front ends of these connections; none without connections.
    private func frontEndSteps(_ connections: [Connection]) -> [Explanation.Step] {
        let frontEnds = Set(connections.map(\.frontEnd.name)).sorted()
        guard !frontEnds.isEmpty else { return [] }
        return [
            Explanation.Step(rule: "How does it ask?", found: "through \(frontEnds.joined(separator: " and "))")
        ]
    }
}
