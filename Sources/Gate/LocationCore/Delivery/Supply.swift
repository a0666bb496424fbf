import LocationModel
import LocationSources
import NIOCore

/// The supply of the sources and the need for it: the newest location, or the reason for having none.
///
/// A state machine without effects: it takes events and returns the actions that follow from them, in their order.
struct Supply {
    enum Action {
        /// Give a location to all who may have it.
        case publish(Publication)
        /// Give a heading to all who may have it.
        case publishHeading(SharedHeading)
        /// Tell all recipients why there is no location.
        case publishUnavailability(LocationCause)
        /// Tell the service manager of the first location after a time without one.
        case announceLocation
        /// Forget the movement: it has been interrupted.
        case resetMotion
        /// Tell the sources the need.
        case setDemand(LocationDemand)
    }

    /// The newest location; `nil` once the sources report that it has gone stale.
    private(set) var newest: Publication?
    /// The reason for having none, if the sources have reported one since their last location and since they were last
    /// needed again.
    private(set) var unavailability: LocationCause?
    /// The need for locations, which the sources know.
    private(set) var demand = LocationDemand.off
    /// The number of the last report.
    private var number: UInt64 = 0

    /// True while they are not needed for a time only, and what they still report is used.
    private var isResting = false

    /// True while the sources are needed: only then do they report that a location has gone stale.
    var isWatched: Bool { demand > .off }

    /// Notes whether the sources rest.
    mutating func setResting(_ isResting: Bool) { self.isResting = isResting }

    /// Takes an event of the sources. Late events after the end of the need are ignored.
    ///
    /// - Parameters:
    ///   - staleAt: the time at which the sources would report that a location has gone stale.
    ///   - problem: the last error of a source, for the reason.
    mutating func receive(
        _ event: SourceEvent, at now: NIODeadline, staleAt: @autoclosure () -> NIODeadline? = nil,
        problem: @autoclosure () -> String?
    ) -> [Action] {
        guard isWatched || isResting else { return [] }
        switch event {
        case .location(let location):
            // The fixed position has been dated at its last delivery. A fix from before that comes too late, if the clocks
            // can be compared.
            if let newest, newest.isFixed, location.sourceInformation?.kind?.isFixed != true,
                location.timestamp < newest.location.timestamp,
                newest.location.timestamp.duration(since: location.timestamp) < .seconds(90)
            {
                return []
            }
            number += 1
            let publication = Publication(location, arrival: now, number: number, staleAt: staleAt())
            let isFirst = newest == nil
            (newest, unavailability) = (publication, nil)
            return (isFirst ? [.announceLocation] : []) + [.publish(publication)]
        case .heading(let heading): return [.publishHeading(SharedHeading(heading, arrival: now))]
        case .unavailable(let reason):
            let cause = LocationCause(reason, problem: problem())
            (newest, unavailability) = (nil, cause)
            return [.publishUnavailability(cause)]
        }
    }

    /// Dates the newest location now, if it is the fixed position, which the machine has at every moment. All who ask within
    /// a second get the same.
    mutating func redate(at now: NIODeadline, time: () -> Timestamp) {
        guard isWatched, let newest, newest.isFixed, now - newest.arrival > .seconds(1) else { return }
        var location = newest.location
        location.timestamp = time()
        self.newest = Publication(location, arrival: now, number: newest.number)
    }

    /// Takes the need of all recipients.
    ///
    /// - Parameter isFresh: true if the newest location is fresh now. One from before a pause may be outdated.
    mutating func setDemand(_ now: LocationDemand, isFresh: Bool) -> [Action] {
        guard now != demand else { return [] }
        let wasWatched = isWatched
        demand = now
        guard isWatched != wasWatched else { return [.setDemand(now)] }
        if !isFresh { newest = nil }
        unavailability = nil
        return (isWatched ? [] : [.resetMotion]) + [.setDemand(now)]
    }
}
