import LocationConfiguration
import LocationInterface
import LocationModel
import LocationPolicy
import LocationUsage
import NIOCore
import Varlink

// Why a client, or a running process, may or may not know: the rules in the order in which they are looked at.

extension Hub {
    /// Explains a client or a process to whoever may manage its user's decisions.
    func explain(_ call: ServerCall, _ session: Session) throws(VarlinkError) {
        let parameters = try call.parameters(as: ManagerInterface.Explain.Parameters.self)
        switch (parameters.client, parameters.processID) {
        case (let name?, nil):
            let user = try managedUser(parameters.userID, session)
            guard let declaration = registry.declarations[name] else {
                throw .locationd(ManagerInterface.NoSuchClient(client: name))
            }
            call.reply(explain(client(declaration, of: user), isInUse: nil, steps: []))
        case (nil, let number?):
            guard let processID = Int32(exactly: number), processID > 0 else { throw .invalidParameter("processID") }
            explain(call, session, processID)
        case (nil, nil): throw .invalidParameter("client")
        case (_?, _?): throw .invalidParameter("processID")
        }
    }

    private func explain(_ call: ServerCall, _ session: Session, _ processID: Int32) {
        identification.identify(processID: processID).assumeIsolated().whenComplete { result in
            self.assumeIsolated { hub in
                do throws(VarlinkError) {
                    guard case .success(let (peer, process)?) = result else {
                        throw .locationd(ManagerInterface.NoSuchProcess(processID: Int(processID)))
                    }
                    try hub.explain(call, session, peer, process)
                } catch {
                    call.fail(error)
                }
            }
        }
    }

    private func explain(
        _ call: ServerCall, _ session: Session, _ peer: PeerIdentity, _ process: WatchedProcess
    ) throws(VarlinkError) {
        _ = try managedUser(Int(peer.userID), session)
        let steps = recognitionSteps(peer)
        guard case .declared(let declaration) = registry.recognise(peer) else {
            call.reply(ManagerInterface.Explain.Reply(client: nil, status: nil, accuracy: nil, steps: steps))
            return
        }
        findUse(of: [process]) {
            self.assumeIsolated { hub in
                let isInUse = hub.usage?.isInUse(process) ?? false
                let client = hub.client(declaration, of: peer.userID)
                call.reply(hub.explain(client, isInUse: isInUse, steps: steps))
            }
        }
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
        let matching = registry.declarations.values.filter { $0.match.matches(peer) }
            .sorted { ($1.match.specificity, $0.identifier) < ($0.match.specificity, $1.identifier) }
        let rule = "Which declaration matches it?"
        switch registry.recognise(peer) {
        case .undeclared:
            return [
                who,
                ManagerInterface.Step(
                    rule: rule, found: "none of \(registry.declarations.count): it gets no location", isDecisive: true),
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

    private func explain(
        _ client: Client, isInUse: Bool?, steps: [ManagerInterface.Step]
    ) -> ManagerInterface.Explain.Reply {
        let now = client.authorization.authorization
        return ManagerInterface.Explain.Reply(
            client: client.key.client, status: now.status, accuracy: now.accuracy,
            steps: steps + authorizationSteps(client) + accuracySteps(client) + useSteps(client, isInUse))
    }

    /// From the strongest rule to the weakest: the first that says something decides.
    private func authorizationSteps(_ client: Client) -> [ManagerInterface.Step] {
        let declaration = client.declaration
        let policy = declaration.policy
        var steps: [ManagerInterface.Step] = []
        func add(_ rule: String, _ found: String, keyPath: String? = nil, decides: Bool) -> Bool {
            steps.append(
                ManagerInterface.Step(
                    rule: rule, found: found, file: keyPath == nil ? nil : declaration.file, keyPath: keyPath,
                    isDecisive: decides))
            return decides
        }
        if add(
            "Does a policy forbid it?", policy.isRestricted ? "yes" : "no", keyPath: "Policy.Restricted",
            decides: policy.isRestricted)
        {
            return steps
        }
        let isSystemOff = disabled.contains(nil)
        if add("Are location services on for this machine?", isSystemOff ? "no" : "yes", decides: isSystemOff) {
            return steps
        }
        let isUserOff = disabled.contains(client.key.userID)
        if add(
            "Are location services on for user \(client.key.userID)?", isUserOff ? "no" : "yes", decides: isUserOff)
        {
            return steps
        }
        let record = client.authorization.record
        if add("What did the user decide?", record.grant?.sentence ?? "nothing yet", decides: record.grant != nil) {
            return steps + ceilingSteps(client)
        }
        if client.authorization.endsWithUse, client.authorization.authorization.status == .authorizedWhenInUse,
            add("Was it allowed once?", "yes, until it is no longer in use", decides: true)
        {
            return steps
        }
        let preset = policy.presetAuthorization
        if add(
            "Is it allowed without asking?", preset?.rawValue ?? "no", keyPath: "Policy.PresetAuthorization",
            decides: preset != nil)
        {
            return steps + ceilingSteps(client)
        }
        _ = add("So the user is asked when it asks", "not determined", decides: true)
        return steps
    }

    private func ceilingSteps(_ client: Client) -> [ManagerInterface.Step] {
        guard client.declaration.policy.maximumAuthorization == .whenInUse else { return [] }
        return [
            ManagerInterface.Step(
                rule: "What may be granted at most?", found: "while in use", file: client.declaration.file,
                keyPath: "Policy.MaximumAuthorization")
        ]
    }

    private func accuracySteps(_ client: Client) -> [ManagerInterface.Step] {
        let declaration = client.declaration
        if declaration.policy.maximumAccuracy == .reduced {
            return [
                ManagerInterface.Step(
                    rule: "How exactly?", found: "roughly, at most", file: declaration.file,
                    keyPath: "Policy.MaximumAccuracy")
            ]
        }
        if let accuracy = client.authorization.record.accuracy {
            return [ManagerInterface.Step(rule: "How exactly?", found: "\(accuracy.rawValue), as the user decided")]
        }
        return [
            ManagerInterface.Step(
                rule: "How exactly?", found: client.authorization.authorization.accuracy.rawValue,
                file: declaration.isReducedAccuracyDefault ? declaration.file : nil,
                keyPath: declaration.isReducedAccuracyDefault ? "NSLocationDefaultAccuracyReduced" : nil)
        ]
    }

    /// Where it depends on use, whether the client is in use.
    private func useSteps(_ client: Client, _ isInUse: Bool?) -> [ManagerInterface.Step] {
        guard client.authorization.dependsOnUse else { return [] }
        let found: String =
            if let isInUse {
                isInUse ? "yes" : "no: its locations are held back"
            } else if client.sessions.isEmpty {
                "it is not connected"
            } else {
                client.sessions.values.contains { self.isInUse($0) } ? "yes" : "no: its locations are held back"
            }
        return [ManagerInterface.Step(rule: "Is it in use now?", found: found)]
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
