import LocationInterface

/// The accounts of the soak: its actions, the received deliveries, and their comparison with the daemon's counts.
struct Books {
    var connections = 0
    var questions = 0
    var vandals = 0
    var pauses = 0
    var changes = 0
    var reloads = 0
    var wrongReloads = 0
    /// The number of connections that left without reading pending messages.
    var gone = 0
    /// The number of exact locations received after an acknowledged decision against them.
    var leaks = 0
    /// The deliveries to connections that have left.
    private(set) var subscribers = Peer.Told()
    private(set) var followers = Peer.Told()
    private(set) var askers = Peer.Told()
    private(set) var daemon: ManagerInterface.Deliveries?
    /// The inconsistencies, as sentences.
    private(set) var faults: [String] = []
    private(set) var orderlyWaves = 0
    private var unread = 0
    private var before = (unread: 0, answered: 0, gone: 0)

    /// The largest number of messages pending for a peer that does not read: in the kernel's buffer and the daemon's.
    private static let mostUnderWay = 60

    mutating func take(_ peer: Peer) {
        switch peer.kind {
        case .subscriber: subscribers += peer.told
        case .follower: followers += peer.told
        case .asker: askers += peer.told
        case .watcher, .vandal: break
        }
    }

    /// Compares the accounts after all have left.
    mutating func close(_ deliveries: ManagerInterface.Deliveries, isOrderly: Bool) {
        daemon = deliveries
        let sum = deliveries.delivered + deliveries.skipped + deliveries.filtered + deliveries.forbidden
        if deliveries.offered + deliveries.repeated != sum {
            faults.append("\(deliveries.offered) + \(deliveries.repeated) were offered, \(sum) are accounted for")
        }
        unread = deliveries.delivered - subscribers.locations
        let unreadNow = unread - before.unread
        if isOrderly {
            orderlyWaves += 1
            if unreadNow != 0 { faults.append("\(unreadNow) delivered were not received, though nobody left unread") }
        } else if !(0...(gone - before.gone) * Self.mostUnderWay).contains(unreadNow) {
            faults.append("\(unreadNow) delivered were not received, and \(gone - before.gone) left unread")
        }
        let told = subscribers.skipped
        if told > deliveries.skipped { faults.append("\(told) skipped were told of, of \(deliveries.skipped)") }
        let answered = deliveries.answered - askers.locations
        if answered < before.answered { faults.append("\(before.answered - answered) answers came from nowhere") }
        before = (unread, answered, gone)
    }

    /// The accounts as lines of a table.
    var lines: [String] {
        guard let daemon else { return [] }
        return [
            "done       \(connections) connections, \(questions) questions, \(changes) decisions, \(reloads) reloads, "
                + "\(pauses) readers stopped, \(vandals) with bad input, \(gone) gone without reading",
            "published  \(daemon.publications) fixes; \(daemon.offered) offers, \(daemon.repeated) on beginning or resuming",
            "accounted  \(daemon.delivered) delivered, \(daemon.skipped) skipped for slow readers, \(daemon.filtered) "
                + "filtered, \(daemon.forbidden) forbidden",
            "received   \(subscribers.locations); \(unread) were under way to those that had gone; slow readers were told "
                + "of \(subscribers.skipped) skipped",
            "besides    \(daemon.answered) answers, \(daemon.frames) frames, \(daemon.framesSkipped) of them skipped; "
                + "\(subscribers.errors + followers.errors + askers.errors) errors, \(subscribers.diagnostics) diagnostics",
        ]
    }
}
