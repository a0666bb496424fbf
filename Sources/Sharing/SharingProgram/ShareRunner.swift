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
        case sent(String, ShareMachine.Outcome)
        case wake(String)
        case subscribe
    }

    /// A destination, with what is going on with it.
    private struct Line {
        var destination: Destination
        var url: String
        var machine: ShareMachine
        var queue: PositionQueue?
        var link: ShareLink?
        var cancellation: HTTPTransfer.Cancellation?
        var timer: Task<Void, Never>?
        var timerDue: ContinuousClock.Instant?
        var loggedProblem: String?
        var loggedQueueProblem: String?
    }

    private let directory: ShareDirectory
    private let manager: LocationManager
    private let logger: Logger
    private let notifies: Bool
    /// The last notification, which is shown after those before it.
    private var notice: Task<Void, Never>?
    private let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation
    private var lines: [String: Line] = [:]
    private var subscription: Task<Void, Never>?
    private var subscribedNeed: LocationNeed?
    private var subscriptionNumber = 0
    private var subscribing: Task<Void, Never>?
    private var backOff = BackOff(from: .seconds(1), to: .seconds(60))

    /// - Parameters:
    ///   - directory: the user's destinations.
    ///   - socketPath: the location service's socket; `nil` for the environment's or the system's.
    ///   - notifies: true to tell the user of a share that stops by a notification of the desktop.
    ///   - logger: never receives a position or a URL.
    package init(directory: ShareDirectory, socketPath: String?, notifies: Bool, logger: Logger) {
        (self.directory, self.notifies, self.logger) = (directory, notifies, logger)
        var manager = LocationManager(socketPath: socketPath)
        // No updates while the user stays in one place, which is a day's greater part.
        manager.pausesLocationUpdatesAutomatically = true
        self.manager = manager
        (events, continuation) = AsyncStream.makeStream(of: Event.self)
    }

    /// Sends until no share is left and every service has been told of the end.
    package mutating func run() async throws {
        guard let lock = try directory.lockForSending() else { throw ShareRunnerError.running }
        defer { close(lock) }
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let watch = try await SettingsWatch.start(directory.destinationsFile, on: eventLoop) { [continuation] in
            continuation.yield(.settingsChanged)
        }
        try readSettings()
        SystemdProtocol.notifyReady()
        var events = events.makeAsyncIterator()
        while !isDone, let event = await events.next() { try take(event) }
        subscription?.cancel()
        subscribing?.cancel()
        for line in lines.values { line.timer?.cancel() }
        try await watch.stop()
        await notice?.value
        logger.info("Exiting: no share is active.")
    }

    private var isDone: Bool {
        let moment = ShareMachine.Moment()
        return lines.values.allSatisfy { $0.machine.isIdle(at: moment) && $0.cancellation == nil }
    }

    private mutating func take(_ event: Event) throws {
        switch event {
        case .settingsChanged: try readSettings()
        case .update(let number, let update):
            if number == subscriptionNumber { try take(update) }
        case .unsubscribed(let number, let error):
            if number == subscriptionNumber { try unsubscribed(error) }
        case .subscribe: subscribing = nil
        case .sent(let name, let outcome):
            lines[name]?.cancellation = nil
            let failedShare = lines[name]?.machine.state.failedShare
            try pass(to: name) { $0.answered(outcome, random: .random(in: 0...1), $1) }
            log(name, outcome)
            if let state = lines[name]?.machine.state, state.failedShare != failedShare, let problem = state.problem {
                notify(name, problem)
            }
        case .wake(let name):
            lines[name]?.timerDue = nil
            try pass(to: name) { $0.wake($1) }
        }
        updateSubscription()
    }

    // MARK: Settings

    private mutating func readSettings() throws {
        // Nothing is sent by settings that cannot be read: the program ends.
        let destinations = try directory.destinations()
        for name in lines.keys where !destinations.contains(where: { $0.name == name }) {
            lines[name]?.cancellation?.cancel()
            lines[name]?.timer?.cancel()
            lines[name] = nil
        }
        var isNewShare = false
        for destination in destinations {
            let name = destination.name
            let old = lines[name]?.destination
            if lines[name] == nil {
                lines[name] = try line(to: destination)
            }
            lines[name]?.destination = destination
            let url = try directory.url(of: name)
            if old.map({ $0.isReached(as: destination) }) != true || lines[name]?.url != url {
                lines[name]?.url = url
                let link = link(to: destination, url)
                lines[name]?.link = link
            }
            if destination.share != nil, destination.share != old?.share { isNewShare = true }
            try pass(to: name) { $0.configure(destination.share, $1) }
        }
        // A user who stays in one place has no update due; a new subscription begins with the present location.
        if isNewShare { endSubscription() }
        updateSubscription()
    }

    private func line(to destination: Destination) throws -> Line {
        let queue = try queue(of: destination)
        let machine = ShareMachine(
            try directory.state(of: destination.name), gridKey: destination.gridKey, service: destination.service,
            queue: queue == nil ? nil : destination.share?.queue, lastSequence: try queue?.lastSequence() ?? 0)
        return Line(destination: destination, url: "", machine: machine, queue: queue)
    }

    private func link(to destination: Destination, _ url: String) -> ShareLink? {
        do throws(InvalidServiceURL) {
            return try ShareLink(destination, url)
        } catch {
            logger.error("Nothing is sent to \(destination.name): \(error)")
            return nil
        }
    }

    // MARK: Locations

    /// Subscribes while a share wants locations, and not longer, for those that the shares need.
    private mutating func updateSubscription() {
        let moment = ShareMachine.Moment()
        let needs = lines.values.lazy.filter { $0.machine.phase(at: moment) == .sharing }.map(\.machine.need)
        guard let need = LocationNeed(of: needs) else { return endSubscription() }
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
        subscribedNeed = need
        let number = subscriptionNumber
        var manager = manager
        switch need {
        case .all: break
        case .newest(let interval): manager.minimumInterval = interval / .seconds(1)
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

    private mutating func take(_ update: LocationUpdate) throws {
        backOff.reset()
        let sentence = update.sentence ?? "There is no location."
        for name in lines.keys.sorted() {
            try pass(to: name) { machine, moment in
                if let location = update.location {
                    return machine.receive(location, isReduced: update.accuracyLimited, moment)
                }
                if update.accuracyLimited { return machine.limitAccuracy(moment) }
                if update.stationary { return machine.stay(moment) }
                if update.authorizationDenied || update.authorizationRestricted || update.insufficientlyInUse {
                    return machine.withhold(.revoked(sentence), moment)
                }
                if update.serviceUnavailable || update.authorizationRequestInProgress {
                    return machine.withhold(.interrupted(sentence), moment)
                }
                guard update.locationUnavailable else { return [] }
                // Where a rule about a place may withhold locations, each absence of one is without a cause.
                return machine.withhold(update.cause == nil ? .concealed(sentence) : .unavailable(sentence), moment)
            }
        }
        logWithholding(update.location == nil && !update.stationary ? update.sentence : nil)
    }

    private mutating func unsubscribed(_ error: LocationError) throws {
        subscription = nil
        let isGone: Bool = if case .serviceUnavailable = error { true } else { false }
        for name in lines.keys.sorted() {
            // While the service is gone nobody has revoked anything; whatever else it answers is a refusal.
            try pass(to: name) {
                $0.withhold(isGone ? .interrupted(error.description) : .revoked(error.description), $1)
            }
        }
        logWithholding(error.description)
        let delay = backOff.next(random: .random(in: 0...1))
        // Unstructured, because the events are taken in meanwhile.
        subscribing = Task { [continuation] in
            guard (try? await Task.sleep(for: delay)) != nil else { return }
            continuation.yield(.subscribe)
        }
    }

    private var loggedWithholding: String?

    private mutating func logWithholding(_ sentence: String?) {
        if let sentence, sentence != loggedWithholding { logger.notice("Nothing is sent: \(sentence)") }
        loggedWithholding = sentence
    }

    // MARK: Actions

    private mutating func pass(
        to name: String, _ event: (inout ShareMachine, ShareMachine.Moment) -> [ShareMachine.Action]
    ) throws {
        guard let index = lines.index(forKey: name) else { return }
        // In its place: a copy costs more than a fix that is left out.
        for action in event(&lines.values[index].machine, ShareMachine.Moment()) {
            switch action {
            case .save(let state): try directory.setState(state, of: name)
            case .queue(let record, let start): try queue(record, start, name)
            case .load(let count): try load(count, name)
            case .remove(let sequences):
                try changeQueue(name) { (queue) throws(PositionQueueError) in
                    try queue.remove(sequences)
                    return nil
                }
            case .deleteQueue:
                lines[name]?.queue = nil
                try directory.removeQueue(of: name)
            case .send(let message): try send(message, to: name)
            case .cancel: lines[name]?.cancellation?.cancel()
            case .wake(let delay): wake(name, after: delay)
            }
        }
    }

    private mutating func wake(_ name: String, after delay: Duration) {
        let due = ContinuousClock.now + delay
        // An earlier one does what is due, and asks for the next.
        if let timerDue = lines[name]?.timerDue, timerDue <= due, timerDue > .now { return }
        lines[name]?.timer?.cancel()
        lines[name]?.timerDue = due
        // Unstructured, because the events are taken in meanwhile.
        let timer = Task { [continuation] in
            guard (try? await Task.sleep(for: delay)) != nil else { return }
            continuation.yield(.wake(name))
        }
        lines[name]?.timer = timer
    }

    private mutating func send(_ message: ShareMessage, to name: String) throws {
        guard let link = lines[name]?.link else {
            continuation.yield(.sent(name, .answered(.wrong("The URL of \(name) is not valid any more."))))
            return
        }
        let cancellation = HTTPTransfer.Cancellation()
        lines[name]?.cancellation = cancellation
        link.send(message, cancellation) { [continuation] outcome in
            continuation.yield(.sent(name, outcome ?? .answered(.stored)))
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

    // MARK: Queues

    /// The queue that a share has left on disk; `nil` if it has none. Deletes that of a share that keeps none.
    private func queue(of destination: Destination) throws -> PositionQueue? {
        let file = directory.queueFile(of: destination.name)
        guard access(file, F_OK) == 0 else { return nil }
        guard let start = destination.share?.queue else {
            try directory.removeQueue(of: destination.name)
            return nil
        }
        do throws(PositionQueueError) {
            return try PositionQueue(file, start: start)
        } catch {
            logger.error("\(destination.name): \(error) What it kept is lost.")
            try directory.removeQueue(of: destination.name)
            return nil
        }
    }

    private mutating func queue(_ record: ShareRecord, _ start: Timestamp, _ name: String) throws {
        if lines[name]?.queue == nil {
            do throws(PositionQueueError) {
                let queue = try PositionQueue(directory.queueFile(of: name), start: start)
                lines[name]?.queue = queue
            } catch {
                logQueueProblem(name, error.description)
            }
        }
        try changeQueue(name) { (queue) throws(PositionQueueError) in
            let count = try queue.append(record, now: .now())
            return count > 0 ? "the queue is full, or a week old: its oldest positions are left out." : nil
        }
    }

    /// Changes a queue. A position that cannot be written is sent all the same.
    private mutating func changeQueue(
        _ name: String, _ body: (PositionQueue) throws(PositionQueueError) -> String?
    ) throws {
        guard let queue = lines[name]?.queue else { return }
        do throws(PositionQueueError) {
            logQueueProblem(name, try body(queue))
        } catch {
            logQueueProblem(name, error.description + (error.isDamaged ? " What it kept is lost." : ""))
            // The next position makes another one.
            guard error.isDamaged else { return }
            lines[name]?.queue = nil
            try directory.removeQueue(of: name)
        }
    }

    private mutating func load(_ count: Int, _ name: String) throws {
        var records: [ShareRecord] = []
        try changeQueue(name) { (queue) throws(PositionQueueError) in
            records = try queue.first(count, now: .now())
            return nil
        }
        try pass(to: name) { $0.load(records, $1) }
    }

    /// Logs a problem of a queue, once while it stays the same.
    private mutating func logQueueProblem(_ name: String, _ problem: String?) {
        guard let line = lines[name], problem != line.loggedQueueProblem else { return }
        lines[name]?.loggedQueueProblem = problem
        if let problem { logger.warning("\(name): \(problem)") }
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
            logger.info("\(name) accepts the position again.")
        }
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
