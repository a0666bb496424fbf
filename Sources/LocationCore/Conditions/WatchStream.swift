package import LocationConditions
package import LocationModel
import LocationPolicy
package import LocationStore

/// The receiving end of a stream of conditions or of visits.
package protocol WatchObserver {
    /// False while the peer has not read earlier messages. Then nothing is sent, and it gets the rest later.
    var isReady: Bool { get }
    /// Sends a change of a condition.
    func tell(_ report: ConditionReport)
    /// Sends a visit.
    func tell(_ visit: Visit)
    /// Sends the reason why nothing is watched now; `nil` if it is.
    func tell(_ diagnostic: LocationDiagnostic?, _ cause: Cause?)
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
    /// The identifiers of the conditions whose state it has not been told, in the order of their changes.
    private(set) var owed: [String] = []
    private var owedSet: Set<String> = []
    /// The visits that it has not been told.
    var owedVisits: [Visit] = []
    /// The access that it was told last; `nil` before the first time.
    private var told: (diagnostic: LocationDiagnostic?, cause: Cause?)?

    init(_ observer: any WatchObserver, _ subject: Subject, connection: Connection) {
        (self.observer, self.subject, self.connection) = (observer, subject, connection)
    }

    var id: ObjectIdentifier { ObjectIdentifier(self) }

    /// True if its peer has not been told of everything.
    var owesAnything: Bool { !owed.isEmpty || !owedVisits.isEmpty }

    /// Owes the state of a condition.
    func owe(_ identifier: String) { if owedSet.insert(identifier).inserted { owed.append(identifier) } }

    /// Owes a visit, in place of the same one before its end.
    func owe(_ visit: Visit) {
        owedVisits.removeAll { $0.arrivalDate == visit.arrivalDate }
        owedVisits.append(visit)
    }

    /// Owes nothing more.
    func oweNothing() { (owed, owedSet, owedVisits) = ([], [], []) }

    /// Takes what it owes, in order, as far as the peer reads.
    func settle(_ body: (String) -> Void) {
        var settled = 0
        while settled < owed.count, observer.isReady {
            owedSet.remove(owed[settled])
            body(owed[settled])
            settled += 1
        }
        owed.removeFirst(settled)
    }

    /// Sends the access, if it has changed since it was sent last and the peer reads.
    func tell(_ diagnostic: LocationDiagnostic?, _ cause: Cause?) {
        if let told, told == (diagnostic, cause) { return }
        guard observer.isReady else { return }
        told = (diagnostic, cause)
        observer.tell(diagnostic, cause)
    }
}
