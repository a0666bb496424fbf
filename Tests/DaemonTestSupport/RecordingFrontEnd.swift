package import LocationCore
package import LocationModel
package import Synchronization
import Testing

/// A front end without a protocol, whose peer always reads.
package final class RecordingFrontEnd: Subscriber, Sendable {
    /// What was delivered: when the location was, and whether it is exact.
    package let deliveries = Mutex<[(time: Timestamp, isExact: Bool)]>([])

    package init() {}

    package var isReady: Bool { true }

    package func deliver(_ disclosure: Disclosure, skipped: Int?) {
        switch disclosure.content {
        case .location(let publication): deliveries.withLock { $0.append((publication.location.timestamp, true)) }
        case .reduced(let publication): deliveries.withLock { $0.append((publication.location.timestamp, false)) }
        case .frame, .heading: Issue.record("nobody has asked for that")
        }
    }

    package func send(_ diagnostic: LocationDiagnostic, _ cause: LocationCause?, skipped: Int?) {}
    package func end(_ refusal: Refusal) {}
}
