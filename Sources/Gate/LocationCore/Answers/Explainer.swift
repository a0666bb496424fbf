import LinuxPlumbing
import LocationModel
import LocationPolicy
import LocationSources
import LocationUsage

/// Puts an evaluation of a client's access into words: the rules in the order of evaluation, each with its finding.
struct Explainer {
    let directory: ClientDirectory
    let rules: RuleDirectory
    let conditions: ConditionMonitor
    let quiet: Set<ClientKey>
    /// The status of each source.
    let statuses: [SourceStatus]
    /// Returns true if an agent of a user is running.
    let hasAgent: (UInt32) -> Bool

    /// The evidence about a process, and the declarations it was compared with.
    func recognitionSteps(_ peer: PeerIdentity) -> [Explanation.Step] {
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
        let none = { (found: String) in
            [who, Explanation.Step(rule: rule, found: found, isDecisive: true)]
        }
        switch directory.registry.recognise(peer) {
        case .undeclared:
            return none("none of \(directory.registry.declarations.count): it receives no location")
        case .ambiguous(let declarations):
            let files = declarations.map(\.file).joined(separator: " and ")
            return none("equally well \(files): it receives no location")
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
    func explanation(
        of declaration: ClientDeclaration, _ userID: UInt32, _ processes: [PeerProcess]
    ) -> Explanation {
        func evaluation(isInUse: Bool) -> AccessEvaluation {
            directory.evaluation(
                of: declaration, userID,
                AccessCircumstances(isInUse: isInUse, desktop: processes.flatMap(\.connections.values).desktopLimit))
        }
        let now = evaluation(isInUse: processes.contains { $0.isInUse })
        // The rules about places and intervals count only while it is in use, and are named in any case.
        let inUse = now.access == .suspended ? evaluation(isInUse: true) : now
        let key = ClientKey(userID: userID, client: declaration.identifier)
        return Explanation(
            client: declaration.identifier, authorization: now.authorization,
            steps: statusSteps(inUse, declaration, userID)
                + [accuracyStep(inUse, declaration, userID)] + ruleSteps(inUse, declaration, userID)
                + useSteps(now, declaration, processes) + [watchStep(key)].compactMap(\.self) + sourceSteps(now)
                + [recipientStep(declaration), quietStep(key)].compactMap(\.self))
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
        let end = directory.authorization(of: declaration, userID).record.ending.map {
            $0.time.isLogout ? ", until the user logs out" : ", until \(rules.localText($0.time))"
        }
        add(
            .decision(grant ?? .denied), "What did the user decide?", (grant?.sentence ?? "") + (end ?? ""),
            otherwise: "nothing yet")
        if decisive == .allowedOnce {
            add(.allowedOnce, "Was it allowed once?", "yes, until it is no longer in use", otherwise: "no")
        }
        if let reset = directory.reset(of: ClientKey(userID: userID, client: declaration.identifier)) {
            let command =
                "locationctl allow \(reset.level == .always ? "--always " : "")\(declaration.identifier)"
            steps.append(
                Explanation.Step(
                    rule: "Was its permission reset?",
                    found:
                        "yes, on \(rules.localText(reset.time)): it was not given a location for a long time (ResetUnusedAfter). To undo that, run: \(command)"
                ))
        }
        let preset: ClientPolicy.Level? = if case .preset(let level) = decisive { level } else { nil }
        add(
            .preset(preset ?? .whenInUse), "Is it allowed without asking?", preset?.rawValue ?? "", otherwise: "no",
            keyPath: "Policy.PresetAuthorization")
        add(
            .undecided, "Has anybody decided?",
            hasAgent(userID)
                ? "no: the user is asked when the program asks"
                : "no, and no agent is running that could ask the user. To show prompts in a terminal, run: locationctl agent",
            otherwise: "")
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
        let withholding = evaluation.withholdingRule.map {
            Explanation.Step(
                rule: "Does a rule withhold this location?", found: "yes: \(words(of: $0, declaration, userID))",
                isDecisive: true)
        }
        let pace = evaluation.interval.map {
            let rule = words(of: $0.rule, declaration, userID)
            return Explanation.Step(
                rule: "How often?", found: "every \($0.value.components.seconds) s at most, by \(rule)")
        }
        return [withholding, pace].compactMap(\.self)
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
        guard evaluation.view.release == .full, let current = statuses.first(where: \.isCurrent) else { return [] }
        let doubts = current.receivers.filter(\.isCurrent).flatMap(\.doubts).map(\.sentence)
        return [Explanation.Step(rule: "Where do its locations come from now?", found: current.origin)]
            + doubts.map { Explanation.Step(rule: "Is the receiver to be trusted?", found: "doubtful: \($0)") }
    }

    /// The step that names those to whom a client passes the location on; none if its declaration does not state it.
    private func recipientStep(_ declaration: ClientDeclaration) -> Explanation.Step? {
        guard !declaration.recipients.isEmpty else { return nil }
        let place = place("Recipients", in: declaration)
        return Explanation.Step(
            rule: "Who receives the location from it?",
            found: "as its declaration states, \(declaration.recipients.joined(separator: ", "))",
            file: place.file, keyPath: place.keyPath)
    }

    /// The step about the quiet list; none for a client that is not on it.
    private func quietStep(_ key: ClientKey) -> Explanation.Step? {
        guard quiet.contains(key) else { return nil }
        return Explanation.Step(
            rule: "Does it light the indicator?", found: "no: user \(key.userID) has put it on the quiet list")
    }

    /// The step about conditions and visits of a client; none if it has nothing watched.
    private func watchStep(_ key: ClientKey) -> Explanation.Step? {
        let (count, visits) = (conditions.conditionCount(of: key), conditions.watchesVisits(key))
        let subjects = [
            count == 0 ? nil : count == 1 ? "1 geofence" : "\(count) geofences", visits ? "visits" : nil,
        ].compactMap(\.self)
        guard !subjects.isEmpty else { return nil }
        let state =
            conditions.clients[key]?.standing == .unwatched
            ? "kept, but not watched now" : "watched now, even while it is not running"
        return Explanation.Step(
            rule: "What is watched for it?", found: "\(subjects.joined(separator: " and ")): \(state)")
    }

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
        case .unknown(let kind): "\(kind) at \(endpoint)"
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
