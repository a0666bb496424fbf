import LocationConfiguration
import LocationInterface
import LocationModel
import LocationPolicy
import LocationStore
import Logging
import NIOCore
import Varlink

// Who had a user's location, from when to when, how many and how exact. Never where.

extension Hub {
    /// A client that has had nothing for so long begins a new session. So does one whose last location is from so far
    /// ahead: the clock was set back, and what follows did not happen then.
    private static let gap = Duration.seconds(60)
    /// How often sessions go to the disk. After a crash no more than this is missing.
    private static let flushInterval = TimeAmount.seconds(5)

    /// Notes that a client was given the newest location: once, to however many of its subscriptions it goes.
    func noteAccess(of client: Client, to location: Location, _ accuracy: AccuracyAuthorization) {
        guard client.notedPublication != publication, configuration.daemon.historyDays > 0 else { return }
        client.notedPublication = publication
        let now = decisions.now()
        if let access = accesses[client.key],
            (.zero - Self.gap...Self.gap).contains(now.duration(since: access.end))
        {
            accesses[client.key]?.add(location, accuracy: accuracy, at: now)
        } else {
            if let ended = accesses[client.key] { endedAccesses.append(ended) }
            accesses[client.key] = AccessSession(of: client.key, with: location, accuracy: accuracy, at: now)
            logger.info(
                "\(client.summary) is given locations: \(accuracy.rawValue) accuracy.", metadata: client.metadata)
        }
        unflushed.insert(client.key)
        scheduleFlush()
    }

    private func scheduleFlush() {
        guard historyTimer == nil else { return }
        historyTimer = eventLoop.assumeIsolated().scheduleTask(in: Self.flushInterval) { [weak self] in
            self?.assumeIsolated { hub in
                hub.historyTimer = nil
                hub.flushHistory()
            }
        }
    }

    /// Writes what the disk does not know yet.
    func flushHistory() {
        let sessions = endedAccesses + unflushed.compactMap { accesses[$0] }
        guard !sessions.isEmpty else { return }
        endedAccesses = []
        unflushed = []
        decisions.record(sessions, historyDays: configuration.daemon.historyDays, on: eventLoop).assumeIsolated()
            .whenFailure { [weak self] error in
                // Locations go on: history is for the user to look at. What is still going on is tried again with the next.
                self?.logger.error("The history could not be written: \(error)")
            }
    }

    /// Lists who had a user's location.
    func listAccess(_ call: ServerCall, _ session: Session) throws(VarlinkError) {
        let parameters = try call.parameters(as: ManagerInterface.ListAccess.Parameters.self)
        let user = try managedUser(parameters.userID, session)
        guard (1...1000).contains(parameters.limit ?? 1) else { throw .invalidParameter("limit") }
        flushHistory()
        decisions.history(
            of: user, client: parameters.client, since: parameters.since, limit: parameters.limit ?? 100, on: eventLoop
        ).assumeIsolated().whenComplete { result in
            switch result {
            case .success(let sessions):
                call.reply(ManagerInterface.ListAccess.Reply(sessions: sessions.map(ManagerInterface.Access.init)))
            case .failure(let error): call.fail(.unreadable(error))
            }
        }
    }
}

extension ManagerInterface.Access {
    fileprivate init(_ session: AccessSession) {
        self.init(
            client: session.key.client, userID: Int(session.key.userID), from: session.start, to: session.end,
            count: session.count, accuracy: session.accuracy, finestAccuracy: session.finestRadius)
    }
}
