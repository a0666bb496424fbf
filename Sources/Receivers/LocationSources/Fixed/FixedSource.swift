import Glibc
import LinuxPlumbing
package import LocationModel
import Logging
import NIOCore

/// The fixed position of a machine that does not move: the configured one or, without it, that of a file that is watched.
///
/// It is reported when locations are needed and whenever it changes, and never goes stale: it is the administrator's statement
/// that the machine is there now. While no locations are needed, the file is neither watched nor read.
package final class FixedSource: LocationSource, @unchecked Sendable {
    // Sendable: everything is used on `eventLoop` only; the entries check it.

    /// The origin of the position.
    package enum Origin: Sendable {
        /// The configuration.
        case configured(FixedLocation)
        /// A file.
        ///
        /// - Parameter read: returns its position, or `nil` without one.
        case file(path: String, read: @Sendable () -> FileResult)
    }

    /// The result of reading a file.
    package enum FileResult: Sendable {
        /// There is no file, or nothing in it.
        case none
        case location(FixedLocation)
        /// It is invalid, for this reason with its line. The last position that it had stays in force.
        case malformed(String)
        /// It cannot be read or trusted, for this reason. No position is in force.
        case refused(String)
    }

    package let kind = Location.SourceInformation.Kind.fixed
    private let origin: Origin
    private let context: SourceContext
    private var isNeeded = false
    private var isShutDown = false
    /// The position in force; that of a file from its last valid content.
    private var location: FixedLocation?
    private var lastError: String?
    private var watch: FileWatch?
    /// Kept from the first need for it, since a thread belongs to it.
    private var poller: DescriptorPoller?

    /// A source whose location is not needed yet.
    ///
    /// - Parameter origin: where the position comes from.
    package init(origin: Origin, context: SourceContext) {
        self.origin = origin
        self.context = context
        if case .configured(let location) = origin { self.location = location }
    }

    /// True with a position, and with a file that has none because it is refused.
    package var isPresent: Bool {
        switch origin {
        case .configured: true
        case .file(let path, _): access(path, F_OK) == 0
        }
    }

    /// Reports the position, and watches its file while it is needed.
    package func setDemand(_ demand: LocationDemand) {
        context.eventLoop.preconditionInEventLoop()
        let needed = demand > .off
        guard needed != isNeeded, !isShutDown else { return }
        isNeeded = needed
        guard needed else {
            watch?.stop()
            watch = nil
            return
        }
        switch origin {
        case .configured: deliver()
        case .file(let path, let read):
            // Watched first, so that no change is missed.
            beginWatch(of: path)
            update(read(), path, isFirst: true)
        }
    }

    /// The current status of the source.
    package var status: SourceStatus {
        context.eventLoop.preconditionInEventLoop()
        let connection: SourceStatus.Connection =
            isShutDown ? .closed : !isNeeded ? .idle : location == nil ? .retrying : .connected
        return SourceStatus(kind: .fixed, connection: connection, endpoint: endpoint, lastError: lastError)
    }

    /// Ends the watch of the file.
    package func shutdown() {
        context.eventLoop.preconditionInEventLoop()
        isShutDown = true
        watch?.stop()
        watch = nil
        poller?.stop()
        poller = nil
    }

    private var endpoint: String {
        switch origin {
        case .configured: "FixedLocation"
        case .file(let path, _): path
        }
    }

    private func beginWatch(of path: String) {
        do {
            let poller = try poller ?? DescriptorPoller(eventLoop: context.eventLoop, name: "fixed")
            self.poller = poller
            watch = try FileWatch(path: path, poller: poller) { [weak self] in
                guard let self, isNeeded, case .file(_, let read) = origin else { return }
                update(read(), path, isFirst: false)
            }
        } catch {
            context.logger.warning("Changes of \(path) are not noticed until a reload: \(error)")
        }
    }

    private func update(_ result: FileResult, _ path: String, isFirst: Bool) {
        let before = location
        switch result {
        case .none: (location, lastError) = (nil, nil)
        case .location(let new): (location, lastError) = (new, nil)
        case .malformed(let reason):
            complain(reason + (before == nil ? "" : " The position before it stays in force."))
        case .refused(let reason):
            complain("There is no fixed position: \(reason)")
            location = nil
        }
        if location != nil, isFirst || location != before { deliver() }
        if location == nil, before != nil { context.report(.noLocation) }
    }

    private func complain(_ reason: String) {
        // Once, because a file that stays as it is is read at each need.
        if lastError != reason { context.logger.warning("\(reason)") }
        lastError = reason
    }

    private func deliver() {
        guard let location else { return }
        context.report(.location(Location(location, timestamp: context.wallClock()), freshFor: nil))
    }
}

extension Location {
    /// The location of a machine at a fixed position.
    init(_ fixed: FixedLocation, timestamp: Timestamp) {
        self.init(coordinate: fixed.coordinate, timestamp: timestamp)
        altitude = fixed.altitude
        horizontalAccuracy = fixed.horizontalAccuracy
        sourceInformation = SourceInformation(kind: .fixed)
    }
}
