package import LocationModel
import LocationPolicy
import Pacing

/// What is sent to a destination, and when: the newest position while the share lasts, and the end.
///
/// A service that takes each position for the present one receives one at intervals, another one those that thinning keeps. The
/// readers of a bridge receive each one, and again after a moment until there is a newer one, or none.
///
/// Queued positions are sent after the newest one, in their order.
///
/// The caller performs the actions in their order. A message is sent after the state before it has been saved, so that a program
/// that is killed still tells the service of the end.
package struct ShareMachine: Sendable {
    /// A moment by both clocks: that of the wall decides when a share ends, the other one when the next message is due.
    package struct Moment: Hashable, Sendable {
        package var wall: Timestamp
        package var steady: ContinuousClock.Instant

        /// A moment; by default this one.
        package init(wall: Timestamp = .now(), steady: ContinuousClock.Instant = .now) {
            (self.wall, self.steady) = (wall, steady)
        }
    }

    /// The reason why there is no position to send.
    package enum Withholding: Hashable, Sendable {
        /// There is no fix. The service keeps the last position, and receives those that are queued.
        case unavailable(String)
        /// The location service cannot be reached, or the user is being asked: what is queued waits.
        case interrupted(String)
        /// There is no location, perhaps because of a rule about a place. The service keeps the last position; the queue is deleted.
        case concealed(String)
        /// The user or a policy does not allow it. The service is to forget the position.
        case revoked(String)
    }

    /// What the caller has to do.
    package enum Action: Hashable, Sendable {
        /// Save the state, before anything else.
        case save(ShareState)
        /// Write a position to the queue with this start, before it is sent.
        case queue(ShareRecord, Timestamp)
        /// Read the oldest positions of the queue, this many at most, and report them by `load`.
        case load(Int)
        /// Remove positions from the queue.
        case remove([Int64])
        /// Delete the queue.
        case deleteQueue
        /// Send a message, and report its outcome by `answered`.
        case send(ShareMessage)
        /// Cancel the message that is being sent; its outcome is still reported.
        case cancel
        /// Call `wake` after this time.
        case wake(after: Duration)
    }

    /// The outcome of a message.
    package enum Outcome: Hashable, Sendable {
        /// The service has answered.
        case answered(ShareVerdict)
        /// There was no answer.
        case failed(String)
        /// The message was cancelled.
        case cancelled
    }

    /// The least time between two positions of somebody who moves, unless they are thinned.
    package static let movingInterval = Duration.seconds(10)
    /// The least time between two positions of somebody who stays, unless they are thinned.
    package static let parkedInterval = Duration.seconds(300)
    /// The time after which the readers of a bridge receive the same position again: longer than that between two fixes of most receivers.
    package static let repeatInterval = Duration.milliseconds(1500)
    /// The age of a heading from which it counts as unknown.
    private static let headingAge = Duration.seconds(2)
    /// The longest time between two attempts to open a bridge, whose network comes and goes.
    private static let longestBridgeDelay = Duration.seconds(5)
    /// The age from which a position is no longer sent: Home Assistant takes each for a present one.
    package static let greatestAge = Duration.seconds(300)
    /// The time for which a position may be ahead of the clock.
    package static let greatestLead = Duration.seconds(60)
    /// The time for which the service is told of the end while it does not confirm it. Each run of the program tells it once more.
    package static let clearingTime = Duration.seconds(86_400)
    /// The most of that time that one attempt takes, however long the machine was suspended after it.
    private static let longestAttempt = Duration.seconds(3660)
    /// The time for which doubtful answers are taken for those of a service that starts, or of a proxy in front of it.
    package static let doubtfulTime = Duration.seconds(600)
    /// The number of doubtful answers in a row, besides their time, after which the settings are wrong.
    private static let mostDoubts = 5
    /// The time for which a share waits for a clock that was set back after its start.
    private static let longestWait = Duration.seconds(3600)
    /// The time for which a share waits for the clock of a machine that has started.
    private static let longestWaitAtStart = Duration.seconds(86_400)
    private static let longestRetryAfter = Duration.seconds(3600)
    /// The number of queued positions that are read at a time.
    package static let partSize = 100
    /// The number of different queued positions that are refused in a row when the settings are wrong.
    package static let mostRefusals = 5
    /// The least time after which a new time of the last delivery alone is saved.
    private static let deliveryInterval = Duration.seconds(10)
    /// The same of a bridge, which delivers every second.
    private static let bridgeDeliveryInterval = Duration.seconds(60)
    /// The time after which a state that could not be saved is saved again.
    private static let savingInterval = Duration.seconds(10)

    /// The state that is kept over restarts.
    package private(set) var state: ShareState
    private var saved: ShareState
    /// The state before that, for when it turns out not to be saved.
    private var savedBefore: ShareState
    /// The time before which no state is saved, because one could not be; `nil` if the last one was.
    private var saveAt: ContinuousClock.Instant?
    private(set) var share: Share?
    let service: SharingService
    private let gridKey: AccuracyReduction.Secret?
    private var reduction: AccuracyReduction?
    /// The reason why there is no position; `nil` while there is one.
    package private(set) var withholding: Withholding? = .interrupted("Waiting for the location service.")
    /// True while the authorization is for reduced accuracy.
    private var isLimited = false
    /// True while the user stays in one place, and no newer position comes.
    private var isStationary = false

    /// The newest position that has not been sent.
    private var record: ShareRecord?
    /// The position that the readers of a bridge receive again; `nil` if there is none, or for a service.
    private var present: ShareRecord?
    /// The last heading, for a bridge.
    private var heading: (degrees: Double, at: ContinuousClock.Instant)?
    /// The last position that was not left out by thinning.
    private var lastKept: Thinning.Reference?
    /// The last position where the user can have been, and the one since then where that is in doubt.
    private var (lastPlausible, doubtful): (Location?, Location?)
    private var message: ShareMessage?
    private var isCancelling = false
    private var lastSent: (record: ShareRecord, at: ContinuousClock.Instant)?
    private var backOff = BackOff(from: .seconds(1), to: .seconds(300))
    private var retryAt: ContinuousClock.Instant?
    /// The doubtful answers since another one: the time of the first one, and their number.
    private var doubts: (since: ContinuousClock.Instant, count: Int)?
    /// The time of the last attempt to tell the service of the end, or of its start; `nil` while it is not to forget.
    private var clearingFrom: ContinuousClock.Instant?
    /// True if this run has told the service of the end.
    private var hasToldEnd = false
    /// The start of the share that this run has seen begin by the clock.
    private var begunShare: Timestamp?
    /// The time since which the clock is earlier than the start of the share; `nil` while it is not.
    private var waitingSince: ContinuousClock.Instant?
    /// True if a position may have reached the service since it confirmed an end: only then it may show one.
    private var mayHaveStored: Bool

    /// The start of the queue that may be on disk; `nil` if there is none.
    private var queue: Timestamp?
    private var backlog: Backlog
    private var nextSequence: Int64
    /// The first number of a position that is still in the queue: those before it have been deleted.
    private var firstSequence: Int64 = 0
    private var isSendingBacklog = false
    /// True unless the message that is being sent has positions of the queue that are not the newest.
    var isSendingNewest: Bool { !isSendingBacklog }
    private var refused: Set<Int64> = []
    /// What is to be done with the queue.
    private var changes: [Action] = []

    /// A destination whose state was read from disk.
    ///
    /// - Parameters:
    ///   - gridKey: the key of the grid of reduced positions; with one of another length than 16, no reduced share sends.
    ///   - queue: the start of the queue on disk; `nil` if there is none.
    ///   - lastSequence: the number of its last position.
    package init(
        _ state: ShareState, gridKey: [UInt8], service: SharingService, queue: Timestamp? = nil, lastSequence: Int64 = 0
    ) {
        (self.state, saved, savedBefore, mayHaveStored) = (state, state, state, state.isShowing)
        (self.service, self.queue, nextSequence) = (service, queue, max(0, min(lastSequence, 1 << 53)) + 1)
        backlog = Backlog(batchLimit: service.batchLimit, hasMore: queue != nil)
        if service.isBridge { backOff = BackOff(from: .seconds(1), to: Self.longestBridgeDelay) }
        // A file on disk may have any numbers.
        self.state.limitNumbers()
        self.gridKey = AccuracyReduction.Secret(bytes: gridKey)
    }

    /// The phase of the share.
    package func phase(at moment: Moment) -> SharePhase { SharePhase(of: share, state, at: moment.wall) }

    /// True while readers of a bridge may connect: while the share lasts and is allowed, with a position or without.
    package func admitsReaders(at moment: Moment) -> Bool {
        if case .revoked = withholding { return false }
        return service.isBridge && phase(at: moment) == .sharing
    }

    /// True if no location is wanted, but there are positions on disk or at the service that the user may want to take back.
    package func isHolding(at moment: Moment) -> Bool {
        switch phase(at: moment) {
        case .clockNotSet: queue != nil || state.isShowing
        case .failed: queue != nil
        case .off, .sharing, .paused, .ended: false
        }
    }

    /// True if there is nothing to do until the settings change.
    package func isIdle(at moment: Moment) -> Bool {
        guard saveAt == nil else { return false }
        return switch phase(at: moment) {
        case .off, .ended: message == nil && (!state.isShowing || isGivenUp)
        // Somebody has to delete the queue at the end of the share.
        case .failed: message == nil && (!state.isShowing || isGivenUp) && queue == nil
        case .clockNotSet, .sharing, .paused: false
        }
    }
}

// MARK: Events

extension ShareMachine {
    /// Takes new settings.
    package mutating func configure(_ share: Share?, _ moment: Moment) -> [Action] {
        if share?.started != self.share?.started {
            (lastSent, retryAt, doubts) = (nil, nil, nil)
            (refused, state.leftOut, state.implausible) = ([], nil, nil)
            backOff.reset()
            reduction = share?.accuracy == .reduced ? gridKey.map { AccuracyReduction(secret: $0) } : nil
            // Of a share with another accuracy, or that the user has ended.
            if queue == nil || share?.queue != queue { discard() }
        }
        self.share = share
        return actions(moment)
    }

    /// Takes a position.
    package mutating func receive(_ location: Location, isReduced: Bool, _ moment: Moment) -> [Action] {
        withholding = nil
        isStationary = false
        limit(isReduced)
        let isPlausible = isReduced || isPlausible(location)
        if !isReduced, isPlausible { noteArrival(location, moment) }
        guard location.timestamp <= moment.wall.advanced(by: Self.greatestLead), isPlausible else {
            if phase(at: moment) == .sharing { state.implausible = ShareState.sum(state.implausible, 1) }
            return actions(moment)
        }
        if share?.accuracy == .reduced, !isReduced {
            if let reduced = reduction?.reduce(location, at: moment.steady) {
                take(ShareRecord(reduced, isReduced: true), moment)
            }
        } else {
            take(ShareRecord(location, isReduced: isReduced), moment)
        }
        return actions(moment)
    }

    /// Takes a heading, which goes with the next position of a bridge.
    package mutating func receive(_ heading: Heading, _ moment: Moment) {
        if service.isBridge, !isLimited { self.heading = (heading.trueHeading, moment.steady) }
    }

    /// Takes positions that were read from the queue.
    ///
    /// - Parameter damaged: the number of those before them that were damaged, and are left out.
    package mutating func load(_ records: [ShareRecord], damaged: Int = 0, _ moment: Moment) -> [Action] {
        if damaged > 0 { state.leftOut = ShareState.sum(state.leftOut, damaged) }
        backlog.load(records, isLast: records.count < Self.partSize)
        return actions(moment)
    }

    /// Takes note that only reduced positions follow.
    package mutating func limitAccuracy(_ moment: Moment) -> [Action] {
        limit(true)
        return actions(moment)
    }

    /// Takes note that the user stays in one place, and that nothing newer follows until that changes.
    package mutating func stay(_ moment: Moment) -> [Action] {
        isStationary = true
        if case .interrupted? = withholding { withholding = nil }
        return actions(moment)
    }

    /// Takes note that there is no position.
    package mutating func withhold(_ withholding: Withholding, _ moment: Moment) -> [Action] {
        self.withholding = withholding
        isStationary = false
        switch withholding {
        case .unavailable, .interrupted:
            // What is queued keeps its time.
            if record?.sequence == nil { dropNewest() }
            lastKept = nil
        case .concealed, .revoked: discard()
        }
        return actions(moment)
    }

    /// Takes the outcome of a message.
    ///
    /// - Parameter random: from 0 to 1, for the delay before the next attempt.
    package mutating func answered(_ outcome: Outcome, random: Double, _ moment: Moment) -> [Action] {
        guard let message else { return actions(moment) }
        self.message = nil
        isCancelling = false
        if case .end = message, outcome != .answered(.stored) {
            endFailed(outcome, random, moment)
            return actions(moment)
        }
        switch outcome {
        case .answered(.doubtful), .answered(.refused), .answered(.wrong): state.isShowing = mayHaveStored
        // Nothing is known of a message that was cancelled.
        case .cancelled: mayHaveStored = true
        case .answered, .failed: (mayHaveStored, doubts) = (true, nil)
        }
        switch outcome {
        case .answered(.stored): succeed(message, moment)
        case .answered(.again(let problem, let seconds)): retry(message, problem, seconds, random, moment)
        case .answered(.doubtful(let problem)):
            if noteDoubt(moment) { fail(problem) } else { retry(message, problem, nil, random, moment) }
        case .answered(.unclear(let problem)):
            let queued = queued(in: message)
            backlog.fail(queued)
            retry(queued.isEmpty ? message : nil, problem, nil, random, moment)
        case .answered(.refused(let problem)): refuse(message, problem, random, moment)
        case .answered(.wrong(let problem)): fail(problem)
        case .failed(let problem): retry(message, problem, nil, random, moment)
        case .cancelled: break
        }
        return actions(moment)
    }

    /// Does what is due.
    package mutating func wake(_ moment: Moment) -> [Action] { actions(moment) }

    /// Takes note, while the actions are performed, that the state could not be saved, as on a full disk. It is saved again later.
    ///
    /// Returns false if the message among the actions must not be sent: a service that can forget the position gets none before it is
    /// on disk that it may show one. The end, and other positions, are sent all the same.
    package mutating func notSaved(_ problem: String, _ moment: Moment) -> Bool {
        saved = savedBefore
        saveAt = moment.steady.advanced(by: Self.savingInterval)
        guard service.forgetsPosition, !saved.isShowing, case .positions(let records)? = message else { return true }
        message = nil
        (state.isShowing, state.problem) = (false, problem)
        // What is queued is read again; it must not pass for the newest.
        if isSendingBacklog || record != nil, records.last?.sequence != nil {
            backlog.unload()
        } else {
            record = record ?? records.last
        }
        return false
    }
}

// MARK: Changes

extension ShareMachine {
    /// True if positions are thinned, rather than sent after an interval: reduced ones are few.
    private func isThinned(_ record: ShareRecord) -> Bool { service.keepsTime && !record.isReduced }

    /// True if the user can have come here since the last plausible position. A receiver that is elsewhere for one fix is
    /// not believed, but one that stays there; a position that the administrator has set is believed at once.
    private mutating func isPlausible(_ location: Location) -> Bool {
        if location.sourceInformation?.kind != .fixed, let lastPlausible, !location.isPossible(after: lastPlausible),
            doubtful.map({ !location.isPossible(after: $0) }) ?? true
        {
            doubtful = location
            return false
        }
        (lastPlausible, doubtful) = (location, nil)
        return true
    }

    private mutating func noteArrival(_ location: Location, _ moment: Moment) {
        guard let share, let side = share.arrival?.side(of: location), phase(at: moment) == .sharing else { return }
        switch side {
        case .outside: state.departedShare = share.started
        // The position inside is not sent.
        case .inside: if state.departedShare == share.started { state.endedShare = share.started }
        }
    }

    private mutating func take(_ record: ShareRecord, _ moment: Moment) {
        var record = record
        if isThinned(record) {
            guard (share?.thinningInRange ?? Thinning()).keeps(record.location, after: lastKept) else { return }
            lastKept = Thinning.Reference(record.location)
            if let start = share?.queue, phase(at: moment) == .sharing {
                if self.record != nil { backlog.grow() }
                record.sequence = nextSequence
                nextSequence += 1
                queue = start
                changes.append(.queue(record, start))
            }
        }
        self.record = record
        if service.isBridge { present = record }
    }

    /// The numbers of the positions in a message that are still in the queue.
    private func queued(in message: ShareMessage) -> [Int64] {
        guard case .positions(let records) = message else { return [] }
        return records.compactMap(\.sequence).filter { $0 >= firstSequence }
    }

    private mutating func limit(_ isLimited: Bool) {
        self.isLimited = isLimited
        guard isLimited else { return }
        heading = nil
        if present?.isReduced == false { present = nil }
        if record?.isReduced == false { (record, lastKept) = (nil, nil) }
        if case .positions(let sent)? = message, sent.contains(where: { !$0.isReduced }) { isCancelling = true }
        deleteQueue()
    }

    /// Drops the newest position, and cancels it if it is being sent.
    private mutating func dropNewest() {
        (record, present, heading) = (nil, nil, nil)
        if case .positions(let sent)? = message, sent.contains(where: { $0.sequence == nil }) { isCancelling = true }
    }

    /// Drops what has not been sent, and cancels what is being sent.
    private mutating func discard() {
        (record, present, heading, lastKept) = (nil, nil, nil, nil)
        if case .positions? = message { isCancelling = true }
        deleteQueue()
    }

    private mutating func deleteQueue() {
        guard queue != nil else { return }
        queue = nil
        backlog.empty()
        firstSequence = nextSequence
        // What is not on disk yet need not be written.
        changes = [.deleteQueue]
    }

    private mutating func succeed(_ message: ShareMessage, _ moment: Moment) {
        backOff.reset()
        retryAt = nil
        // The reason why the share has stopped is still one after its end was confirmed.
        if phase(at: moment) != .failed { state.problem = nil }
        state.lastDelivery = moment.wall
        switch message {
        case .positions(let records):
            if !isSendingBacklog, let record = records.last { lastSent = (record, moment.steady) }
            refused = []
            let stored = queued(in: message)
            let left = backlog.store(stored)
            if !(stored + left).isEmpty { changes.append(.remove(stored + left)) }
            if !left.isEmpty { state.leftOut = ShareState.sum(state.leftOut, left.count) }
        case .end: forget()
        case .test: break
        }
    }

    /// Sends again later: the same if there is nothing newer.
    private mutating func retry(
        _ message: ShareMessage?, _ problem: String, _ seconds: Int?, _ random: Double, _ moment: Moment
    ) {
        state.problem = problem
        retryLater(seconds, random, moment)
        guard let message, case .positions(let records) = message, let sent = records.last else { return }
        if sent.sequence != nil {
            guard !queued(in: message).isEmpty else { return }
            // The newest one stays the next one.
            if isSendingBacklog || record != nil { backlog.unload() } else { record = sent }
            return
        }
        guard record == nil, withholding == nil else { return }
        if sent.isReduced || !isLimited, sent.isReduced || share?.accuracy != .reduced { record = sent }
    }

    private mutating func refuse(_ message: ShareMessage, _ problem: String, _ random: Double, _ moment: Moment) {
        let queued = queued(in: message)
        backlog.fail(queued)
        let isLasting = noteDoubt(moment)
        // The same again would be refused again.
        if queued.isEmpty {
            if isLasting { return fail(problem) }
        } else if queued.count == 1 {
            refused.formUnion(queued)
            if isLasting, refused.count >= Self.mostRefusals { return fail(problem) }
        } else {
            // Half of them at once.
            state.problem = problem
            return
        }
        retry(nil, problem, nil, random, moment)
    }

    /// Takes note of an answer as for wrong settings, which a service that starts and a proxy in front of it give as well. Returns
    /// true if they have lasted so long that the settings are wrong.
    private mutating func noteDoubt(_ moment: Moment) -> Bool {
        let (since, count) = doubts ?? (moment.steady, 0)
        doubts = (since, count + 1)
        return count + 1 >= Self.mostDoubts && since.duration(to: moment.steady) >= Self.doubtfulTime
    }

    /// Stops the share until the user has changed its settings. What is queued waits for that, until the end of the share.
    private mutating func fail(_ problem: String) {
        state.problem = problem
        state.failedShare = share?.started
        (retryAt, doubts) = (nil, nil)
        backlog.unload()
    }

    /// Takes note that the service has not confirmed the end. Whatever it answers, it is told again: another one may have answered in
    /// its place.
    private mutating func endFailed(_ outcome: Outcome, _ random: Double, _ moment: Moment) {
        let last = clearingFrom ?? moment.steady
        let time = min(max(.zero, last.duration(to: moment.steady)), Self.longestAttempt) / .seconds(1)
        state.clearingTime = min((state.clearingTime ?? 0) + time, Self.clearingTime / .seconds(1))
        clearingFrom = moment.steady
        guard let (problem, seconds) = outcome.problem else { return }
        if isGivenUp {
            state.problem = "The service could not be told of the end for a day, and may still show the last position."
        } else if phase(at: moment) != .failed {
            state.problem = problem
        }
        retryLater(seconds, random, moment)
    }

    /// True if this run does not tell the service of the end any more.
    private var isGivenUp: Bool {
        hasToldEnd && (state.clearingTime ?? 0) >= Self.clearingTime / .seconds(1)
    }

    private mutating func retryLater(_ seconds: Int?, _ random: Double, _ moment: Moment) {
        let delay = max(backOff.next(random: random), min(.seconds(seconds ?? 0), Self.longestRetryAfter))
        retryAt = moment.steady.advanced(by: delay)
    }

    private mutating func forget() {
        (state.isShowing, mayHaveStored) = (false, false)
        (state.clearingTime, clearingFrom, lastSent) = (nil, nil, nil)
    }

    private func interval(to record: ShareRecord) -> Duration {
        if service.isBridge { return .zero }
        guard !isThinned(record), let last = lastSent?.record else { return .zero }
        let distance = last.location.distance(from: record.location)
        let isMoving =
            distance > max(25, record.accuracy)
            || record.location.speed.map { $0 > 1 } == true
        return isMoving ? Self.movingInterval : Self.parkedInterval
    }

    /// A position of a bridge with the heading, if that is known now.
    private func withHeading(_ record: ShareRecord, _ moment: Moment) -> ShareRecord {
        var record = record
        guard let heading, !record.isReduced, share?.accuracy == .full else { return record }
        let isRecent = heading.at.duration(to: moment.steady) <= Self.headingAge
        record.heading = isRecent ? heading.degrees : nil
        return record
    }

    private func isStale(_ record: ShareRecord, _ moment: Moment) -> Bool {
        // They come once in a while, and are the present ones until the service says otherwise.
        let isLasting = record.isReduced || record.location.sourceInformation?.kind == .fixed
        if service.isBridge, isLasting { return false }
        return record.sequence == nil && !isStationary
            && moment.wall.duration(since: record.location.timestamp) > Self.greatestAge
    }
}

// MARK: Actions

extension ShareMachine {
    /// True if there is more to save than a new time of the last delivery, which changes with each message.
    private var isUnsaved: Bool {
        var known = saved
        (known.lastDelivery, known.implausible) = (state.lastDelivery, state.implausible)
        guard known == state else { return true }
        // The first of those positions, and then each time that they are twice as many.
        if let implausible = state.implausible, implausible / 2 >= saved.implausible ?? 0 { return true }
        guard let last = saved.lastDelivery, let delivery = state.lastDelivery else {
            return state.lastDelivery != saved.lastDelivery || state.implausible == nil && saved.implausible != nil
        }
        let interval = service.isBridge ? Self.bridgeDeliveryInterval : Self.deliveryInterval
        return !(.zero..<interval).contains(delivery.duration(since: last))
    }

    /// The phase now. A share that was started while the clock was ahead does not wait for days to go live.
    private mutating func enterPhase(_ moment: Moment) -> SharePhase {
        let phase = phase(at: moment)
        if phase == .ended { state.endedShare = share?.started }
        if phase == .sharing || phase == .paused { begunShare = share?.started }
        guard phase == .clockNotSet, let share else {
            waitingSince = nil
            return phase
        }
        let since = waitingSince ?? moment.steady
        waitingSince = since
        let isSetBack =
            begunShare == share.started && share.started.duration(since: moment.wall) > Self.longestWait
        guard isSetBack || since.duration(to: moment.steady) > Self.longestWaitAtStart else { return phase }
        fail("The clock of this machine is earlier than the start of the share, which has therefore stopped.")
        return .failed
    }

    /// The actions that follow from all that is known.
    private mutating func actions(_ moment: Moment) -> [Action] {
        let phase = enterPhase(moment)
        let (isRevoked, isInterrupted) =
            switch withholding {
            case .revoked: (true, false)
            case .interrupted: (false, true)
            case .unavailable, .concealed, nil: (false, false)
            }
        let isLive = phase == .sharing && !isRevoked
        // Where the clock is not set soon, the service is not left with a position without an end.
        let isHolding =
            phase == .clockNotSet && !isRevoked
            && waitingSince.map { $0.duration(to: moment.steady) < Self.doubtfulTime } ?? true
        let isWaiting = phase == .clockNotSet || phase == .failed
        if isRevoked || phase != .sharing && !isWaiting || queue != nil && queue != share?.queue {
            discard()
        } else if isWaiting {
            // The queue waits for the time, which a machine without a clock of its own gets late, or for the user.
            dropNewest()
            lastKept = nil
        }

        var send: ShareMessage?
        var delays: [Duration] = []
        if message != nil {
            // One request at a time.
        } else if isLive || isHolding {
            if clearingFrom != nil, !isInterrupted {
                // Positions do not wait for what the end waited for.
                (retryAt, clearingFrom, hasToldEnd) = (nil, nil, false)
                backOff.reset()
            }
            if let record, isStale(record, moment) { self.record = nil }
            if let present, isStale(present, moment) { self.present = nil }
            if record == nil, let present, let lastSent, lastSent.at + Self.repeatInterval <= moment.steady {
                record = present
            }
            let pace = record.flatMap { record in lastSent.map { $0.at + interval(to: record) } }
            // What may show the position is on disk before that.
            let saving = service.forgetsPosition && !saved.isShowing ? saveAt : nil
            let due = max(retryAt ?? moment.steady, pace ?? moment.steady, saving ?? moment.steady)
            if isInterrupted || phase == .clockNotSet || record == nil && (queue == nil || !backlog.hasPositions) {
                // Nothing to send, or it waits.
            } else if due > moment.steady {
                delays.append(moment.steady.duration(to: due))
            } else if let record {
                send = .positions([withHeading(record, moment)])
                (self.record, isSendingBacklog) = (nil, false)
            } else if backlog.needsPart {
                changes.append(.load(Self.partSize))
            } else {
                send = .positions(backlog.next())
                isSendingBacklog = true
            }
            if send != nil { (state.isShowing, state.clearingTime) = (true, nil) }
            if send == nil, record == nil, present != nil, let lastSent {
                delays.append(max(.zero, moment.steady.duration(to: lastSent.at + Self.repeatInterval)))
            }
        } else if !service.forgetsPosition {
            forget()
        } else if state.isShowing {
            if clearingFrom == nil {
                clearingFrom = moment.steady
                state.clearingTime = state.clearingTime ?? 0
                // The end is another message, and does not wait for what positions waited for.
                retryAt = nil
                backOff.reset()
            }
            if isGivenUp {
                // The next run tells it once more.
            } else if let retryAt, retryAt > moment.steady {
                delays.append(moment.steady.duration(to: retryAt))
            } else {
                send = .end(at: moment.wall)
                hasToldEnd = true
            }
        }
        if let until = share?.until, phase == .sharing || phase == .paused || phase == .failed {
            delays.append(max(.zero, until.duration(since: moment.wall)))
        }
        if phase == .clockNotSet { delays.append(.seconds(60)) }

        var actions: [Action] = []
        if let saveAt, saveAt > moment.steady {
            delays.append(moment.steady.duration(to: saveAt))
        } else if saveAt != nil || isUnsaved {
            actions.append(.save(state))
            (savedBefore, saved, saveAt) = (saved, state, nil)
        }
        actions += changes
        changes = []
        if let send {
            message = send
            actions.append(.send(send))
        } else if isCancelling, message != nil {
            actions.append(.cancel)
            isCancelling = false
        }
        // A clock that is set, or a machine that was suspended, is noticed within a minute.
        if let delay = delays.min() { actions.append(.wake(after: min(delay, .seconds(60)))) }
        return actions
    }
}

extension ShareMachine.Outcome {
    /// The sentence, and the seconds after which the service wants to be asked again, if it names a time; `nil` without a problem.
    fileprivate var problem: (String, Int?)? {
        switch self {
        case .answered(.stored), .cancelled: nil
        case .answered(.again(let problem, let seconds)): (problem, seconds)
        case .answered(.doubtful(let problem)), .answered(.unclear(let problem)), .answered(.refused(let problem)),
            .answered(.wrong(let problem)), .failed(let problem):
            (problem, nil)
        }
    }
}
