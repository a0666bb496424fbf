package import LocationConditions
package import LocationModel
package import LocationStore

/// The receiving end of a stream of conditions or of visits.
package protocol WatchObserver {
    /// False while the peer has not read earlier messages. Then nothing is sent, and it gets the rest later.
    var isReady: Bool { get }
    /// Sends a change of a condition.
    func send(_ report: ConditionReport)
    /// Sends a visit.
    func send(_ visit: Visit)
    /// Sends the reason why nothing is watched now; `nil` if it is.
    func send(_ diagnostic: LocationDiagnostic?, _ cause: LocationCause?)
    /// Sends the final error.
    func end(_ refusal: Refusal)
}

/// An open stream of a monitor's changes, or of visits.
///
/// Confined to the event loop.
package final class WatchStream {
    /// The kind of events that it streams.
    enum Subject: Hashable {
        case conditions(monitor: String)
        case visits
    }

    let connection: Connection
    let subject: Subject
    let observer: any WatchObserver
    /// The number of the last change, or visit, that it has passed. What follows is owed to it.
    var passed: UInt64 = 0
    /// The number of the last change, or visit, when it was opened. Those up to it are owed to it only if no other stream has
    /// sent the program of them.
    let start: UInt64
    /// Its index among the streams of the client; `nil` once it is closed.
    var index: Int?
    /// True while waiting events are sent to it apart from the other streams.
    var isCatchingUp = false
    /// The access that it was sent last; `nil` before the first time.
    private var sent: (diagnostic: LocationDiagnostic?, cause: LocationCause?)?

    init(_ observer: any WatchObserver, _ subject: Subject, connection: Connection, start: UInt64) {
        (self.observer, self.subject, self.connection, self.start) = (observer, subject, connection, start)
    }

    var id: ObjectIdentifier { ObjectIdentifier(self) }

    /// Sends the access, if it has changed since it was sent last and the peer reads.
    func send(_ diagnostic: LocationDiagnostic?, _ cause: LocationCause?) {
        if let sent, sent == (diagnostic, cause) { return }
        guard observer.isReady else { return }
        sent = (diagnostic, cause)
        observer.send(diagnostic, cause)
    }
}
