package import LinuxPlumbing
package import LocationModel
package import Logging
import NIOCore
import Pacing

/// The compass of a tablet or convertible, by iio-sensor-proxy on the system's bus.
///
/// The compass is claimed only while a heading is needed of it. It measures from magnetic north; the declination at the
/// machine's location gives the true heading.
package final class CompassSource: HeadingSource, @unchecked Sendable {
    // Sendable: everything is used on the event loop of the bus only; the entries check it.

    static let name = "net.hadess.SensorProxy"
    static let interface = "net.hadess.SensorProxy.Compass"
    static let path = "/net/hadess/SensorProxy/Compass"
    /// The shortest time between two headings.
    static let shortestInterval = TimeAmount.milliseconds(100)
    /// The time after which an unchanged heading is read again: iio-sensor-proxy signals changes only, and from 3.6 on not
    /// that the compass has been removed.
    ///
    /// Before 3.6 it returns the heading from the end of the last claim, at first 0°, until it reads the compass, which it
    /// does every 0.7 seconds; the heading is therefore not read earlier after a claim.
    static let repetition = TimeAmount.seconds(1)
    /// The time within which iio-sensor-proxy has to answer the release of the compass.
    private static let releaseTime = Duration.milliseconds(500)

    private enum Claim {
        case none, requested, held, released
    }

    fileprivate enum Problem: Equatable {
        case withoutBus(String?)
        case withoutService
        case refused(BusFailure)
        case withoutCompass
        case withoutDeclination
    }

    private let eventLoop: any EventLoop
    private let logger: Logger
    private let wallClock: @Sendable () -> Timestamp
    private let report: @Sendable (Heading) -> Void
    private let service: BusService
    private let timer: DeadlineTimer
    private var isNeeded = false
    private var isOpen = false
    private var isShutDown = false
    private var claim = Claim.none
    /// True until the last call of `ClaimCompass` is answered.
    private var isClaimSent = false
    private var backOff = BackOff(from: .seconds(5), to: .seconds(300))
    /// The heading in degrees clockwise from magnetic north; `nil` if unknown.
    private var magneticHeading: Double?
    /// True if `magneticHeading` has not been reported yet.
    private var isNew = false
    private var location: Location?
    private var lastReport: NIODeadline?
    private var currentProblem: Problem?

    /// A compass of which no heading is needed yet.
    ///
    /// - Parameters:
    ///   - bus: the system's bus, to whose event loop the source is confined.
    ///   - logger: never receives coordinates.
    ///   - wallClock: gives the times of the headings.
    ///   - report: receives every heading, on the event loop.
    package init(
        bus: SystemBus, logger: Logger, wallClock: @escaping @Sendable () -> Timestamp = Timestamp.now,
        report: @escaping @Sendable (Heading) -> Void
    ) {
        (eventLoop, self.logger, self.wallClock, self.report) = (bus.eventLoop, logger, wallClock, report)
        service = BusService(Self.name, on: bus)
        timer = DeadlineTimer(eventLoop: eventLoop)
        timer.action = { [weak self] in self?.proceed() }
    }

    package func setNeeded(_ isNeeded: Bool) {
        eventLoop.preconditionInEventLoop()
        guard !isShutDown, isNeeded != self.isNeeded else { return }
        self.isNeeded = isNeeded
        guard isNeeded else { return end() }
        if isOpen { return claimCompass() }
        isOpen = true
        service.open { [weak self] in self?.receive($0) }
    }

    package func setLocation(_ location: Location?) {
        eventLoop.preconditionInEventLoop()
        let isAwaited = self.location == nil || currentProblem == .withoutDeclination
        self.location = location
        if isAwaited, magneticHeading != nil { headingChanged() }
    }

    package var problem: String? {
        eventLoop.preconditionInEventLoop()
        return currentProblem?.text
    }

    /// Leaves the bus, by which iio-sensor-proxy releases the compass.
    package func shutdown() {
        eventLoop.preconditionInEventLoop()
        (isShutDown, isNeeded) = (true, false)
        close()
    }

    private func close() {
        disconnect()
        service.close()
        isOpen = false
    }

    /// Forgets the state of the running service.
    private func disconnect() {
        timer.set(nil)
        (claim, isClaimSent, magneticHeading, isNew) = (.none, false, nil, false)
    }

    /// Performs due work: claims the compass, reports its heading, or reads whether an unchanged one still holds.
    private func proceed() {
        switch claim {
        case .none: claimCompass()
        case .held: if isNew { reportHeading() } else { readHeading() }
        case .requested, .released: break
        }
    }

    // MARK: The claim

    private func receive(_ state: BusService.State) {
        disconnect()
        guard isNeeded else { return close() }
        switch state {
        case .unknown: break
        case .withoutBus: set(.withoutBus(service.busProblem))
        case .absent: set(.withoutService)
        case .running:
            set(nil)
            backOff.reset()
            service.handlePropertyChanges(of: Self.interface, below: Self.path) { [weak self] in self?.update($1) }
            claimCompass()
        }
    }

    private func claimCompass() {
        guard isNeeded, claim == .none, case .running = service.state else { return }
        claim = .requested
        sendClaim()
    }

    /// Sends the claim, which does nothing if it is held.
    private func sendClaim() {
        guard !isClaimSent else { return }
        isClaimSent = true
        service.call("ClaimCompass", of: Self.interface, at: Self.path) { [weak self] answer in
            self?.receiveClaim(answer)
        }
    }

    private func receiveClaim(_ answer: Result<[BusArgument], BusFailure>) {
        isClaimSent = false
        // That of a renewal, which the release has overtaken.
        if claim == .released { return }
        switch answer {
        case .success where !isNeeded: release()
        case .success where claim == .held: break
        case .success:
            claim = .held
            set(nil)
            timer.set(eventLoop.now + Self.repetition)
            if isNew { headingChanged() }
        case .failure(let failure):
            claim = .none
            guard isNeeded else { return close() }
            fail(.refused(failure))
        }
    }

    /// Tries again later.
    private func fail(_ problem: Problem) {
        (magneticHeading, isNew) = (nil, false)
        set(problem)
        timer.set(eventLoop.now + TimeAmount(backOff.next()))
    }

    /// Ends the use of the compass.
    private func end() {
        timer.set(nil)
        (magneticHeading, isNew, currentProblem) = (nil, false, nil)
        switch claim {
        case .none: close()
        case .held: release()
        // The answer is awaited.
        case .requested, .released: break
        }
    }

    private func release() {
        claim = .released
        service.call("ReleaseCompass", of: Self.interface, at: Self.path, timeout: Self.releaseTime) { [weak self] _ in
            guard let self else { return }
            claim = .none
            if isNeeded { claimCompass() } else { close() }
        }
    }

    // MARK: Headings

    /// Reads whether there is a compass, and its heading.
    private func readHeading() {
        service.readProperties(of: Self.interface, at: Self.path) { [weak self] answer in
            guard let self, isNeeded, claim == .held else { return }
            timer.set(eventLoop.now + Self.repetition)
            switch answer {
            case .success(let properties): update(properties, wereRead: true)
            case .failure(let failure): fail(.refused(failure))
            }
        }
        // iio-sensor-proxy forgets the claims of a compass that is removed, also if it returns.
        sendClaim()
    }

    /// Receives the properties that have changed, or all of them.
    ///
    /// - Parameter wereRead: false for those that iio-sensor-proxy signals.
    private func update(_ properties: BusArgument, wereRead: Bool = false) {
        guard isNeeded, claim == .requested || claim == .held else { return }
        if let hasCompass = properties["HasCompass"]?.isTrue {
            guard hasCompass else { return fail(.withoutCompass) }
            backOff.reset()
            if !wereRead || currentProblem == .withoutCompass {
                // It has just appeared: the heading is from before.
                set(nil)
                timer.set(eventLoop.now + Self.repetition)
                return sendClaim()
            }
            if currentProblem != .withoutDeclination { set(nil) }
        }
        guard let heading = properties["CompassHeading"]?.real else { return }
        // −1 if it is unknown.
        magneticHeading = (0...360).contains(heading) ? heading : nil
        headingChanged()
    }

    /// Reports the heading, now or when the next one is due.
    private func headingChanged() {
        isNew = true
        guard claim == .held else { return }
        guard let lastReport, lastReport + Self.shortestInterval > eventLoop.now else { return reportHeading() }
        timer.set(lastReport + Self.shortestInterval)
    }

    private func reportHeading() {
        let now = eventLoop.now
        isNew = false
        timer.set(now + Self.repetition)
        guard let magneticHeading, let location else { return }
        let declination = GeomagneticModel.declination(
            at: location.coordinate, altitude: location.ellipsoidalAltitude ?? location.altitude ?? 0,
            // Of the receiver, whose date is right while the machine's may be wrong.
            time: location.timestamp)
        guard let declination else { return set(.withoutDeclination) }
        if currentProblem == .withoutDeclination { set(nil) }
        let heading = Heading(
            trueHeading: (magneticHeading + declination + 360).truncatingRemainder(dividingBy: 360),
            timestamp: wallClock(), sourceInformation: .init(device: "compass"))
        // Not before the heading's own time, so that those of two are never closer than the interval.
        lastReport = eventLoop.now
        // The last statement: who receives it may end the need.
        report(heading)
    }

    private func set(_ problem: Problem?) {
        guard problem != currentProblem else { return }
        currentProblem = problem
        // Most machines have no compass, which is nothing to report each time that a map is opened.
        if let problem { logger.log(level: problem.isDefect ? .notice : .debug, "\(problem.text)") }
    }
}

extension CompassSource.Problem {
    /// True for what somebody may have to set right.
    fileprivate var isDefect: Bool {
        switch self {
        case .withoutBus, .refused: true
        case .withoutService, .withoutCompass, .withoutDeclination: false
        }
    }

    fileprivate var text: String {
        switch self {
        case .withoutBus(let reason): "The system's message bus cannot be reached: \(reason ?? "it has ended")."
        case .withoutService:
            "No receiver has a compass, and iio-sensor-proxy, which reads those of tablets and convertibles, is not running: "
                + "it starts where there is a sensor. To install it, run: sudo apt install iio-sensor-proxy"
        case .refused(let failure) where failure.name.hasSuffix(".AccessDenied"):
            "iio-sensor-proxy does not let this service use the compass: \(failure.sentence) Install the package locationd again."
        case .refused(let failure): "iio-sensor-proxy does not give the compass: \(failure.sentence)"
        case .withoutCompass: "Neither a receiver nor the machine has a compass."
        case .withoutDeclination:
            "The compass gives no true heading: the World Magnetic Model 2025 holds from 2025 to 2031, and not beside the "
                + "magnetic poles."
        }
    }
}

extension BusFailure {
    /// The text, with a full stop.
    fileprivate var sentence: String { text.hasSuffix(".") ? text : "\(text)." }
}
