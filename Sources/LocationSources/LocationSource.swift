public import LocationModel

/// Something that reports where the receiver is: gpsd, or a recorded track.
///
/// A source lives on the event loop that it was made with; every call must be made there (checked), and its handler is
/// called there. It never blocks.
public protocol LocationSource: AnyObject, Sendable {
    /// Says whether anybody needs locations now.
    ///
    /// While nobody does, the source is silent: gpsd is not watched, nothing reconnects, no timer runs. A fix from
    /// before a pause is never reported after it.
    func setNeeded(_ needed: Bool)

    /// What the source is doing at this moment, for `locationctl`.
    var status: SourceStatus { get }

    /// Ends the source for good: closes what is open and cancels what is scheduled. Nothing is reported afterwards.
    func shutdown()
}

/// What a source tells while it is needed.
public enum SourceEvent: Hashable, Sendable {
    /// A new location. Each comes once, and within the time line of one receiver they come in the order of their times.
    case location(Location)
    /// A new direction of the nose, from a compass or an attitude sensor.
    case heading(Heading)
    /// There has been no new location for three and a half epochs, or none at all since the need arose. Told once; the
    /// next location ends it.
    case unavailable(UnavailableReason)
}

/// Why there is no location, as far as it can be known.
public enum UnavailableReason: String, Hashable, Sendable {
    /// gpsd cannot be reached.
    case notConnected
    /// gpsd is there but has no active receiver.
    case noReceiver
    /// A receiver is there and reports that it has no fix.
    case noFix
    /// gpsd says nothing, or nothing that could be understood, or its receiver repeats one moment.
    case silent
}
