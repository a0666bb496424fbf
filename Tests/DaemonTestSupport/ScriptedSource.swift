package import LocationModel
package import LocationSources

/// Reports what the test says, and tells the test when it is needed.
///
/// `@unchecked Sendable` because its mutable state is confined to the event loop.
package final class ScriptedSource: LocationSource, @unchecked Sendable {
    /// Each change of need.
    package let needs: AsyncStream<Bool>
    private let continuation: AsyncStream<Bool>.Continuation
    private var isNeeded = false
    /// The last demand.
    package private(set) var demand = LocationDemand.off

    package init() {
        (needs, continuation) = AsyncStream.makeStream(of: Bool.self)
    }

    /// True if its receiver is there.
    package var isAvailable: Bool? = true
    /// True while changes of that are to be reported.
    package private(set) var isAvailabilityWatched = false
    /// The number of times it was asked to forget.
    package private(set) var forgotten = 0
    /// Reports to the group that it belongs to.
    package var report: (@Sendable (SourceReport) -> Void)?

    package func watchAvailability(_ isWatched: Bool) { isAvailabilityWatched = isWatched }
    package func forget() { forgotten += 1 }

    /// Called once, when it is needed.
    package var whenNeeded: (() -> Void)?

    package func setDemand(_ demand: LocationDemand) {
        let needed = demand > .off
        self.demand = demand
        if needed != isNeeded { continuation.yield(needed) }
        isNeeded = needed
        guard needed, let report = whenNeeded else { return }
        whenNeeded = nil
        report()
    }

    package let kind = Location.SourceInformation.Kind.receiver
    package var status: SourceStatus { .scripted(isNeeded ? .connected : .idle) }

    package func shutdown() { continuation.finish() }
}

extension SourceStatus {
    package static func scripted(_ connection: Connection) -> SourceStatus {
        var receiver = ReceiverStatus(device: "/dev/script")
        (receiver.driver, receiver.isCurrent, receiver.mode) = ("NMEA0183", true, .threeDimensional)
        (receiver.satellitesUsed, receiver.satellitesSeen) = (7, 9)
        (receiver.ageOfLastFix, receiver.epochInterval) = (.milliseconds(500), .seconds(1))
        return SourceStatus(
            connection: connection, endpoint: "a script", version: "3.22", receivers: [receiver])
    }
}
