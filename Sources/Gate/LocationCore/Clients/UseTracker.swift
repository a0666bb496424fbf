import LinuxPlumbing
import LocationPolicy
import LocationUsage

/// Tracks the use of clients whose access depends on it, by watching their processes.
///
/// Confined to the event loop.
final class UseTracker {
    /// The effect of a batch of events on a client.
    enum Change {
        /// The last watched process of the client has exited.
        case ended
        /// No watched process of the client is in use.
        case leftUse
    }

    /// A query about the use of processes.
    private struct Question {
        let processes: [PeerProcess]
        /// The processes whose use is not known yet.
        var open: Set<PeerProcess>
        let answer: () -> Void
    }

    private let table: ConnectionTable
    private(set) var monitor: (any UsageWatching)?
    private var questions: [Question] = []
    private let queue: CoreQueue

    init(table: ConnectionTable, queue: CoreQueue) { (self.table, self.queue) = (table, queue) }

    /// Sets the monitor of processes; `nil` for none.
    func setMonitor(_ new: (any UsageWatching)?) {
        monitor?.shutdown()
        monitor = new
    }

    // MARK: Watching

    /// Watches a connection's process if its client's access depends on use. Gathers the evidence again at each call, so
    /// that a program in the foreground of a terminal need not wait for the next poll.
    func noteCall(of connection: Connection) {
        guard let client = connection.client, client.authorization.dependsOnUse else { return }
        guard !dropFormerPrograms(of: client) else { return queue.append(.applyUse([(client, .ended)], [])) }
        if client.addWatched(connection.process) {
            watch(connection.process)
        } else {
            monitor?.refresh(connection.process.process)
        }
    }

    /// Watches the processes of a client while its access depends on their use.
    func review(_ client: Client) {
        if client.authorization.dependsOnUse {
            // A process that connected later does not prolong what the last one held.
            guard !dropFormerPrograms(of: client) else { return }
            for connection in client.connections.values where client.addWatched(connection.process) {
                watch(connection.process)
            }
        } else {
            for process in client.watched.values { stopWatching(process, for: client) }
        }
    }

    /// Handles the end of a client's connection. What ends with the process, not with the connection, keeps the process
    /// watched until the monitor reports its exit, even if it has exited already.
    func removed(_ connection: Connection, of client: Client) {
        let process = connection.process
        guard !client.authorization.endsWithProcess,
            !process.connections.values.contains(where: { $0.client === client })
        else { return }
        stopWatching(process, for: client)
    }

    /// Stops watching processes that have become another program by exec(2) since they connected, until one is found
    /// that has not. The kernel does not report that, so it is checked whenever another process could profit. Returns true
    /// if that were all, so that what ends with the last process has ended.
    private func dropFormerPrograms(of client: Client) -> Bool {
        guard client.authorization.endsWithProcess, !client.watched.isEmpty else { return false }
        while let process = client.watched.values.first, process.runsAnotherProgram {
            stopWatching(process, for: client)
        }
        return client.watched.isEmpty
    }

    /// Stops watching all processes of a client.
    func stopWatching(_ client: Client) {
        for process in client.watched.values { stopWatching(process, for: client) }
    }

    private func stopWatching(_ process: PeerProcess, for client: Client) {
        if client.removeWatched(process) { unwatch(process) }
    }

    /// Records that a process has connected through a front end for applications.
    func noteApplication(_ process: PeerProcess) {
        process.mayBeActivated = true
        if process.watchCount > 0 { monitor?.setMayBeActivated(process.process) }
    }

    private func watch(_ process: PeerProcess) {
        process.watchCount += 1
        guard process.watchCount == 1 else { return }
        process.monitor = monitor
        monitor?.watch(process.process)
        if process.mayBeActivated { monitor?.setMayBeActivated(process.process) }
    }

    private func unwatch(_ process: PeerProcess) {
        process.watchCount -= 1
        guard process.watchCount == 0 else { return }
        monitor?.unwatch(process.process)
        // Its use becomes unknown without a watch.
        (process.isUseKnown, process.isInUse, process.monitor) = (false, false, nil)
        table.releaseIfUnused(process)
    }

    // MARK: Looking

    /// Watches these processes until their use is known, then calls `answer`.
    func find(_ processes: [PeerProcess], answer: @escaping () -> Void) {
        for process in processes { watch(process) }
        let open = Set(processes.filter { !$0.isUseKnown })
        questions.append(Question(processes: processes, open: open, answer: answer))
        answerQuestions()
    }

    private func answerQuestions() {
        let answerable = questions.filter { $0.open.isEmpty }
        guard !answerable.isEmpty else { return }
        questions.removeAll { $0.open.isEmpty }
        for question in answerable {
            question.answer()
            for process in question.processes { unwatch(process) }
        }
    }

    // MARK: Evidence

    /// Applies a batch of events completely before anybody is notified.
    func receive(_ events: [UsageEvent]) {
        var concerned: [ObjectIdentifier: Client] = [:]
        var changed: [PeerProcess] = []
        for event in events {
            let watched: WatchedProcess =
                switch event {
                case .changed(let process, _), .exited(let process): process
                }
            guard let process = table.process(watched) else { continue }
            let wasInUse = process.isInUse
            switch event {
            case .changed(_, let isInUse): (process.isUseKnown, process.isInUse) = (true, isInUse)
            case .exited: (process.isUseKnown, process.isInUse) = (false, false)
            }
            if process.isInUse != wasInUse {
                for client in process.watchingClients.values { client.watchedInUse += process.isInUse ? 1 : -1 }
            }
            for (id, client) in process.watchingClients { concerned[id] = client }
            if case .exited = event {
                for client in process.watchingClients.values {
                    _ = client.removeWatched(process)
                    process.watchCount -= 1
                }
                table.releaseIfUnused(process)
            }
            changed.append(process)
            for index in questions.indices { questions[index].open.remove(process) }
        }
        answerQuestions()
        let clients = concerned.values.map { client in
            (client, client.watched.isEmpty ? Change.ended : client.watchedInUse == 0 ? .leftUse : nil)
        }
        if !changed.isEmpty { queue.append(.applyUse(clients, changed)) }
    }
}
