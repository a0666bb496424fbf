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
/// that is killed still sends the service the end.
package struct ShareMachine: Sendable {
    /// The least time between two positions of somebody who moves, unless they are thinned.
    package static let movingInterval = Duration.seconds(10)
    /// The least time between two positions of somebody who stays, unless they are thinned.
    package static let parkedInterval = Duration.seconds(300)
    /// The time after which the readers of a bridge receive the same position again: longer than that between two fixes of most receivers.
    package static let repeatInterval = Duration.milliseconds(1500)
    /// The age from which a position is no longer sent: Home Assistant takes each for a present one.
    package static let greatestAge = Duration.seconds(300)
    /// The time for which a position may be ahead of the clock.
    package static let greatestLead = Duration.seconds(60)
    /// The time for which the end is sent while the service does not confirm it. Each run of the program sends it once more.
    package static let clearingTime = Duration.seconds(86_400)
    /// The time for which doubtful answers are taken for those of a service that starts, or of a proxy in front of it.
    package static let doubtfulTime = Duration.seconds(600)
    /// The number of queued positions that are read at a time.
    package static let partSize = 100
    /// The number of different queued positions that are refused in a row when the settings are wrong.
    package static let mostRefusals = 5

    /// A message on its way.
    private struct Sending {
        let message: ShareMessage
        /// True if it has positions of the queue that are not the newest.
        var isOfBacklog = false
        /// True if it is to be cancelled.
        var isCancelled = false

        var records: [ShareRecord] { if case .positions(let records) = message { records } else { [] } }
    }

    // What the share is.
    private(set) var share: Share?
    let service: SharingService
    private let gridKey: AccuracyReduction.Secret?
    private var reduction: AccuracyReduction?
    private var clockWait = ShareClockWait()
    /// The state that is kept over restarts.
    package private(set) var state: ShareState
    private var saving: ShareSaving

    // What there is to send.
    /// The reason why there is no position; `nil` while there is one.
    package private(set) var withholding: Withholding? = .interrupted("Waiting for the location service.")
    /// True while the authorization is for reduced accuracy.
    private var isLimited = false
    /// True while the user stays in one place, and no newer position comes.
    private var isStationary = false
    private var position = SharePosition()
    private var queue: ShareQueue

    // What is sent.
    private var sending: Sending?
    private var lastSent: (record: ShareRecord, at: ContinuousClock.Instant)?
    private var retry: ShareRetry
    private var ending: ShareEnding

    /// A destination whose state was read from disk.
    ///
    /// - Parameters:
    ///   - gridKey: the key of the grid of reduced positions; with one of another length than 16, no reduced share sends.
    ///   - queue: the start of the queue on disk; `nil` if there is none.
    ///   - lastSequence: the number of its last position.
    package init(
        _ state: ShareState, gridKey: [UInt8], service: SharingService, queue: Timestamp? = nil, lastSequence: Int64 = 0
    ) {
        (self.state, self.service) = (state, service)
        saving = ShareSaving(state, isBridge: service.isBridge)
        ending = ShareEnding(state)
        retry = ShareRetry(isBridge: service.isBridge)
        self.queue = ShareQueue(queue, lastSequence: lastSequence, batchLimit: service.batchLimit)
        // A file on disk may have any numbers.
        self.state.limitNumbers()
        self.gridKey = AccuracyReduction.Secret(bytes: gridKey)
    }

    /// True unless the message that is being sent has positions of the queue that are not the newest.
    var isSendingNewest: Bool { sending?.isOfBacklog != true }

    package func phase(at moment: Moment) -> SharePhase { SharePhase(of: share, state, at: moment.wall) }

    /// True while readers of a bridge may connect: while the share lasts and is allowed, with a position or without.
    package func admitsReaders(at moment: Moment) -> Bool {
        if case .revoked = withholding { return false }
        return service.isBridge && phase(at: moment) == .sharing
    }

    /// True if no location is needed, but there are positions on disk or at the service that the user may want to remove.
    package func isHolding(at moment: Moment) -> Bool {
        switch phase(at: moment) {
        case .clockNotSet: queue.start != nil || state.isShowing
        case .failed: queue.start != nil
        case .off, .sharing, .paused, .ended: false
        }
    }

    /// True if there is nothing to do until the settings change.
    package func isIdle(at moment: Moment) -> Bool {
        guard saving.retryAt == nil else { return false }
        let isQuiet = sending == nil && (!state.isShowing || ending.isGivenUp(state))
        return switch phase(at: moment) {
        case .off, .ended: isQuiet
        // Somebody has to delete the queue at the end of the share.
        case .failed: isQuiet && queue.start == nil
        case .clockNotSet, .sharing, .paused: false
        }
    }
}

// MARK: Events

extension ShareMachine {
    /// Takes new settings.
    package mutating func configure(_ share: Share?, _ moment: Moment) -> [Action] {
        if share?.started != self.share?.started {
            (lastSent, state.leftOut, state.implausible) = (nil, nil, nil)
            retry.reset()
            retry.endDoubts()
            queue.endRefusals()
            reduction = share?.accuracy == .reduced ? gridKey.map { AccuracyReduction(secret: $0) } : nil
            // Of a share with another accuracy, or that the user has ended.
            if queue.start == nil || share?.queue != queue.start { discard() }
        }
        self.share = share
        return actions(moment)
    }

    /// Takes a position.
    package mutating func receive(_ location: Location, isReduced: Bool, _ moment: Moment) -> [Action] {
        withholding = nil
        isStationary = false
        limit(isReduced)
        let isPlausible = isReduced || position.isPlausible(location)
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
        if service.isBridge, !isLimited { position.take(heading, at: moment.steady) }
    }

    /// Takes positions that were read from the queue.
    ///
    /// - Parameter damaged: the number of those before them that were damaged, and are left out.
    package mutating func load(_ records: [ShareRecord], damaged: Int = 0, _ moment: Moment) -> [Action] {
        if damaged > 0 { state.leftOut = ShareState.sum(state.leftOut, damaged) }
        queue.load(records)
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
            if position.unsent?.sequence == nil { dropNewest() }
            position.endThinning()
        case .concealed, .revoked: discard()
        }
        return actions(moment)
    }

    /// Takes the outcome of a message.
    ///
    /// - Parameter random: from 0 to 1, for the delay before the next attempt.
    package mutating func answered(_ outcome: Outcome, random: Double, _ moment: Moment) -> [Action] {
        guard let sent = sending else { return actions(moment) }
        sending = nil
        if case .end = sent.message, outcome != .answered(.stored) {
            endFailed(outcome, random, moment)
            return actions(moment)
        }
        ending.note(outcome, &state)
        switch outcome {
        case .answered(.doubtful), .answered(.refused), .answered(.wrong), .cancelled: break
        case .answered, .failed: retry.endDoubts()
        }
        switch outcome {
        case .answered(.stored): succeed(sent, moment)
        case .answered(.again(let problem, let seconds)): sendAgain(sent, problem, seconds, random, moment)
        case .answered(.doubtful(let problem)):
            if retry.noteDoubt(at: moment.steady) {
                fail(problem)
            } else {
                sendAgain(sent, problem, nil, random, moment)
            }
        case .answered(.unclear(let problem)):
            let queued = queue.numbers(of: sent.records)
            queue.fail(queued)
            sendAgain(queued.isEmpty ? sent : nil, problem, nil, random, moment)
        case .answered(.refused(let problem)): refuse(sent, problem, random, moment)
        case .answered(.wrong(let problem)): fail(problem)
        case .failed(let problem): sendAgain(sent, problem, nil, random, moment)
        case .cancelled: break
        }
        return actions(moment)
    }

    /// Performs due work.
    package mutating func wake(_ moment: Moment) -> [Action] { actions(moment) }

    /// Takes note, while the actions are performed, that the state could not be saved, as on a full disk. It is saved again later.
    ///
    /// Returns false if the message among the actions must not be sent: a service that can forget the position gets none before it is
    /// on disk that it may show one. The end, and other positions, are sent all the same.
    package mutating func notSaved(_ problem: String, _ moment: Moment) -> Bool {
        saving.fail(at: moment.steady)
        guard service.forgetsPosition, !saving.saved.isShowing, let unsent = sending, let last = unsent.records.last
        else {
            return true
        }
        sending = nil
        (state.isShowing, state.problem) = (false, problem)
        // What is queued is read again; it must not pass for the newest.
        if unsent.isOfBacklog || position.unsent != nil, last.sequence != nil {
            queue.unload()
        } else {
            position.unsent = position.unsent ?? last
        }
        return false
    }
}

// MARK: Changes

extension ShareMachine {
    /// True if positions are thinned, rather than sent after an interval: reduced ones are few.
    private func isThinned(_ record: ShareRecord) -> Bool { service.keepsTime && !record.isReduced }

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
            guard position.keeps(record.location, share?.thinningInRange ?? Thinning()) else { return }
            if let start = share?.queue, phase(at: moment) == .sharing {
                queue.append(&record, to: start, isLoaded: position.unsent == nil)
            }
        }
        position.unsent = record
        if service.isBridge { position.repeated = record }
    }

    private mutating func limit(_ isLimited: Bool) {
        self.isLimited = isLimited
        guard isLimited else { return }
        position.limit()
        cancelPositions { !$0.isReduced }
        queue.delete()
    }

    /// Drops the newest position, and cancels it if it is being sent.
    private mutating func dropNewest() {
        position.drop()
        cancelPositions { $0.sequence == nil }
    }

    /// Drops unsent messages, and cancels the one being sent.
    private mutating func discard() {
        position.drop()
        position.endThinning()
        cancelPositions { _ in true }
        queue.delete()
    }

    /// Cancels a message with such a position.
    private mutating func cancelPositions(where isMeant: (ShareRecord) -> Bool) {
        if sending?.records.contains(where: isMeant) == true { sending?.isCancelled = true }
    }

    private mutating func succeed(_ sent: Sending, _ moment: Moment) {
        retry.reset()
        // The reason why the share has stopped is still one after its end was confirmed.
        if phase(at: moment) != .failed { state.problem = nil }
        state.lastDelivery = moment.wall
        switch sent.message {
        case .positions(let records):
            if !sent.isOfBacklog, let record = records.last { lastSent = (record, moment.steady) }
            let left = queue.store(queue.numbers(of: records))
            if left > 0 { state.leftOut = ShareState.sum(state.leftOut, left) }
        case .end: forget()
        case .test: break
        }
    }

    /// Sends again later: the same if there is nothing newer.
    private mutating func sendAgain(
        _ sent: Sending?, _ problem: String, _ seconds: Int?, _ random: Double, _ moment: Moment
    ) {
        state.problem = problem
        retry.fail(seconds, random: random, at: moment.steady)
        guard let sent, let last = sent.records.last else { return }
        if last.sequence != nil {
            guard !queue.numbers(of: sent.records).isEmpty else { return }
            // The newest one stays the next one.
            if sent.isOfBacklog || position.unsent != nil { queue.unload() } else { position.unsent = last }
            return
        }
        guard position.unsent == nil, withholding == nil else { return }
        if last.isReduced || !isLimited, last.isReduced || share?.accuracy != .reduced { position.unsent = last }
    }

    private mutating func refuse(_ sent: Sending, _ problem: String, _ random: Double, _ moment: Moment) {
        let queued = queue.numbers(of: sent.records)
        queue.fail(queued)
        let isLasting = retry.noteDoubt(at: moment.steady)
        // The same again would be refused again.
        if queued.isEmpty {
            if isLasting { return fail(problem) }
        } else if queued.count == 1 {
            if queue.refuse(queued[0]) >= Self.mostRefusals, isLasting { return fail(problem) }
        } else {
            // Half of them at once.
            state.problem = problem
            return
        }
        sendAgain(nil, problem, nil, random, moment)
    }

    /// Stops the share until the user has changed its settings. What is queued waits for that, until the end of the share.
    private mutating func fail(_ problem: String) {
        state.problem = problem
        state.failedShare = share?.started
        retry.reset()
        retry.endDoubts()
        queue.unload()
    }

    /// Takes note that the service has not confirmed the end. Whatever it answers, it is told again: another one may have answered in
    /// its place.
    private mutating func endFailed(_ outcome: Outcome, _ random: Double, _ moment: Moment) {
        ending.fail(&state, at: moment.steady)
        guard let (problem, seconds) = outcome.problem else { return }
        if ending.isGivenUp(state) {
            state.problem = "The service could not be told of the end for a day, and may still show the last position."
        } else if phase(at: moment) != .failed {
            state.problem = problem
        }
        retry.fail(seconds, random: random, at: moment.steady)
    }

    private mutating func forget() {
        ending.finish(&state)
        lastSent = nil
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
    /// The actions that follow from all that is known.
    private mutating func actions(_ moment: Moment) -> [Action] {
        let phase = enterPhase(moment)
        let isRevoked = if case .revoked = withholding { true } else { false }
        let isWaiting = phase == .clockNotSet || phase == .failed
        if isRevoked || phase != .sharing && !isWaiting || queue.start != nil && queue.start != share?.queue {
            discard()
        } else if isWaiting {
            // The queue waits for the time, which a machine without a clock of its own gets late, or for the user.
            dropNewest()
            position.endThinning()
        }
        // Where the clock is not set soon, the service is not left with a position without an end.
        let isHolding =
            phase == .clockNotSet && clockWait.time(at: moment.steady).map { $0 < Self.doubtfulTime } ?? true

        var delays: [Duration] = []
        var next: Sending?
        if sending != nil {
            // One request at a time.
        } else if !isRevoked, phase == .sharing || isHolding {
            next = nextPositions(phase, moment, &delays)
        } else if !service.forgetsPosition {
            forget()
        } else if state.isShowing {
            next = nextEnd(moment, &delays)
        }
        if let until = share?.until, phase == .sharing || phase == .paused || phase == .failed {
            delays.append(max(.zero, until.duration(since: moment.wall)))
        }
        if phase == .clockNotSet { delays.append(.seconds(60)) }

        var actions: [Action] = []
        if saving.isDue(state, at: moment.steady) {
            actions.append(.save(state))
            saving.save(state)
        } else if let retryAt = saving.retryAt {
            delays.append(moment.steady.duration(to: retryAt))
        }
        actions += queue.takeChanges()
        if let next {
            sending = next
            actions.append(.send(next.message))
        } else if sending?.isCancelled == true {
            actions.append(.cancel)
            sending?.isCancelled = false
        }
        // A clock that is set, or a machine that was suspended, is noticed within a minute.
        if let delay = delays.min() { actions.append(.wake(after: min(delay, .seconds(60)))) }
        return actions
    }

    /// The phase now.
    private mutating func enterPhase(_ moment: Moment) -> SharePhase {
        let phase = phase(at: moment)
        if phase == .ended { state.endedShare = share?.started }
        guard clockWait.enter(phase, of: share, moment) else { return phase }
        fail("The clock of this machine is earlier than the start of the share, which has therefore stopped.")
        return .failed
    }

    /// The positions to send now: the newest one, or else those of the queue; `nil` if there are none, or they wait.
    private mutating func nextPositions(_ phase: SharePhase, _ moment: Moment, _ delays: inout [Duration]) -> Sending? {
        let isInterrupted = if case .interrupted = withholding { true } else { false }
        if ending.isUnderWay, !isInterrupted {
            // Positions do not wait for the delay of the end.
            ending.stop()
            retry.reset()
        }
        if let record = position.unsent, isStale(record, moment) { position.unsent = nil }
        if let record = position.repeated, isStale(record, moment) { position.repeated = nil }
        let repetition = position.repeated.flatMap { _ in lastSent.map { $0.at + Self.repeatInterval } }
        if position.unsent == nil, let repetition, repetition <= moment.steady { position.unsent = position.repeated }
        var next: Sending?
        if !isInterrupted, phase == .sharing, position.unsent != nil || queue.hasPositions {
            let pace = position.unsent.flatMap { record in lastSent.map { $0.at + interval(to: record) } }
            // What may show the position is on disk before that.
            let saved = service.forgetsPosition && !saving.saved.isShowing ? saving.retryAt : nil
            let due = [retry.at, pace, saved].compactMap(\.self).max() ?? moment.steady
            if due > moment.steady {
                delays.append(moment.steady.duration(to: due))
            } else if let record = position.unsent {
                let isExact = !record.isReduced && share?.accuracy == .full
                next = Sending(
                    message: .positions([isExact ? position.withHeading(record, at: moment.steady) : record]))
                position.unsent = nil
            } else if let records = queue.next() {
                next = Sending(message: .positions(records), isOfBacklog: true)
            }
        }
        if next != nil {
            (state.isShowing, state.clearingTime) = (true, nil)
        } else if position.unsent == nil, let repetition {
            delays.append(max(.zero, moment.steady.duration(to: repetition)))
        }
        return next
    }

    /// The message with the end; `nil` if it waits.
    private mutating func nextEnd(_ moment: Moment, _ delays: inout [Duration]) -> Sending? {
        if !ending.isUnderWay {
            ending.begin(&state, at: moment.steady)
            // The end is another message, and does not wait for what positions waited for.
            retry.reset()
        }
        // The next run sends it once more.
        if ending.isGivenUp(state) { return nil }
        if let retryAt = retry.at, retryAt > moment.steady {
            delays.append(moment.steady.duration(to: retryAt))
            return nil
        }
        ending.tell()
        return Sending(message: .end(at: moment.wall))
    }
}
