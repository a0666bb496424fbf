public import LocationModel
package import Logging
package import NIOCore

/// A source of locations: a gpsd, a modem, Wi-Fi positioning, the fixed position, or a recorded track. It belongs to a
/// ``SourceGroup``, which makes locations of its reports.
///
/// A source is confined to its event loop: every call has to be made there (checked), and its reports are made there.
/// It never blocks.
package protocol LocationSource: AnyObject, Sendable {
    /// Its kind. Sources of the kinds `receiver` and `modem` report receivers, the others locations.
    var kind: Location.SourceInformation.Kind { get }

    /// Sets the need for locations now.
    ///
    /// While it is ``LocationDemand/off``, the source is idle: gpsd is not watched, nothing reconnects, no timer runs.
    func setDemand(_ demand: LocationDemand)

    /// Its current status, without what it has reported.
    var status: SourceStatus { get }

    /// False while there is nothing to offer and nothing to say: no fixed position is set.
    var isPresent: Bool { get }

    /// True if it could give locations: its receiver is there. `nil` while that is being found out.
    var isAvailable: Bool? { get }

    /// Starts or ends reporting changes of ``isAvailable`` also while no locations are needed.
    func watchAvailability(_ isWatched: Bool)

    /// Determines ``isAvailable`` again, if no event reports its changes.
    func refreshAvailability()

    /// Drops its past locations, because location services were switched off or another user became active.
    func forget()

    /// Shuts the source down: closes its connection and cancels its timers. Nothing is reported afterwards.
    func shutdown()
}

extension LocationSource {
    /// True.
    package var isPresent: Bool { true }

    /// Does nothing.
    package func forget() {}
    /// The same as ``isPresent``.
    package var isAvailable: Bool? { isPresent }
    /// Does nothing.
    package func watchAvailability(_ isWatched: Bool) {}
    /// Does nothing.
    package func refreshAvailability() {}
}

/// What a source is given, whatever its kind.
package struct SourceContext: Sendable {
    /// The loop that the source is confined to.
    let eventLoop: any EventLoop
    /// Never receives coordinates.
    let logger: Logger
    /// The time of arrival, and of locations without a time.
    let wallClock: @Sendable () -> Timestamp
    /// Receives every report, on `eventLoop`.
    let report: @Sendable (SourceReport) -> Void

    package init(
        eventLoop: any EventLoop, logger: Logger, wallClock: @escaping @Sendable () -> Timestamp = Timestamp.now,
        report: @escaping @Sendable (SourceReport) -> Void
    ) {
        (self.eventLoop, self.logger, self.wallClock, self.report) = (eventLoop, logger, wallClock, report)
    }
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
    /// A location that no receiver measured, which replaces the source's last one. It is fresh for this time; `nil` for no limit.
    case location(Location, freshFor: TimeAmount?)
    /// The last location does not apply any more.
    case noLocation
    /// Its availability has changed.
    case availability
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
    /// No source of locations is configured.
    case noSource
    /// gpsd, or the modem, cannot be reached.
    case notConnected
    /// Wi-Fi positioning, the only source, has no location.
    case notLocated
    /// gpsd has no active receiver.
    case noReceiver
    /// The receiver reports that it has no fix.
    case noFix
    /// The source sends nothing, or nothing valid, or its receiver repeats the same time.
    case silent
    /// The receiver has sent nothing yet since locations are needed, which is not long ago: gpsd opens it.
    case starting
}
