import LocationInterface
import LocationPolicy
import LocationUsage
import Varlink

// Whether clients are in use, as far as it matters.

extension Hub {
    /// Whether the process of a session is in use.
    func isInUse(_ session: Session) -> Bool {
        usage?.refresh(session.process)
        return usage?.isInUse(session.process) ?? false
    }

    /// Whether that is more than the evidence being on its way.
    func isUseKnown(_ session: Session) -> Bool {
        usage == nil || knownUse.contains(session.process)
    }

    /// Watches the processes of a client while what it may have depends on their use, and no longer.
    ///
    /// What was allowed once ends with the process, not with the connection that it asked over; so a process that was
    /// watched then is watched until it exits.
    func watchUse(of client: Client) {
        var wanted: Set<WatchedProcess> = []
        if client.authorization.dependsOnUse {
            wanted.formUnion(client.processes)
        }
        if client.authorization.endsWithUse { wanted.formUnion(client.watched.filter { !$0.hasExited }) }
        guard wanted != client.watched else { return }
        for process in wanted.subtracting(client.watched) { usage?.watch(process) }
        for process in client.watched.subtracting(wanted) { usage?.unwatch(process) }
        client.watched = wanted
        forgetUse()
    }

    /// What is known of processes that nobody watches any more will not be true for long.
    private func forgetUse() {
        let watched = clients.values.reduce(into: Set()) { $0.formUnion($1.watched) }
        knownUse.formIntersection(useQuestions.reduce(into: watched) { $0.formUnion($1.processes) })
    }

    /// Calls `answer` as soon as it is known whether these processes are in use, for whoever only wants to look.
    func findUse(of processes: Set<WatchedProcess>, answer: @escaping @Sendable () -> Void) {
        for process in processes { usage?.watch(process) }
        useQuestions.append(UseQuestion(processes: processes, open: processes.subtracting(knownUse), answer: answer))
        answerUseQuestions()
    }

    private func answerUseQuestions() {
        let answerable = useQuestions.filter { $0.open.isEmpty }
        guard !answerable.isEmpty else { return }
        useQuestions.removeAll { $0.open.isEmpty }
        for question in answerable {
            question.answer()
            for process in question.processes { usage?.unwatch(process) }
        }
        forgetUse()
    }

    /// Passes on what the evidence says.
    func receive(_ event: UsageEvent) {
        let process: WatchedProcess
        switch event {
        case .changed(let changed, _):
            process = changed
            knownUse.insert(process)
        case .exited(let exited):
            process = exited
            knownUse.remove(process)
        }
        for index in useQuestions.indices { useQuestions[index].open.remove(process) }
        answerUseQuestions()
        for client in clients.values where client.watched.contains(process) {
            if case .exited = event { client.watched.remove(process) }
            if client.watched.isEmpty {
                apply(.ended, to: client)
            } else if !client.watched.contains(where: { usage?.isInUse($0) ?? false }) {
                apply(.leftUse, to: client)
            }
            refresh(client)
        }
    }

    /// A location is due to a provisional always client in the background: the user is asked whether always is meant.
    func confirmIfProvisional(_ client: Client, _ session: Session) {
        guard client.authorization.needsConfirmation, client.authorization.prompt == nil else { return }
        client.asking = session.peer
        apply(.backgroundDeliveryDue, to: client)
    }
}

/// Somebody who wants to know whether processes are in use.
struct UseQuestion {
    let processes: Set<WatchedProcess>
    /// Those of which it is not known yet.
    var open: Set<WatchedProcess>
    let answer: @Sendable () -> Void
}

// MARK: Activities in the background

/// One open `BeginBackgroundActivity` call. Sendable: it lives on the hub's event loop.
struct BackgroundActivity {
    let call: ServerCall
    let session: Session
    let client: Client
    var isShown: Bool?
}

extension Hub {
    /// How many activities of one user there can be. Each agent shows all of them.
    private static let activitiesPerUser = 64

    /// Keeps a client in use in the background while an agent shows that to the user.
    func beginBackgroundActivity(_ call: ServerCall, _ session: Session) throws(VarlinkError) {
        try call.requireMore()
        let client = try client(of: session)
        try requireBackgroundMode(client)
        watchUse(of: client)
        guard isInUse(session) else {
            throw .locationd(
                AuthorizationInterface.BackgroundActivityNotAllowed(
                    message: "An activity can begin only while \(client.declaration.displayName) is in use."))
        }
        let count = backgroundActivities.values.count { $0.client.key.userID == client.key.userID }
        guard count < Self.activitiesPerUser else {
            throw .locationd(LocationInterface.LimitExceeded(limit: "ActivitiesPerUser", value: Self.activitiesPerUser))
        }
        let id = ObjectIdentifier(call)
        backgroundActivities[id] = BackgroundActivity(call: call, session: session, client: client)
        call.onCancel = { [weak self] in
            self?.assumeIsolated { hub in
                hub.backgroundActivities[id] = nil
                hub.showActivities(of: client.key.userID)
            }
        }
        showActivities(of: client.key.userID)
    }

    private func requireBackgroundMode(_ client: Client) throws(VarlinkError) {
        guard client.declaration.hasLocationBackgroundMode else {
            throw .locationd(
                AuthorizationInterface.BackgroundActivityNotAllowed(
                    message: "\(client.declaration.displayName) does not say that it works in the background: add "
                        + "UIBackgroundModes with location to \(client.declaration.file)."))
        }
    }

    /// Ends the activities of whoever is not the same client any more, or may have none.
    func reauthorizeActivities() {
        for (id, activity) in backgroundActivities {
            do throws(VarlinkError) {
                if let error = changedIdentity(of: activity.session, activity.client) { throw error }
                try requireBackgroundMode(activity.client)
            } catch {
                backgroundActivities[id] = nil
                activity.call.fail(error)
                showActivities(of: activity.client.key.userID)
            }
        }
    }

    /// Has the agents of a user show what goes on in the background, and takes the activities as shown or not.
    func showActivities(of user: UInt32) {
        let own = backgroundActivities.filter { $0.value.client.key.userID == user }
        let isShown = showToAgents(
            own.values.map {
                AgentInterface.Activity(
                    client: $0.client.key.client, displayName: $0.client.declaration.displayName,
                    processID: Int($0.session.peer.processID))
            }, of: user)
        let shown = Set(own.values.filter { _ in isShown }.map(\.session.process))
        let before = shownProcesses[user] ?? []
        for process in shown.subtracting(before) { usage?.setBackgroundActivity(process, isShown: true) }
        for process in before.subtracting(shown) { usage?.setBackgroundActivity(process, isShown: false) }
        shownProcesses[user] = shown.isEmpty ? nil : shown
        for (id, activity) in own where activity.isShown != isShown {
            backgroundActivities[id]?.isShown = isShown
            activity.call.reply(
                AuthorizationInterface.BeginBackgroundActivity.Reply(isShown: isShown), continues: true)
        }
    }
}
