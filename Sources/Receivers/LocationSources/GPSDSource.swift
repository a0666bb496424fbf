package import GPSDProtocol
package import LocationModel
import Logging
import NIOCore

/// A gpsd as a source: `GPSDConnection` connects while locations are needed, and `GPSDUnpacker` interprets gpsd's lines with
/// libgps.
package final class GPSDSource: LocationSource, @unchecked Sendable {
    // Sendable: everything is used on `eventLoop` only; the entries check it.

    package let kind = Location.SourceInformation.Kind.receiver
    private let endpoint: GPSDAddress
    private let context: SourceContext
    private let unpacker = GPSDUnpacker()
    private var connection: GPSDConnection?
    private var isNeeded = false
    private var isAvailabilityWatched = false
    /// gpsd's receivers; `nil` until it has listed them.
    private var devices: Set<String>?
    /// True if gpsd could not be reached.
    private var isUnreachable = false

    private var version: String?
    private var lastError: String?
    private var connects = 0
    private var rejectedLines = 0
    private var hasLoggedComplaint = false

    /// A source whose locations are not needed yet.
    ///
    /// - Parameters:
    ///   - endpoint: gpsd's address.
    ///   - randomness: numbers from 0 to 1, to spread reconnections.
    package init(
        endpoint: GPSDAddress, context: SourceContext,
        randomness: @escaping @Sendable () -> Double = { .random(in: 0...1) }
    ) {
        self.endpoint = endpoint
        self.context = context
        connection = GPSDConnection(
            endpoint: endpoint, eventLoop: context.eventLoop, logger: context.logger, randomness: randomness,
            handler: { [weak self] in self?.receive($0) })
    }

    /// Connects to gpsd and watches it, or stops watching. An established connection stays open.
    package func setDemand(_ demand: LocationDemand) {
        context.eventLoop.preconditionInEventLoop()
        // gpsd reports all that its receivers send, whatever is needed of it.
        let needed = demand > .off
        guard needed != isNeeded else { return }
        isNeeded = needed
        updateInterest()
    }

    /// True if gpsd has a receiver.
    package var isAvailable: Bool? { isUnreachable ? false : devices.map { !$0.isEmpty } }

    /// Requests gpsd's receivers, and stays connected until the first one is reported.
    package func watchAvailability(_ isWatched: Bool) {
        isAvailabilityWatched = isWatched
        updateInterest()
    }

    /// Asks gpsd for its receivers again.
    package func refreshAvailability() { connection?.refresh() }

    private func updateInterest() {
        connection?.setInterest(isNeeded ? .reports : isAvailabilityWatched ? .receivers : .nothing)
    }

    /// Notes the receivers that gpsd has, and reports whether there are any.
    private func note(_ devices: Set<String>?, isUnreachable: Bool = false) {
        let before = isAvailable
        (self.devices, self.isUnreachable) = (devices, isUnreachable)
        if let devices { connection?.awaitReceiver(devices.isEmpty) }
        if isAvailable != before { context.report(.availability) }
    }

    private func note(_ report: ReceiverReport) {
        switch report {
        case .receivers(let all): note(Set(all.map(\.device)))
        // gpsd 3.22 lists a closed receiver until it is removed.
        case .receiver(let one): note((devices ?? []).union([one.device]))
        case .position, .sky, .heading: break
        }
    }

    /// The current status of gpsd and the connection to it.
    package var status: SourceStatus {
        context.eventLoop.preconditionInEventLoop()
        var status = SourceStatus(
            connection: connection?.status ?? .closed, endpoint: "\(endpoint)", version: version, lastError: lastError)
        status.counters.rejectedLines = rejectedLines
        status.counters.reconnects = max(0, connects - 1)
        return status
    }

    /// Closes the connection for good.
    package func shutdown() {
        context.eventLoop.preconditionInEventLoop()
        connection?.shutdown()
        connection = nil
    }

    private func receive(_ event: GPSDConnection.Event) {
        switch event {
        case .connected:
            connects += 1
            hasLoggedComplaint = false
            lastError = nil
            context.report(.connected)
        case .disconnected(let reason):
            lastError = reason
            context.report(.disconnected)
            note(nil, isUnreachable: true)
        case .line(let line):
            do {
                let arrival = context.wallClock()
                let message = try unpacker.message(line, arrival: arrival)
                connection?.accepted()
                handle(message, arrival)
            } catch {
                reject(because: error)
            }
        case .lineTooLong:
            reject(because: .tooLong)
        }
    }

    private func handle(_ message: GPSDMessage, _ arrival: Timestamp) {
        switch message {
        case .report(let receiver):
            context.report(.receiver(receiver, clock: arrival))
            note(receiver)
        case .version(let release): version = release.bounded
        case .error(let message):
            let complaint = "gpsd at \(endpoint) reports an error: \(message.bounded)"
            lastError = complaint
            // Log once a connection, because gpsd may complain without end.
            if !hasLoggedComplaint { context.logger.notice("\(complaint)") }
            hasLoggedComplaint = true
        case .other: break
        }
    }

    private func reject(because reason: GPSDLineError) {
        rejectedLines += 1
        lastError = "\(endpoint) sent a line that is not gpsd's protocol (\(reason))"
        // Do not log the line: it may contain a position.
        context.logger.debug(
            "\(endpoint) sent a line that is not gpsd's protocol (\(reason)), the \(rejectedLines)th so far")
        connection?.rejected()
    }
}

extension String {
    /// The first part of a text from gpsd, at most 200 characters.
    fileprivate var bounded: String { String(String.UnicodeScalarView(unicodeScalars.prefix(200))) }
}
