public import LocationModel

/// A source of reports of receivers: a gpsd, or a recorded track. It belongs to a ``SourceGroup``, which makes locations of
/// its reports.
///
/// A source is confined to its event loop: every call has to be made there (checked), and its reports are made there.
/// It never blocks.
package protocol LocationSource: AnyObject, Sendable {
    /// Sets the need for locations now.
    ///
    /// While it is ``LocationDemand/off``, the source is idle: gpsd is not watched, nothing reconnects, no timer runs.
    func setDemand(_ demand: LocationDemand)

    /// Its current status, without the receivers that it reports.
    var status: SourceStatus { get }

    /// Shuts the source down: closes its connection and cancels its timers. Nothing is reported afterwards.
    func shutdown()
}

/// A report of a source to its group.
package enum SourceReport: Sendable {
    /// The start of its connection to the receivers, whose times may start over.
    case connected
    /// The end of the connection.
    case disconnected
    /// A report of a receiver, and this machine's time at its arrival, which is compared with the receiver's; `nil` where
    /// that says nothing.
    case receiver(ReceiverReport, clock: Timestamp?)
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

/// An event of the sources while they are needed.
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
