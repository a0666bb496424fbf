import LocationModel

/// The newest position of a destination, until it is sent, and what goes with it.
struct SharePosition: Sendable {
    /// The age of a heading from which it counts as unknown.
    private static let headingAge = Duration.seconds(2)

    /// The newest position that has not been sent.
    var unsent: ShareRecord?
    /// The position that the readers of a bridge receive again; `nil` if there is none, or for a service.
    var repeated: ShareRecord?
    /// The last heading, for a bridge.
    private var heading: (degrees: Double, at: ContinuousClock.Instant)?
    /// The last position that was not left out by thinning.
    private var lastKept: Thinning.Reference?
    /// The last position where the user can have been, and the one since then where that is in doubt.
    private var (lastPlausible, doubtful): (Location?, Location?)

    /// True if the user can have come here since the last plausible position. A receiver that is elsewhere for one fix is
    /// not believed, but one that stays there; a position that the administrator has set is believed at once.
    mutating func isPlausible(_ location: Location) -> Bool {
        if location.sourceInformation?.kind != .fixed, let lastPlausible, !location.isPossible(after: lastPlausible),
            doubtful.map({ !location.isPossible(after: $0) }) ?? true
        {
            doubtful = location
            return false
        }
        (lastPlausible, doubtful) = (location, nil)
        return true
    }

    /// True if thinning keeps a position.
    mutating func keeps(_ location: Location, _ thinning: Thinning) -> Bool {
        guard thinning.keeps(location, after: lastKept) else { return false }
        lastKept = Thinning.Reference(location)
        return true
    }

    /// Lets thinning keep the next position.
    mutating func endThinning() { lastKept = nil }

    mutating func take(_ heading: Heading, at now: ContinuousClock.Instant) {
        self.heading = (heading.trueHeading, now)
    }

    /// A position with the heading, if that is known now.
    func withHeading(_ record: ShareRecord, at now: ContinuousClock.Instant) -> ShareRecord {
        guard let heading else { return record }
        var record = record
        record.heading = heading.at.duration(to: now) <= Self.headingAge ? heading.degrees : nil
        return record
    }

    /// Drops the exact members.
    mutating func limit() {
        heading = nil
        if repeated?.isReduced == false { repeated = nil }
        if unsent?.isReduced == false { (unsent, lastKept) = (nil, nil) }
    }

    /// Drops what has not been sent and what would be sent again.
    mutating func drop() { (unsent, repeated, heading) = (nil, nil, nil) }
}
