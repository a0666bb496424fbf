import Glibc
package import LocationModel
import Logging
import NIOCore
import WiFiPositioning
package import WiFiScanning

/// Wi-Fi positioning as a source: scans for access points, and queries a server as ``AskingPolicy`` permits.
///
/// While it is not needed it has no connection to the bus and no timer, and an open request is cancelled.
package final class WiFiSource: LocationSource, @unchecked Sendable {
    // Sendable: everything is used on `eventLoop` only; the entries check it.

    package let kind = Location.SourceInformation.Kind.wifi
    /// Its log never receives addresses either.
    private let context: SourceContext
    private let scanner: any WiFiScanner
    private let service: any PositioningService
    private let clock: @Sendable () -> Duration
    private let timer: DeadlineTimer
    /// The server's name; `nil` while none is known.
    private var server: String?

    private var demand = LocationDemand.off
    private var policy = AskingPolicy()
    private var state = SourceStatus.Connection.idle
    private var lastError: String?
    /// The last problem that was logged: one that lasts is not to fill the journal.
    private var loggedError: String?
    private var step = Step.scan
    /// True if a scan was requested since there were access points.
    private var hasScanned = false
    /// Cancels the open request.
    private var cancelRequest: (@Sendable () -> Void)?
    /// Tells the answer of the open request from those to cancelled ones.
    private var request = 0
    private var requests = DailyCount()

    /// The step that the timer begins.
    private enum Step {
        /// To begin a scan.
        case scan
        /// To read the known access points although the scan has not ended.
        case read
    }

    /// The time within which a scan ends.
    private static let scanTime = TimeAmount.seconds(8)

    /// A source whose locations are not needed yet.
    ///
    /// - Parameters:
    ///   - server: the name of the server that will be asked, for the status.
    ///   - clock: the time since the machine's start, sleep included.
    package init(
        scanner: any WiFiScanner, service: any PositioningService, server: String?, context: SourceContext,
        clock: @escaping @Sendable () -> Duration = BootClock.now
    ) {
        (self.scanner, self.service, self.server) = (scanner, service, server)
        (self.context, self.clock) = (context, clock)
        timer = DeadlineTimer(eventLoop: context.eventLoop)
        timer.action = { [weak self] in self?.proceed() }
    }

    /// Starts or stops looking for access points, or changes how often.
    package func setDemand(_ demand: LocationDemand) {
        context.eventLoop.preconditionInEventLoop()
        guard state != .closed, demand != self.demand else { return }
        let before = self.demand
        self.demand = demand
        if demand == .off { return stop() }
        if before == .off {
            state = .connecting
            scanner.open { [weak self] in self?.receive($0) }
        } else if demand > before, state == .connected {
            look()
        }
    }

    package var status: SourceStatus {
        context.eventLoop.preconditionInEventLoop()
        var status = SourceStatus(
            kind: .wifi, connection: state, endpoint: server ?? "no server", lastError: lastError)
        status.requestsToday = requests.count(at: context.wallClock())
        return status
    }

    /// Forgets all known places, and cancels the open request.
    package func forget() {
        context.eventLoop.preconditionInEventLoop()
        cancel()
        policy.forget(at: clock())
    }

    package func shutdown() {
        context.eventLoop.preconditionInEventLoop()
        stop()
        state = .closed
    }

    private func stop() {
        cancel()
        timer.set(nil)
        scanner.close()
        state = .idle
    }

    private func cancel() {
        request += 1
        cancelRequest?()
        cancelRequest = nil
        policy.cancelled(at: clock())
    }

    // MARK: Access points

    private func receive(_ event: WiFiEvent) {
        guard demand > .off else { return }
        switch event {
        case .available:
            state = .connected
            look()
        case .unavailable(let failure):
            state = .retrying
            timer.set(nil)
            complain(failure.description)
        case .scanned:
            // Others' scans serve as well, where each location is wanted.
            if state == .connected, step == .read || demand == .continuous { look() }
        }
    }

    /// Reads the known access points, and scans if there are none.
    private func look() {
        wait(demand.scanInterval, for: .scan)
        scanner.read { [weak self] result in
            guard let self, demand > .off else { return }
            switch result {
            case .success(let scan):
                // The first reading of a connection is often too old.
                if !consider(scan), step == .scan, !hasScanned { proceed() }
            case .failure(let failure): complain(failure.description)
            }
        }
    }

    private func wait(_ time: TimeAmount, for step: Step) {
        self.step = step
        timer.set(context.eventLoop.now + time)
    }

    private func proceed() {
        switch step {
        case .scan:
            hasScanned = true
            wait(Self.scanTime, for: .read)
            scanner.requestScan { [weak self] failure in
                guard let self, let failure, demand > .off else { return }
                complain(failure.description)
            }
        case .read:
            look()
        }
    }

    /// Acts on a scan. Returns false if it has too few access points.
    private func consider(_ scan: WiFiScan) -> Bool {
        let now = clock()
        let selection = AccessPointSelection(scan.points, at: now)
        guard selection.isSufficient, let age = selection.age else {
            if hasScanned {
                complain(
                    scan.points.isEmpty
                        ? "No access point is heard"
                        : "Fewer than two access points are heard that a server may be asked about")
            }
            return false
        }
        hasScanned = false
        let actions = policy.scanned(
            selection.addresses, isCoarse: demand == .coarse, isOnline: scan.isOnline, at: now)
        if actions.isEmpty, !scan.isOnline {
            complain("The server is not asked, since there is no connection to the Internet")
        }
        perform(actions, heard: now - age, selection.points)
        return true
    }

    // MARK: Asking

    private func perform(_ actions: [AskingPolicy.Action], heard: Duration, _ points: [AccessPoint] = []) {
        for action in actions {
            switch action {
            case .report(let position): publish(position, heard: heard)
            case .ask: ask(points, heard: heard)
            }
        }
    }

    private func ask(_ points: [AccessPoint], heard: Duration) {
        request += 1
        let number = request
        requests.add(at: context.wallClock())
        context.logger.debug("Asking \(server ?? "the server") about \(points.count) access points")
        cancelRequest = service.locate(points) { [weak self] result in
            guard let self, number == request else { return }
            cancelRequest = nil
            receive(result, heard: heard)
        }
    }

    private func receive(_ result: Result<PositioningReply, PositioningFailure>, heard: Duration) {
        switch result {
        case .success(let reply):
            server = reply.server
            (lastError, loggedError) = (nil, nil)
            perform(policy.ended(.position(reply.position), at: clock()), heard: heard)
        case .failure(let failure):
            complain(failure.message)
            perform(policy.ended(failure.outcome, at: clock()), heard: heard)
        }
    }

    private func publish(_ position: NetworkPosition, heard: Duration) {
        let age = max(.zero, clock() - heard)
        let left = TimeAmount(demand.freshTime - age)
        guard demand > .off, left > .zero else { return }
        var location = Location(
            coordinate: position.coordinate, timestamp: context.wallClock().advanced(by: .zero - age))
        location.horizontalAccuracy = position.horizontalAccuracy
        location.sourceInformation = .init(kind: .wifi, isSimulated: false)
        context.report(.location(location, freshFor: left))
    }

    private func complain(_ problem: String) {
        lastError = problem
        if problem != loggedError { context.logger.notice("No location by Wi-Fi: \(problem).") }
        loggedError = problem
    }
}

extension PositioningFailure {
    /// The failure as an outcome for the policy.
    fileprivate var outcome: AskingPolicy.Outcome {
        switch reason {
        case .notFound: .notFound
        case .notConfigured, .unreachable, .untrusted:
            .failed(hasReached: false, retryAfter: retryAfter.map { .seconds($0) })
        case .timeout, .tooLarge, .redirected, .busy, .refused, .notAPosition:
            .failed(hasReached: true, retryAfter: retryAfter.map { .seconds($0) })
        }
    }
}

extension LocationDemand {
    /// The time between two scans. Somewhat more than the shortest interval of requests, so that each may ask.
    fileprivate var scanInterval: TimeAmount {
        switch self {
        case .continuous: .seconds(32)
        case .periodic: .minutes(5)
        // As often as a program with reduced accuracy gets a location.
        case .coarse, .off: .minutes(15)
        }
    }

    /// The time after a scan for which a location is fresh: until the next scan but one for those who want all, and for the
    /// others until the next has ended.
    fileprivate var freshTime: Duration {
        switch self {
        case .continuous: .seconds(90)
        case .periodic: .seconds(6 * 60)
        case .coarse, .off: .seconds(17 * 60)
        }
    }
}

/// Counts events of a day, by the machine's time zone.
private struct DailyCount {
    private var day = 0
    private var events = 0

    mutating func add(at time: Timestamp) {
        events = count(at: time) + 1
        day = Self.day(of: time)
    }

    func count(at time: Timestamp) -> Int { Self.day(of: time) == day ? events : 0 }

    private static func day(of time: Timestamp) -> Int {
        var seconds = time_t(time.nanosecondsSince1970 / 1_000_000_000)
        var local = tm()
        localtime_r(&seconds, &local)
        return Int(local.tm_year) * 366 + Int(local.tm_yday)
    }
}
