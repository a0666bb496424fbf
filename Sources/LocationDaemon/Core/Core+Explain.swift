import LocationConfiguration
import LocationInterface
import LocationModel
import LocationPolicy
import LocationUsage

// Why a client, or a running process, may or may not know: an evaluation in words, the rules in the order in which they are
// looked at.

extension Core {
    /// Explains a client or a process to somebody who may manage its user's decisions. The door identifies the process.
    func explain(
        _ parameters: ManagerInterface.Explain.Parameters, _ connection: Connection,
        identify: (Int32, @escaping ((PeerIdentity, WatchedProcess)?) -> Void) -> Void,
        completion: @escaping (Result<ManagerInterface.Explain.Reply, Refusal>) -> Void
    ) throws(Refusal) {
        switch (parameters.client, parameters.processID) {
        case (let name?, nil):
            let userID = try managedUser(parameters.userID, connection)
            guard let declaration = directory.declaration(named: name, of: table.users[userID]) else {
                throw .error(ManagerInterface.NoSuchClient(client: name))
            }
            let connections = directory.known(name, of: userID).map { Array($0.connections.values) } ?? []
            let isInUse = connections.isEmpty ? nil : connections.contains { $0.process.isInUse }
            var reply = explanation(of: declaration, userID, isInUse: isInUse)
            reply.steps = doorSteps(connections) + reply.steps
            completion(.success(reply))
        case (nil, let number?):
            guard let processID = Int32(exactly: number), processID > 0 else { throw .invalidParameter("processID") }
            // Who may not manage anything is not told which processes there are.
            _ = try managedUser(nil, connection)
            identify(processID) { [self] identified in
                guard let (peer, process) = identified else {
                    return completion(.failure(.error(ManagerInterface.NoSuchProcess(processID: number))))
                }
                explain(peer, process, connection, completion: completion)
            }
        case (nil, nil): throw .invalidParameter("client")
        case (_?, _?): throw .invalidParameter("processID")
        }
    }

    private func explain(
        _ peer: PeerIdentity, _ process: WatchedProcess, _ connection: Connection,
        completion: @escaping (Result<ManagerInterface.Explain.Reply, Refusal>) -> Void
    ) {
        do throws(Refusal) {
            _ = try managedUser(Int(peer.userID), connection)
        } catch {
            return completion(.failure(error))
        }
        let steps = recognitionSteps(peer)
        guard case .declared(let declaration) = directory.registry.recognise(peer) else {
            return completion(
                .success(ManagerInterface.Explain.Reply(client: nil, status: nil, accuracy: nil, steps: steps)))
        }
        let held = table.hold(process)
        use.find([held]) { [self] in
            var reply = explanation(of: declaration, peer.userID, isInUse: held.isInUse)
            reply.steps = steps + doorSteps(Array(held.connections.values)) + reply.steps
            completion(.success(reply))
        }
    }

    /// By which doors connections came: nothing where there are none.
    private func doorSteps(_ connections: [Connection]) -> [ManagerInterface.Step] {
        let doors = Set(connections.map(\.door.name)).sorted()
        guard !doors.isEmpty else { return [] }
        return [ManagerInterface.Step(rule: "How does it ask?", found: "through \(doors.joined(separator: " and "))")]
    }

    /// What is known of a process, and which declarations it was held against.
    private func recognitionSteps(_ peer: PeerIdentity) -> [ManagerInterface.Step] {
        let evidence: [(String, String?)] = [
            ("executable", peer.executable), ("system unit", peer.systemdUnit), ("user unit", peer.userUnit),
            ("session", peer.session), ("Flatpak application", peer.flatpakID), ("security label", peer.securityLabel),
        ]
        let known = evidence.compactMap { name, value in value.map { "\(name) \($0)" } }
        let unseen = peer.unseenExecutable.map { "; it runs \($0.path), which \($0.reason)" } ?? ""
        let who = ManagerInterface.Step(
            rule: "Who is process \(peer.processID)?",
            found: (["user \(peer.userID)"] + known).joined(separator: ", ") + unseen)
        let matching = directory.registry.declarations.values.filter { $0.match.matches(peer) }
            .sorted { ($1.match.specificity, $0.identifier) < ($0.match.specificity, $1.identifier) }
        let rule = "Which declaration matches it?"
        switch directory.registry.recognise(peer) {
        case .undeclared:
            return [
                who,
                ManagerInterface.Step(
                    rule: rule, found: "none of \(directory.registry.declarations.count): it gets no location",
                    isDecisive: true),
            ]
        case .ambiguous(let declarations):
            let files = declarations.map(\.file).joined(separator: " and ")
            return [
                who,
                ManagerInterface.Step(
                    rule: rule, found: "equally well \(files): it gets no location", isDecisive: true),
            ]
        case .declared(let declaration):
            return [who]
                + matching.map {
                    ManagerInterface.Step(
                        rule: rule,
                        found: $0.identifier == declaration.identifier
                            ? "this one" : "this one too, with fewer criteria",
                        file: $0.file, keyPath: "Match")
                }
        }
    }

    /// An evaluation in words.
    ///
    /// - Parameter isInUse: whether the client is in use; `nil` if it is not connected.
    private func explanation(
        of declaration: ClientDeclaration, _ userID: UInt32, isInUse: Bool?
    ) -> ManagerInterface.Explain.Reply {
        let evaluation = directory.authorization(of: declaration, userID).evaluate(isInUse: isInUse ?? false)
        let now = evaluation.authorization
        return ManagerInterface.Explain.Reply(
            client: declaration.identifier, status: now.status, accuracy: now.accuracy,
            steps: statusSteps(evaluation, declaration, userID) + [accuracyStep(evaluation, declaration)]
                + useSteps(evaluation, isInUse))
    }

    /// The rules about the status up to the one that decides, from the strongest.
    private func statusSteps(
        _ evaluation: AccessEvaluation, _ declaration: ClientDeclaration, _ userID: UInt32
    ) -> [ManagerInterface.Step] {
        let decisive = evaluation.statusRule
        var steps: [ManagerInterface.Step] = []
        /// Adds a rule, if it is not weaker than the one that decides; `found` is what it says if it decides.
        func add(
            _ rule: AccessEvaluation.StatusRule, _ question: String, _ found: String, otherwise: String,
            keyPath: String? = nil
        ) {
            guard rule.rank <= decisive.rank else { return }
            let place = place(keyPath, in: declaration)
            let decides = rule.rank == decisive.rank
            steps.append(
                ManagerInterface.Step(
                    rule: question, found: decides ? found : otherwise, file: place.file, keyPath: place.keyPath,
                    isDecisive: decides))
        }
        add(.restriction, "Does a policy forbid it?", "yes", otherwise: "no", keyPath: "Policy.Restricted")
        add(.servicesOffForMachine, "Are location services on for this machine?", "no", otherwise: "yes")
        add(.servicesOffForUser, "Are location services on for user \(userID)?", "no", otherwise: "yes")
        let grant: AuthorizationRecord.Grant? = if case .decision(let grant) = decisive { grant } else { nil }
        add(
            .decision(grant ?? .denied), "What did the user decide?", grant?.sentence ?? "", otherwise: "nothing yet")
        if decisive == .allowedOnce {
            add(.allowedOnce, "Was it allowed once?", "yes, until it is no longer in use", otherwise: "no")
        }
        let preset: ClientPolicy.Level? = if case .preset(let level) = decisive { level } else { nil }
        add(
            .preset(preset ?? .whenInUse), "Is it allowed without asking?", preset?.rawValue ?? "", otherwise: "no",
            keyPath: "Policy.PresetAuthorization")
        add(.undecided, "So the user is asked when it asks", "not determined", otherwise: "")
        if let ceiling = evaluation.ceilingToName(declaration.policy) {
            steps.append(
                ManagerInterface.Step(
                    rule: "What may be granted at most?", found: ceiling, file: declaration.file,
                    keyPath: "Policy.MaximumAuthorization"))
        }
        return steps
    }

    private func accuracyStep(
        _ evaluation: AccessEvaluation, _ declaration: ClientDeclaration
    ) -> ManagerInterface.Step {
        let accuracy = evaluation.authorization.accuracy.rawValue
        let (found, keyPath): (String, String?) =
            switch evaluation.accuracyRule {
            case .maximum: ("roughly, at most", "Policy.MaximumAccuracy")
            case .temporaryFullAccuracy: ("\(accuracy), until it is no longer in use", nil)
            case .decision: ("\(accuracy), as the user decided", nil)
            case .reducedByDefault: (accuracy, "NSLocationDefaultAccuracyReduced")
            case .standard: (accuracy, nil)
            }
        let place = place(keyPath, in: declaration)
        return ManagerInterface.Step(rule: "How exactly?", found: found, file: place.file, keyPath: place.keyPath)
    }

    /// Where a declaration says something; nowhere for a program that is not declared.
    private func place(_ keyPath: String?, in declaration: ClientDeclaration) -> (file: String?, keyPath: String?) {
        keyPath == nil || declaration.file.isEmpty ? (nil, nil) : (declaration.file, keyPath)
    }

    /// Where it depends on use, whether the client is in use.
    private func useSteps(_ evaluation: AccessEvaluation, _ isInUse: Bool?) -> [ManagerInterface.Step] {
        guard evaluation.dependsOnUse || evaluation.accuracyRule == .temporaryFullAccuracy else { return [] }
        let found =
            switch isInUse {
            case true?: "yes"
            case false?: "no: its locations are held back"
            case nil: "it is not connected"
            }
        return [ManagerInterface.Step(rule: "Is it in use now?", found: found)]
    }
}

extension AccessEvaluation {
    /// The ceiling on what may be granted, where a grant was looked at.
    fileprivate func ceilingToName(_ policy: ClientPolicy) -> String? {
        switch statusRule {
        case .decision, .preset: policy.maximumAuthorization == .whenInUse ? "while in use" : nil
        case .restriction, .servicesOffForMachine, .servicesOffForUser, .allowedOnce, .undecided: nil
        }
    }
}

extension AuthorizationRecord.Grant {
    /// What it means to a person.
    fileprivate var sentence: String {
        switch self {
        case .denied: "don't allow"
        case .whenInUse: "allow while using"
        case .provisionalAlways: "allow while using, when it asked for always: to be confirmed"
        case .always: "allow always"
        }
    }
}
