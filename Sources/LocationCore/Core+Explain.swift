import LocationUsage
package import LinuxPlumbing
import LocationConfiguration
import LocationModel
package import LocationPolicy
import LocationSources

// Explanations of a client's or process's access: an evaluation in words, with the rules in the order of evaluation.

extension Core {
    /// Explains a client or a process to a manager of its user. The front end identifies the process.
    package func explain(
        client: String?, processID: Int?, of userID: Int?, _ connection: Connection,
        identify: (Int32, @escaping ((PeerIdentity, WatchedProcess)?) -> Void) -> Void,
        completion: @escaping (Result<Explanation, Refusal>) -> Void
    ) throws(Refusal) {
        switch (client, processID) {
        case (let name?, nil):
            let userID = try managedUser(userID, connection)
            guard let declaration = directory.declaration(named: name, of: table.users[userID]) else {
                throw .noSuchClient(name, among: directory.registry.declarations.keys)
            }
            let connections = directory.known(name, of: userID).map { Array($0.connections.values) } ?? []
            let processes = Dictionary(
                connections.map { (ObjectIdentifier($0.process), $0.process) }, uniquingKeysWith: { $1 })
            let shown = processes.values.sorted { $0.process.processID < $1.process.processID }.prefix(
                Self.processLimit)
            use.find(Array(shown)) { [self] in
                var reply = explanation(of: declaration, userID, Array(shown))
                reply.steps = frontEndSteps(connections) + reply.steps
                completion(.success(reply))
            }
        case (nil, let number?):
            guard let processID = Int32(exactly: number), processID > 0 else { throw .invalidParameter("processID") }
            // Callers without the right to manage learn nothing about processes.
            _ = try managedUser(nil, connection)
            identify(processID) { [self] identified in
                guard let (peer, process) = identified else {
                    return completion(.failure(.noSuchProcess(number)))
                }
                explain(peer, process, connection, completion: completion)
            }
        case (nil, nil): throw .invalidParameter("client")
        case (_?, _?): throw .invalidParameter("processID")
        }
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
        let steps = recognitionSteps(peer)
        guard case .declared(let declaration) = directory.registry.recognise(peer) else {
            return completion(
                .success(Explanation(steps: steps)))
        }
        let held = table.hold(process)
        use.find([held]) { [self] in
            var reply = explanation(of: declaration, peer.userID, [held])
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

    /// The evidence about a process, and the declarations it was compared with.
    private func recognitionSteps(_ peer: PeerIdentity) -> [Explanation.Step] {
        let evidence: [(String, String?)] = [
            ("executable", peer.executable), ("system unit", peer.systemdUnit), ("user unit", peer.userUnit),
            ("session", peer.session), ("Flatpak application", peer.flatpakID), ("security label", peer.securityLabel),
        ]
        let known = evidence.compactMap { name, value in value.map { "\(name) \($0)" } }
        let unverified = peer.unverifiedExecutable.map { "; it runs \($0.path), which \($0.reason)" } ?? ""
        let who = Explanation.Step(
            rule: "Who is process \(peer.processID)?",
            found: (["user \(peer.userID)"] + known).joined(separator: ", ") + unverified)
        let matching = directory.registry.declarations.values.filter { $0.match.matches(peer) }
            .sorted { ($1.match.specificity, $0.identifier) < ($0.match.specificity, $1.identifier) }
        let rule = "Which declaration matches it?"
        switch directory.registry.recognise(peer) {
        case .undeclared:
            return [
                who,
                Explanation.Step(
                    rule: rule, found: "none of \(directory.registry.declarations.count): it receives no location",
                    isDecisive: true),
            ]
        case .ambiguous(let declarations):
            let files = declarations.map(\.file).joined(separator: " and ")
            return [
                who,
                Explanation.Step(
                    rule: rule, found: "equally well \(files): it receives no location", isDecisive: true),
            ]
        case .declared(let declaration):
            return [who]
                + matching.map {
                    Explanation.Step(
                        rule: rule,
                        found: $0.identifier == declaration.identifier
                            ? "this one" : "this one too, with fewer criteria",
                        file: $0.file, keyPath: "Match")
                }
        }
    }

    /// An evaluation in words.
    ///
    /// - Parameter processes: The processes of the client; none if it is not connected.
    private func explanation(
        of declaration: ClientDeclaration, _ userID: UInt32, _ processes: [PeerProcess]
    ) -> Explanation {
        func evaluation(isInUse: Bool) -> AccessEvaluation {
            directory.evaluation(
                of: declaration, userID,
                AccessCircumstances(isInUse: isInUse, desktop: limit(of: processes.flatMap(\.connections.values))))
        }
        let now = evaluation(isInUse: processes.contains { $0.isInUse })
        // The rules about places and intervals count only while it is in use, and are named in any case.
        let inUse = now.access == .suspended ? evaluation(isInUse: true) : now
        return Explanation(
            client: declaration.identifier, authorization: now.authorization,
            steps: statusSteps(inUse, declaration, userID)
                + [accuracyStep(inUse, declaration, userID)] + ruleSteps(inUse, declaration, userID)
                + useSteps(now, declaration, processes)
                + watchSteps(ClientKey(userID: userID, client: declaration.identifier)) + sourceSteps(now))
    }

    /// The limit of the desktop that applies to all of these connections; `nil` if there is none.
    func limit(of connections: some Collection<Connection>) -> DesktopLimit? {
        guard let first = connections.first?.desktopLimit, connections.allSatisfy({ $0.desktopLimit != nil }) else {
            return nil
        }
        return first
    }

    /// The rules for the status, from the strongest to the one that decides.
    private func statusSteps(
        _ evaluation: AccessEvaluation, _ declaration: ClientDeclaration, _ userID: UInt32
    ) -> [Explanation.Step] {
        let decisive = evaluation.statusRule
        var steps: [Explanation.Step] = []
        /// Adds a rule unless it is weaker than the decisive one; `found` is the text for the decisive rule.
        func add(
            _ rule: AccessEvaluation.StatusRule, _ question: String, _ found: String, otherwise: String,
            keyPath: String? = nil
        ) {
            guard rule.rank <= decisive.rank else { return }
            let place = place(keyPath, in: declaration)
            let decides = rule.rank == decisive.rank
            let isDecisive = decides && evaluation.withholdingRule == nil
            steps.append(
                Explanation.Step(
                    rule: question, found: decides ? found : otherwise, file: place.file, keyPath: place.keyPath,
                    isDecisive: isDecisive))
        }
        add(.restriction, "Does a policy forbid it?", "yes", otherwise: "no", keyPath: "Policy.Restricted")
        add(.servicesOffForMachine, "Are location services on for this machine?", "no", otherwise: "yes")
        add(.servicesOffForUser, "Are location services on for user \(userID)?", "no", otherwise: "yes")
        if decisive == .servicesOffOnDesktop {
            add(.servicesOffOnDesktop, "Are they on in the settings of the desktop?", "no", otherwise: "yes")
        }
        if case .rule(let rule) = decisive {
            add(
                .rule(rule), "Does a rule forbid it now?", "yes: \(words(of: rule, declaration, userID))",
                otherwise: "no")
        }
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
        add(.undecided, "Has anybody decided?", "no: the user is asked when the program asks", otherwise: "")
        if let rule = evaluation.ceilingRule {
            steps.append(
                Explanation.Step(
                    rule: "What may be granted at most?",
                    found: "while in use, by \(words(of: rule, declaration, userID))"))
        } else if let ceiling = evaluation.ceilingToName(declaration.policy) {
            steps.append(
                Explanation.Step(
                    rule: "What may be granted at most?", found: ceiling, file: declaration.file,
                    keyPath: "Policy.MaximumAuthorization"))
        }
        return steps
    }

    /// A rule in words, with its identifier.
    private func words(of rule: AppliedRule, _ declaration: ClientDeclaration, _ userID: UInt32) -> String {
        let sentence = rules.rules(of: userID).sentence(of: rule.id, declaration).map { " (\($0))" } ?? ""
        return "rule \(rule.id)\(sentence)\(rule.isInDoubt ? ", which is in doubt" : "")"
    }

    /// The rules about the user's places, and about the time between two locations.
    private func ruleSteps(
        _ evaluation: AccessEvaluation, _ declaration: ClientDeclaration, _ userID: UInt32
    ) -> [Explanation.Step] {
        var steps: [Explanation.Step] = []
        if let rule = evaluation.withholdingRule {
            steps.append(
                Explanation.Step(
                    rule: "Does a rule withhold this location?", found: "yes: \(words(of: rule, declaration, userID))",
                    isDecisive: true))
        }
        if let interval = evaluation.interval {
            steps.append(
                Explanation.Step(
                    rule: "How often?",
                    found:
                        "every \(interval.value.components.seconds) s at most, by \(words(of: interval.rule, declaration, userID))"
                ))
        }
        return steps
    }

    private func accuracyStep(
        _ evaluation: AccessEvaluation, _ declaration: ClientDeclaration, _ userID: UInt32
    ) -> Explanation.Step {
        let accuracy = evaluation.authorization.accuracy.rawValue
        let (found, keyPath): (String, String?) =
            switch evaluation.accuracyRule {
            case .maximum: ("\(accuracy), at most", "Policy.MaximumAccuracy")
            case .rule(let rule): ("reduced, at most, by \(words(of: rule, declaration, userID))", nil)
            case .desktop: ("\(accuracy), at most, by the settings of the desktop", nil)
            case .temporaryFullAccuracy: ("\(accuracy), until it is no longer in use", nil)
            case .decision: ("\(accuracy), as the user decided", nil)
            case .reducedByDefault: (accuracy, "NSLocationDefaultAccuracyReduced")
            case .standard: (accuracy, nil)
            }
        let place = place(keyPath, in: declaration)
        return Explanation.Step(rule: "How exactly?", found: found, file: place.file, keyPath: place.keyPath)
    }

    /// The file and key path of a rule in a declaration; `nil` for an undeclared program.
    private func place(_ keyPath: String?, in declaration: ClientDeclaration) -> (file: String?, keyPath: String?) {
        keyPath == nil || declaration.file.isEmpty ? (nil, nil) : (declaration.file, keyPath)
    }

    /// The source of the locations that a client is given now; nothing for one that gets none, or approximate ones.
    private func sourceSteps(_ evaluation: AccessEvaluation) -> [Explanation.Step] {
        guard case .permitted(.full) = evaluation.access, let current = publisher.statuses.first(where: \.isCurrent)
        else {
            return []
        }
        return [Explanation.Step(rule: "Where do its locations come from now?", found: current.origin)]
    }

    /// The step about conditions and visits of a client; none if it has nothing watched.
    private func watchSteps(_ key: ClientKey) -> [Explanation.Step] {
        let (count, visits) = (publisher.conditions.conditionCount(of: key), publisher.conditions.watchesVisits(key))
        let subjects = [
            count == 0 ? nil : count == 1 ? "1 place" : "\(count) places", visits ? "visits" : nil,
        ].compactMap(\.self)
        guard !subjects.isEmpty else { return [] }
        let state =
            publisher.conditions.clients[key]?.standing == .unwatched
            ? "kept, but not watched now" : "watched now, even while it is not running"
        return [
            Explanation.Step(
                rule: "What is watched for it?", found: "\(subjects.joined(separator: " and ")): \(state)")
        ]
    }

    /// The maximum number of processes in an explanation.
    private static let processLimit = 16

    /// The use of each process if access depends on it: the evidence, and what would change it.
    private func useSteps(
        _ evaluation: AccessEvaluation, _ declaration: ClientDeclaration, _ processes: [PeerProcess]
    ) -> [Explanation.Step] {
        guard evaluation.dependsOnUse || evaluation.accuracyRule == .temporaryFullAccuracy else { return [] }
        guard !processes.isEmpty else {
            return [Explanation.Step(rule: "Is it in use now?", found: "it is not connected")]
        }
        return processes.map { process in
            let found =
                if process.isInUse {
                    process.monitor?.evidence(of: process.process)?.support ?? "yes"
                } else if let obstacle = process.obstacle {
                    "no: its locations are held back. \(obstacle.sentence(declaration.displayName))"
                } else {
                    "not yet: its locations are held back"
                }
            return Explanation.Step(rule: "Is process \(process.process.processID) in use now?", found: found)
        }
    }
}

extension SourceStatus {
    /// The origin of its locations.
    fileprivate var origin: String {
        switch kind {
        case .receiver:
            "the receiver \(receivers.first(where: \.isCurrent)?.device.map { "\($0), " } ?? "")through gpsd at \(endpoint)"
        case .modem: "the satellite receiver in a modem"
        case .wifi: "Wi-Fi access points nearby, by \(endpoint)"
        case .fixed: "the fixed position in \(endpoint)"
        }
    }
}

extension UsageEvidence {
    /// A sentence about the evidence of use.
    fileprivate var support: String {
        if isBackgroundActivityShown { return "yes: an agent shows you that it works in the background" }
        guard isInUse else {
            return "yes, for another five seconds at most: \(obstacle?.phrase ?? "the user is leaving it")"
        }
        let terminal = terminal == .foreground ? ", in the foreground of its terminal" : ""
        return switch place {
        case .session: "yes: its session is the one that is shown, and not locked\(terminal)"
        case .application, .background, .unknown:
            "yes: your session is the one that is shown, and not locked\(terminal)"
        }
    }
}

extension UseObstacle {
    /// A short clause about the obstacle, for a program that is in its grace period.
    fileprivate var phrase: String {
        switch self {
        case .noLogind: "systemd-logind is not running"
        case .noSession: "it has left its session"
        case .sessionNotOfPerson: "its session is a login screen or for background jobs"
        case .sessionClosing: "its session has ended"
        case .sessionLocked: "the screen is locked"
        case .sessionNotActive: "another session is shown"
        case .noDesktop: "no graphical session shows it"
        case .backgroundJob: "it has gone to the background of its terminal"
        }
    }
}

extension AccessEvaluation {
    /// The text of `MaximumAuthorization`, if it limits and a grant was evaluated.
    fileprivate func ceilingToName(_ policy: ClientPolicy) -> String? {
        switch statusRule {
        case .decision, .preset: policy.maximumAuthorization == .whenInUse ? "while in use" : nil
        case .restriction, .servicesOffForMachine, .servicesOffForUser, .servicesOffOnDesktop, .rule, .allowedOnce,
            .undecided:
            nil
        }
    }
}

extension AuthorizationRecord.Grant {
    /// The grant in words.
    fileprivate var sentence: String {
        switch self {
        case .denied: "don't allow"
        case .whenInUse: "allow while using"
        case .provisionalAlways: "allow while using, when it asked for always: to be confirmed"
        case .always: "allow always"
        }
    }
}
