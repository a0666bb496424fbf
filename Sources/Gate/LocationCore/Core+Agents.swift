import LocationUsage
import LocationConfiguration
package import LocationModel
package import LocationPolicy

// Agents: programs that show prompts and background activities to a user, and answer prompts.

/// The prompts that a program registers to show.
package enum AgentScope {
    /// Everything.
    case everything
    /// The first prompt of an installed application: a desktop's own dialog has a form for no other.
    case applications
    /// The prompts of its own program, while there is no other agent.
    case own
}

extension Core {
    /// The number of full agents of one user. Each is notified of each change.
    private static let agentsPerUser = 16

    /// True if a program may decide on behalf of its user: a listed executable outside any sandbox, or root's.
    package func isTrusted(_ peer: PeerIdentity) -> Bool {
        if peer.userID == 0 { return true }
        guard let executable = peer.recognisedExecutable, sandbox(of: peer) == nil else { return false }
        return configuration.daemon.agents.contains { $0.utf8.elementsEqual(executable.utf8) }
    }

    /// The sandbox of a program, if there is one: a client must not decide about itself by running a listed program
    /// within its own sandbox.
    private func sandbox(of peer: PeerIdentity) -> String? {
        if let application = peer.flatpakID { return "the sandbox of \(application)" }
        guard let label = peer.securityLabel,
            let client = directory.registry.declarations.values.first(where: {
                $0.match.securityLabel?.utf8.elementsEqual(label.utf8) == true
            })
        else { return nil }
        return "the sandbox of \(client.identifier)"
    }

    private func requireAgent(_ peer: PeerIdentity) throws(Refusal) {
        guard isTrusted(peer) else { throw .notAnAgent(message: notListed(peer)) }
    }

    /// The reason why a program may neither answer nor decide.
    func notListed(_ peer: PeerIdentity) -> String {
        if let replaced = peer.replacedExecutable { return Refusal.startAgain(replaced) }
        let program = peer.executable ?? "Process \(peer.processID), whose program could not be identified,"
        if let sandbox = sandbox(of: peer) {
            return "\(program) runs in \(sandbox), and a sandboxed program may not decide for its user."
        }
        return "\(program) is not among Agents in the service's property list, the programs that may decide for their "
            + "user."
    }

    /// Registers an agent. Returns the function that removes it.
    package func registerAgent(
        _ presenter: any PromptPresenter, _ scope: AgentScope, _ connection: Connection
    ) throws(Refusal) -> () -> Void {
        try queue.answer { () throws(Refusal) in
            try requireAgent(connection.peer)
            let user = connection.user
            guard scope != .everything || user.promptAssignment.agentCount < Self.agentsPerUser else {
                throw .limitExceeded("AgentsPerUser", Self.agentsPerUser)
            }
            // A full agent gets the empty list as the confirmation of its registration.
            if scope == .everything { presenter.show([ActivityReport]()) }
            let shown: PromptAssignment.Scope =
                switch scope {
                case .everything: .everything
                case .applications: .applications
                case .own: .client(try directory.client(of: connection).key.client)
                }
            let id = prompts.register(presenter, of: user, shown)
            showActivities(of: user)
            if scope == .everything {
                launcher.agentRegistered(of: user.id)
                showResets(of: user.id)
            }
            return { [weak self] in
                guard let self else { return }
                queue.take { [self] in
                    prompts.remove(id, of: user)
                    showActivities(of: user)
                    table.discardIfUnused(user)
                }
            }
        }
    }

    /// Answers a prompt; calls `completion` once the decision is saved, with an error if that failed.
    package func answerPrompt(
        _ id: Int, _ choice: PromptChoice, _ connection: Connection, manner: DecisionOrigin.Manner = .prompt,
        completion: @escaping (Refusal?) -> Void
    ) throws(Refusal) {
        try queue.answer { () throws(Refusal) in
            let peer = connection.peer
            try requireAgent(peer)
            let noSuchPrompt = Refusal.noSuchPrompt(id)
            guard let prompt = prompts.prompt(id), peer.userID == 0 || prompt.client.key.userID == peer.userID else {
                throw noSuchPrompt
            }
            let choices = prompt.description.kind.choices
            guard choices.contains(choice) else { throw .choiceNotOffered(choices) }
            let origin = DecisionOrigin(userID: peer.userID, manner: manner, timestamp: disk.now())
            let answer = { [self] in
                // Another answer may have been saved meanwhile and another prompt opened, which this does not answer.
                guard prompt.client.prompt === prompt else { return completion(noSuchPrompt) }
                authorizer.apply(.answer(choice), to: prompt.client, by: origin) { unsaved in
                    completion(unsaved.map { .notSaved($0) })
                }
            }
            // A denial takes effect at once.
            if choice == .dontAllow { answer() } else { authorizer.whenSettled(prompt.client, answer) }
        }
    }

    /// The prompts that a caller may answer.
    package func listPrompts(_ connection: Connection) throws(Refusal) -> [PromptReport] {
        try requireAgent(connection.peer)
        return prompts.descriptions(of: connection.peer.userID == 0 ? nil : connection.user)
    }
}

// MARK: Background activities

/// An open background activity.
///
/// Confined to the event loop.
final class BackgroundActivity {
    let connection: Connection
    let client: Client
    let observer: any ActivityObserver
    fileprivate var isShown: Bool?
    fileprivate var isEnded = false

    init(_ observer: any ActivityObserver, connection: Connection, client: Client) {
        self.observer = observer
        self.connection = connection
        self.client = client
    }
}

extension Core {
    /// The number of activities of one user. Each agent shows all of them.
    private static let activitiesPerUser = 64

    /// Keeps a client in use while an agent shows its background activity. Returns the function that ends it.
    package func beginActivity(_ observer: any ActivityObserver, _ connection: Connection) throws(Refusal) -> () -> Void
    {
        try queue.answer { () throws(Refusal) in
            let client = try directory.client(of: connection)
            try requireBackgroundMode(client)
            use.noteCall(of: connection)
            let activity = BackgroundActivity(observer, connection: connection, client: client)
            use.find([connection.process]) { [weak self] in
                guard let self, !activity.isEnded else { return }
                do throws(Refusal) {
                    try start(activity)
                } catch {
                    end(activity, error)
                }
            }
            return { [weak self] in self?.queue.take { self?.close(activity) } }
        }
    }

    private func start(_ activity: BackgroundActivity) throws(Refusal) {
        let (user, client) = (activity.connection.user, activity.client)
        guard activity.connection.process.isInUse else {
            throw .backgroundActivityNotAllowed(
                message: "An activity can begin only while \(client.declaration.displayName) is in use.")
        }
        guard user.activities.count < Self.activitiesPerUser else {
            throw .limitExceeded("ActivitiesPerUser", Self.activitiesPerUser)
        }
        user.activities[ObjectIdentifier(activity)] = activity
        showActivities(of: user)
    }

    private func end(_ activity: BackgroundActivity, _ refusal: Refusal) {
        close(activity)
        activity.observer.end(refusal)
    }

    private func close(_ activity: BackgroundActivity) {
        activity.isEnded = true
        let user = activity.connection.user
        guard user.activities.removeValue(forKey: ObjectIdentifier(activity)) != nil else { return }
        showActivities(of: user)
        table.discardIfUnused(user)
    }

    private func requireBackgroundMode(_ client: Client) throws(Refusal) {
        guard client.declaration.hasLocationBackgroundMode else {
            throw .backgroundActivityNotAllowed(
                message: "\(client.declaration.displayName) is not declared to work in the background: add "
                    + "UIBackgroundModes with location to \(client.declaration.file).")
        }
    }

    /// Ends activities of programs that belong to another client since the configuration was reloaded, or may have no
    /// activities any more.
    func endActivitiesOfRedeclaredPeers(_ user: User) {
        for activity in user.activities.values {
            do throws(Refusal) {
                if let refusal = directory.refusalIfRedeclared(activity.connection, activity.client) { throw refusal }
                try requireBackgroundMode(activity.client)
            } catch {
                end(activity, error)
            }
        }
    }

    /// Makes the user's agents show the background activities, and marks the activities as shown or not.
    func showActivities(of user: User) {
        let isShown = prompts.show(
            user.activities.values.map {
                ActivityReport(
                    client: $0.client.key.client, displayName: $0.client.declaration.displayName,
                    processID: $0.connection.peer.processID)
            }, of: user)
        let shown = isShown ? Set(user.activities.values.map(\.connection.process)) : []
        for process in shown.symmetricDifference(user.shownProcesses) {
            use.monitor?.setBackgroundActivity(process.process, isShown: shown.contains(process))
        }
        user.shownProcesses = shown
        for activity in user.activities.values where activity.isShown != isShown {
            activity.isShown = isShown
            activity.observer.send(isShown: isShown)
        }
    }
}
