public import LocationModel

/// A source of locations and headings: gpsd, or a recorded track.
///
/// A source is confined to its event loop: every call has to be made there (checked), and its handler is called there.
/// It never blocks.
public protocol LocationSource: AnyObject, Sendable {
    /// Sets the need for locations now.
    ///
    /// While it is ``LocationDemand/off``, the source is idle: gpsd is not watched, nothing reconnects, no timer runs. A fix
    /// from before a pause is never reported after it.
    func setDemand(_ demand: LocationDemand)

    /// The current status, for `locationctl`.
    var status: SourceStatus { get }

    /// Shuts the source down: closes its connection and cancels its timers. Nothing is reported afterwards.
    func shutdown()
}

/// The need for locations: the highest of all recipients that may have one. A source may spend less on a lower one.
public enum LocationDemand: Int, Comparable, CaseIterable, Sendable {
    /// None.
    case off
    /// Locations of a few kilometres suffice: for reduced accuracy and significant changes.
    case coarse
    /// One location now and then suffices.
    case periodic
    /// Every location.
    case continuous

    /// True if `lhs` is the lower need.
    public static func < (lhs: LocationDemand, rhs: LocationDemand) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// An event of a source while it is needed.
public enum SourceEvent: Hashable, Sendable {
    /// A new location. Each is reported once, and those of one receiver in the order of their times.
    case location(Location)
    /// A new heading, from a compass or an attitude sensor.
    case heading(Heading)
    /// There has been no new location for three and a half epochs, or none at all since locations were needed. Reported
    /// once, until the next location.
    case unavailable(UnavailableReason)
}

/// The most likely reason for having no location.
public enum UnavailableReason: String, Hashable, Sendable {
    /// gpsd cannot be reached.
    case notConnected
    /// gpsd has no active receiver.
    case noReceiver
    /// The receiver reports that it has no fix.
    case noFix
    /// gpsd sends nothing, or nothing valid, or its receiver repeats the same time.
    case silent
}
