import HTTPTransfer
import Glibc
import LinuxPlumbing
import LocationClient
import LocationInterface
import LocationModel
import LocationSharing
package import Logging
import NIOCore
import NIOPosix
import Pacing

/// The program that sends: reads the location as any other program does, and gives it to the user's destinations.
///
/// One task takes all events in, one at a time: new settings, locations, outcomes and timers.
package struct ShareRunner {
    private enum Event: Sendable {
        case settingsChanged
        /// An update of the numbered subscription.
        case update(Int, LocationUpdate)
        /// The numbered subscription has ended.
        case unsubscribed(Int, LocationError)
        /// The outcome of a message of the numbered line to a destination.
        case sent(String, Int, ShareMachine.Outcome)
        /// The authorization, while no location is wanted but there is something that it may take back.
        case authorized(LocationAuthorization)
        case unwatched
        case wake(String, Int)
        /// The bytes of removed positions of the numbered line are to be erased.
        case erase(String, Int)
        case subscribe
    }

    /// A destination, with its current work.
    ///
    /// A class, because each look at a member in the dictionary would copy a structure of this size.
    private final class Line {
        /// Tells it from others to a destination of that name.
        let number: Int
        var destination: Destination
        /// The text of its URL and key; `nil` if it cannot be read.
        var url: String?
        var machine: ShareMachine
        let queue: QueueFile
        /// Waits to erase the bytes of removed positions.
        var eraser: Task<Void, Never>?
        var link: (any DestinationLink)?
        var cancellation: HTTPTransfer.Cancellation?
        var timer: Task<Void, Never>?
        var timerDue: ContinuousClock.Instant?
        var loggedProblem: String?
        var loggedFileProblem: String?

        init(number: Int, destination: Destination, machine: ShareMachine, queue: QueueFile) {
            (self.number, self.destination, self.machine, self.queue) = (number, destination, machine, queue)
        }
    }

    /// The time after which the files of a destination that could not be used are tried again.
    private static let retryInterval = Duration.seconds(60)

    private let directory: ShareDirectory
    private let manager: LocationManager
    private let logger: Logger
    private let notifies: Bool
    /// The last notification, which is shown after those before it.
    private var notice: Task<Void, Never>?
    private let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation
    private var lines: [String: Line] = [:]
    private var lineNumber = 0
    /// The destinations whose files cannot be used, each with the reason, and when they are tried again.
    private var faults: [String: String] = [:]
    private var retry: Task<Void, Never>?
    private var subscription: Task<Void, Never>?
    private var subscribedNeed: LocationNeed?
    private var subscriptionNumber = 0
    private var subscribing: Task<Void, Never>?
    private var authorizationWatch: Task<Void, Never>?
    /// The event loop of the bridges.
    private let eventLoop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()
    /// True while the subscription gives reduced locations, which it says once.
    private var isReduced = false
    private var backOff = BackOff(from: .seconds(1), to: .seconds(60))

    /// - Parameters:
    ///   - directory: the user's destinations.
    ///   - socketPath: the location service's socket; `nil` for the environment's or the system's.
    ///   - notifies: true to notify the user of a share that stops on the desktop.
    ///   - logger: never receives a position or a URL.
    package init(directory: ShareDirectory, socketPath: String?, notifies: Bool, logger: Logger) {
        (self.directory, self.notifies, self.logger) = (directory, notifies, logger)
        manager = LocationManager(socketPath: socketPath)
        (events, continuation) = AsyncStream.makeStream(of: Event.self)
    }

    /// Sends until no share is left and every service has been told of the end.
    package mutating func run() async throws {
        guard let lock = try directory.lockForSending() else { throw ShareRunnerError.running }
        defer { close(lock) }
        let watch = try await SettingsWatch.start(directory.destinationsFile, on: eventLoop) { [continuation] in
            continuation.yield(.settingsChanged)
        }
        try readSettings()
        SystemdProtocol.notifyReady()
        var events = events.makeAsyncIterator()
        while !isDone, let event = await events.next() { try take(event) }
        subscription?.cancel()
        subscribing?.cancel()
        authorizationWatch?.cancel()
        retry?.cancel()
        for name in lines.keys { removeLine(name) }
        try await watch.stop()
        await notice?.value
        logger.info("Exiting: no share is active.")
    }

    private var isDone: Bool {
        let moment = ShareMachine.Moment()
        return faults.isEmpty && lines.values.allSatisfy { $0.machine.isIdle(at: moment) && $0.cancellation == nil }
    }

    private mutating func take(_ event: Event) throws {
        switch event {
        case .settingsChanged: try readSettings()
        case .update(let number, let update):
            if number == subscriptionNumber { take(update) }
        case .unsubscribed(let number, let error):
            if number == subscriptionNumber { unsubscribed(error) }
        case .subscribe: subscribing = nil
        case .sent(let name, let number, let outcome):
            guard lines[name]?.number == number else { return }
            lines[name]?.cancellation = nil
            pass(to: name) { $0.answered(outcome, random: .random(in: 0...1), $1) }
            log(name, outcome)
        case .authorized(let authorization): take(authorization)
        case .unwatched: authorizationWatch = nil
        case .wake(let name, let number):
            guard lines[name]?.number == number else { return }
            lines[name]?.timerDue = nil
            pass(to: name) { $0.wake($1) }
        case .erase(let name, let number):
            guard let line = lines[name], line.number == number else { return }
            line.eraser = nil
            line.queue.erase()
        }
        updateSubscription()
    }

    // MARK: Settings

    private mutating func readSettings() throws {
        // Nothing is sent by settings that cannot be read: the program ends.
        let destinations = try directory.destinations()
        for name in lines.keys where !destinations.contains(where: { $0.name == name }) { removeLine(name) }
        let before = faults
        faults = [:]
        var isNewShare = false
        for destination in destinations {
            let (name, share) = (destination.name, lines[destination.name]?.destination.share)
            do {
                try prepare(destination)
            } catch {
                // Of this destination only; the others go on.
                removeLine(name)
                faults[name] = "\(error)"
                if before[name] != faults[name] { logger.error("Nothing is sent to \(name): \(error)") }
                continue
            }
            if destination.share != nil, destination.share != share { isNewShare = true }
            pass(to: name) { $0.configure(destination.share, $1) }
        }
        retry?.cancel()
        retry = faults.isEmpty ? nil : later(Self.retryInterval, .settingsChanged)
        // A user who stays in one place has no update due; a new subscription begins with the present location.
        if isNewShare { endSubscription() }
        updateSubscription()
    }

    /// Ends all work for a destination that has been removed or cannot be used.
    private mutating func removeLine(_ name: String) {
        lines[name]?.cancellation?.cancel()
        lines[name]?.timer?.cancel()
        lines[name]?.eraser?.cancel()
        lines[name]?.link?.close()
        lines[name] = nil
    }

    /// Makes the line to a destination, and the link that belongs to it now.
    private mutating func prepare(_ destination: Destination) throws {
        let name = destination.name
        let old = lines[name]?.destination
        if lines[name] == nil { lines[name] = try line(to: destination) }
        lines[name]?.destination = destination
        guard destination.endpoint == nil else {
            if old.map({ $0.isReached(as: destination) }) == false { closeLink(name) }
            return
        }
        let url: String?
        do throws(ShareDirectoryError) {
            url = try directory.url(of: name)
        } catch {
            if case .disk = error { throw error }
            logFileProblem(name, "Nothing is sent to \(name): \(error)")
            url = nil
        }
        guard old.map({ $0.isReached(as: destination) }) != true || lines[name]?.url != url || url == nil else {
            return
        }
        lines[name]?.url = url
        lines[name]?.link?.close()
        let link = url.flatMap { self.link(to: destination, $0) }
        lines[name]?.link = link
    }

    private mutating func line(to destination: Destination) throws -> Line {
        let queue = try QueueFile(of: destination, in: directory, logger: logger)
        let state = try directory.stateOrStop(of: destination)
        let machine = ShareMachine(
            state, gridKey: destination.gridKey, service: destination.service,
            queue: queue.isThere ? destination.share?.queue : nil, lastSequence: try queue.lastSequence())
        lineNumber += 1
        return Line(number: lineNumber, destination: destination, machine: machine, queue: queue)
    }

    /// Opens a bridge while its readers may connect, and closes it otherwise.
    private mutating func openOrClose(_ name: String) {
        guard let line = lines[name], let endpoint = line.destination.endpoint else { return }
        let isOpen = line.link != nil
        let isAdmitting = line.machine.admitsReaders(at: ShareMachine.Moment())
        if isOpen, !isAdmitting {
            closeLink(name)
        } else if isAdmitting, !isOpen {
            line.link = BridgeLink(endpoint, line.destination.service, on: eventLoop, logger: logger)
        }
    }

    private mutating func closeLink(_ name: String) {
        lines[name]?.link?.close()
        lines[name]?.link = nil
    }

    private func link(to destination: Destination, _ url: String) -> (any DestinationLink)? {
        do throws(InvalidServiceURL) {
            return destination.service == .mqtt
                ? try BrokerLink(destination, url) : try ShareLink(destination, url)
        } catch {
            logger.error("Nothing is sent to \(destination.name): \(error)")
            return nil
        }
    }

    // MARK: Locations

    /// Subscribes while a share needs locations, and not longer, with the needs of the shares.
    private mutating func updateSubscription() {
        let moment = ShareMachine.Moment()
        // After each event, so by a plain loop.
        var needs: [LocationNeed] = []
        for line in lines.values where line.machine.phase(at: moment) == .sharing { needs.append(line.machine.need) }
        let need = LocationNeed(of: needs)
        watchAuthorization(need == nil && lines.values.contains { $0.machine.isHolding(at: moment) })
        guard let need else { return endSubscription() }
        if need != subscribedNeed { endSubscription() }
        if subscription == nil, subscribing == nil { subscribe(need) }
    }

    private mutating func endSubscription() {
        subscription?.cancel()
        subscribing?.cancel()
        (subscription, subscribing, subscribedNeed) = (nil, nil, nil)
        subscriptionNumber += 1
    }

    private mutating func subscribe(_ need: LocationNeed) {
        endSubscription()
        (subscribedNeed, isReduced) = (need, false)
        let number = subscriptionNumber
        var manager = manager
        // No updates while the user stays in one place, which is a day's greater part.
        manager.pausesLocationUpdatesAutomatically = need != .live
        manager.includesHeading = need == .live
        switch need {
        case .live, .all: break
        case .newest(let interval): manager.minimumInterval = interval
        case .track(let thinning): manager.thinning = thinning
        }
        // Unstructured, because it ends when the last share does.
        subscription = Task { [manager, continuation] in
            do {
                for try await update in manager.liveUpdates() { continuation.yield(.update(number, update)) }
            } catch {
                continuation.yield(.unsubscribed(number, .wrapping(error)))
            }
        }
    }

    /// Watches the authorization while no location is wanted: a share that has stopped, or waits for the clock, may have positions
    /// that it takes back.
    private mutating func watchAuthorization(_ isNeeded: Bool) {
        guard isNeeded != (authorizationWatch != nil) else { return }
        authorizationWatch?.cancel()
        authorizationWatch = nil
        guard isNeeded else { return }
        // Unstructured, because it ends when a share is live again.
        authorizationWatch = Task { [manager, continuation] in
            do {
                for try await authorization in manager.authorizationUpdates() {
                    continuation.yield(.authorized(authorization))
                }
            } catch {
                guard (try? await Task.sleep(for: Self.retryInterval)) != nil else { return }
                continuation.yield(.unwatched)
            }
        }
    }

    private mutating func take(_ authorization: LocationAuthorization) {
        for name in lines.keys.sorted() {
            pass(to: name) { machine, moment in
                guard machine.isHolding(at: moment) else { return [] }
                guard authorization.status == .authorizedAlways else {
                    let sentence = authorization.cause?.message ?? "Sharing needs your permission at any time."
                    return machine.withhold(.revoked(sentence), moment)
                }
                return authorization.accuracy == .reduced
                    ? machine.limitAccuracy(moment)
                    : machine.withhold(.interrupted("Waiting for the location service."), moment)
            }
        }
    }

    private mutating func take(_ update: LocationUpdate) {
        backOff.reset()
        if let heading = update.heading { take(heading) }
        guard update.heading == nil || update.location != nil || update.diagnostic != nil else { return }
        if update.accuracyLimited { isReduced = true }
        if let location = update.location, !location.hasReducedForm { isReduced = false }
        let isReduced = isReduced
        let sentence = update.sentence ?? "There is no location."
        for name in lines.keys.sorted() {
            pass(to: name) { machine, moment in
                if let location = update.location {
                    return machine.receive(location, isReduced: isReduced, moment)
                }
                if update.accuracyLimited { return machine.limitAccuracy(moment) }
                if update.stationary { return machine.stay(moment) }
                if update.authorizationDenied || update.authorizationRestricted || update.insufficientlyInUse {
                    return machine.withhold(.revoked(sentence), moment)
                }
                if update.serviceUnavailable || update.authorizationRequestInProgress {
                    return machine.withhold(.interrupted(sentence), moment)
                }
                // There is no location, maybe for a reason of a later release.
                guard update.diagnostic != nil else { return [] }
                // Where a rule about a place may withhold locations, each absence of one is without a cause.
                return machine.withhold(update.cause == nil ? .concealed(sentence) : .unavailable(sentence), moment)
            }
        }
        logWithholding(update.location == nil && !update.stationary ? update.sentence : nil)
    }

    private mutating func take(_ heading: Heading) {
        for name in Array(lines.keys) { lines[name]?.machine.receive(heading, ShareMachine.Moment()) }
    }

    private mutating func unsubscribed(_ error: LocationError) {
        subscription = nil
        let isGone: Bool = if case .serviceUnavailable = error { true } else { false }
        for name in lines.keys.sorted() {
            // The absence of the service revokes nothing; every other answer is a refusal.
            pass(to: name) {
                $0.withhold(isGone ? .interrupted(error.description) : .revoked(error.description), $1)
            }
        }
        logWithholding(error.description)
        subscribing = later(backOff.next(random: .random(in: 0...1)), .subscribe)
    }

    private var loggedWithholding: String?

    private mutating func logWithholding(_ sentence: String?) {
        if let sentence, sentence != loggedWithholding { logger.notice("Nothing is sent: \(sentence)") }
        loggedWithholding = sentence
    }

    // MARK: Actions

    private mutating func pass(
        to name: String, _ event: (inout ShareMachine, ShareMachine.Moment) -> [ShareMachine.Action]
    ) {
        guard let line = lines[name] else { return }
        let failedShare = line.machine.state.failedShare
        line.queue.deleteAgain()
        var (isSaved, mayBeSent) = (true, true)
        let actions = event(&line.machine, ShareMachine.Moment())
        openOrClose(name)
        for action in actions {
            switch action {
            case .save(let state):
                do throws(ShareDirectoryError) {
                    try directory.setState(state, of: name)
                    logFileProblem(name, nil)
                } catch {
                    isSaved = false
                    mayBeSent = lines[name]?.machine.notSaved(error.description, ShareMachine.Moment()) ?? false
                    logFileProblem(
                        name,
                        "\(name): \(error)" + (mayBeSent ? "" : " Nothing is sent until what is sent can be on record.")
                    )
                }
            case .queue(let record, let start): line.queue.append(record, to: start)
            case .load(let count):
                let (records, damaged) = line.queue.load(count)
                pass(to: name) { $0.load(records, damaged: damaged, $1) }
            case .remove(let sequences): if line.queue.remove(sequences) { eraseLater(line) }
            case .deleteQueue: line.queue.delete()
            case .send(let message): if mayBeSent { send(message, to: name) }
            case .cancel: lines[name]?.cancellation?.cancel()
            case .wake(let delay): wake(name, after: delay)
            }
        }
        if let state = lines[name]?.machine.state, state.failedShare != failedShare, let problem = state.problem {
            notify(name, problem)
        }
        // The machine has the state saved again later.
        if !isSaved { pass(to: name) { $0.wake($1) } }
    }

    private mutating func wake(_ name: String, after delay: Duration) {
        let due = ContinuousClock.now + delay
        // An earlier one performs the due work, and schedules the next.
        if let timerDue = lines[name]?.timerDue, timerDue <= due, timerDue > .now { return }
        guard let number = lines[name]?.number else { return }
        lines[name]?.timer?.cancel()
        lines[name]?.timerDue = due
        lines[name]?.timer = later(delay, .wake(name, number))
    }

    private func eraseLater(_ line: Line) {
        guard line.eraser == nil else { return }
        line.eraser = later(QueueFile.erasureInterval, .erase(line.destination.name, line.number))
    }

    /// Takes in an event after a delay, unless the task is cancelled before.
    private func later(_ delay: Duration, _ event: Event) -> Task<Void, Never> {
        // Unstructured, because other events are taken in meanwhile.
        Task { [continuation] in
            guard (try? await Task.sleep(for: delay)) != nil else { return }
            continuation.yield(event)
        }
    }

    private mutating func send(_ message: ShareMessage, to name: String) {
        guard let line = lines[name] else { return }
        // Its file may be in order again.
        if line.link == nil, line.destination.endpoint == nil, let url = try? directory.url(of: name) {
            lines[name]?.url = url
            let link = link(to: line.destination, url)
            lines[name]?.link = link
        }
        guard let link = lines[name]?.link else {
            let problem = "The URL of \(name) is missing, or not valid any more."
            continuation.yield(.sent(name, line.number, .answered(.wrong(problem))))
            return
        }
        let cancellation = HTTPTransfer.Cancellation()
        lines[name]?.cancellation = cancellation
        let number = line.number
        link.send(message, line.machine.terms, cancellation) { [continuation] outcome in
            continuation.yield(.sent(name, number, outcome ?? .answered(.stored)))
        }
    }

    /// Tells the user that a share has stopped.
    private mutating func notify(_ name: String, _ problem: String) {
        guard notifies else { return }
        let notice = DesktopNotice(
            summary: "Your position is no longer shared with \(name).",
            body: "\(problem) After you have solved it, run: locationctl share start \(name)")
        // Unstructured, because the events are taken in meanwhile. Ends within two minutes, as each call to the bus has a limit.
        self.notice = Task { [logger, previous = self.notice] in
            await previous?.value
            if let reason = await notice.show() {
                logger.notice("\(name) has stopped, and no notification tells the user so. \(reason)")
            }
        }
    }

    /// Logs a problem of the files of a destination, once while it stays the same.
    private mutating func logFileProblem(_ name: String, _ problem: String?) {
        guard let line = lines[name], problem != line.loggedFileProblem else { return }
        lines[name]?.loggedFileProblem = problem
        if let problem { logger.error("\(problem)") }
    }

    /// Logs a problem, once while it stays the same, and its end.
    private mutating func log(_ name: String, _ outcome: ShareMachine.Outcome) {
        guard let line = lines[name], outcome != .cancelled else { return }
        let problem = line.machine.state.problem
        guard problem != line.loggedProblem else { return }
        lines[name]?.loggedProblem = problem
        if let problem {
            logger.warning("\(name): \(problem)")
        } else {
            logger.info("\(name) \(line.destination.service.isBridge ? "sends" : "accepts") the position again.")
        }
    }
}

extension Location {
    /// True if it has no more than a reduced location has: a radius of whole kilometres.
    fileprivate var hasReducedForm: Bool {
        guard let accuracy = horizontalAccuracy, verticalAccuracy == nil, altitude == nil, speed == nil, course == nil
        else { return false }
        return accuracy >= 1000 && accuracy.truncatingRemainder(dividingBy: 1000) == 0
    }
}

extension Destination {
    /// True if both are reached in the same way.
    fileprivate func isReached(as other: Destination) -> Bool {
        var (mine, its) = (self, other)
        (mine.share, its.share) = (nil, nil)
        return mine == its
    }
}

/// The reason why the program does not run.
package enum ShareRunnerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Another one runs for this user.
    case running

    /// A sentence.
    package var description: String { "Another locationctl share run sends your position already." }
}
