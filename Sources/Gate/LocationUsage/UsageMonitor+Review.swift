import NIOCore
import Pacing

/// The pending reviews of processes and places, and their schedule.
///
/// Each turn of the event loop reviews a slice and reports the changes in one batch. After an expensive slice the loop
/// is left to others for a moment, because NIO's loop runs all scheduled tasks before it polls its sockets again.
struct ReviewSchedule {
    enum Item {
        /// Review one process.
        case process(ProcessUse)
        /// Review the processes of a place whose state has changed.
        case members(SharedPlace)
        /// Read the state of a place.
        case place(SharedPlace)
        case terminals
    }

    fileprivate var items = CircularBuffer<Item>()
    fileprivate var slice: LoopTimer?
    fileprivate var isUnderWay = false
    /// The time until which the loop is left to others.
    fileprivate var rest = NIODeadline.uptimeNanoseconds(0)
    fileprivate var terminalTimer: LoopTimer?
    fileprivate var deadlineTimer: (timer: LoopTimer, deadline: ContinuousClock.Instant)?

    mutating func cancel() {
        slice?.cancel()
        terminalTimer?.cancel()
        deadlineTimer?.timer.cancel()
        self = ReviewSchedule()
    }
}

extension UsageMonitor {
    /// The capacity of a slice, in reports of one process each. The handler has work to do with each report, too.
    private static let slice = 64
    /// The share of a slice that reading the two small files of a place takes.
    private static let shareOfPlace = 8
    /// The number of processes of one place, or with a terminal, that are reviewed before the next item's turn.
    private static let turn = 16
    private static let rest = TimeAmount.milliseconds(1)
    /// The interval at which the foreground of terminals is checked.
    private static let terminalInterval = TimeAmount.seconds(1)

    func schedule(_ use: ProcessUse) {
        guard !use.review.isDue else { return }
        use.review.isDue = true
        schedule(.process(use))
    }

    func schedule(membersOf place: SharedPlace) {
        place.members.startRound()
        guard !place.isInReview else { return }
        place.isInReview = true
        schedule(.members(place))
    }

    func schedule(rereading place: SharedPlace) {
        guard !place.isStale else { return }
        place.isStale = true
        schedule(.place(place))
    }

    private func schedule(_ item: ReviewSchedule.Item) {
        review.items.append(item)
        scheduleSlice()
    }

    private func scheduleSlice() {
        guard review.slice == nil, !review.isUnderWay else { return }
        let time = max(review.rest, eventLoop.now)
        review.slice = eventLoop.makeTimer(at: time) { [weak self] in
            guard let self else { return }
            review.slice = nil
            review.isUnderWay = true
            let isLarge = reviewSlice()
            review.isUnderWay = false
            if isLarge { review.rest = eventLoop.now + Self.rest }
            if !review.items.isEmpty || deadlines.first.map({ $0 <= self.now() }) ?? false { scheduleSlice() }
        }
    }
}

extension UsageMonitor {
    /// Reviews a slice. Returns true if it was expensive.
    private func reviewSlice() -> Bool {
        let instant = now()
        var events: [UsageEvent] = []
        var left = Self.slice
        while left > 0, let use = deadlines.popDue(at: instant) {
            left -= 1
            report(use, &events, at: instant)
        }
        while left > 0, let item = review.items.popFirst() {
            left -= review(item, &events, instant)
        }
        setTimers(at: instant)
        if !events.isEmpty { handler(events) }
        return left < Self.slice - Self.turn
    }

    /// Reviews one item. Returns its share of the slice.
    private func review(_ item: ReviewSchedule.Item, _ events: inout [UsageEvent], _ instant: ContinuousClock.Instant)
        -> Int
    {
        switch item {
        case .process(let use):
            use.review.isDue = false
            guard use.count > 0 else { return 0 }
            if use.hasExited {
                forget(use)
                events.append(.exited(use.process))
            } else {
                if use.review.isGathering { gather(use, at: instant) }
                report(use, &events, at: instant)
            }
            return 1
        case .place(let place):
            place.isStale = false
            reread(place)
            return Self.shareOfPlace
        case .members(let place):
            let uses = place.members.next(Self.turn)
            for use in uses { report(use, &events, at: instant) }
            if place.members.isInRound { review.items.append(item) } else { place.isInReview = false }
            return uses.count
        case .terminals:
            let uses = terminals.next(Self.turn)
            for use in uses {
                checkTerminal(of: use, at: instant)
                report(use, &events, at: instant)
            }
            if terminals.isInRound { review.items.append(item) }
            return uses.count
        }
    }

    private func report(_ use: ProcessUse, _ events: inout [UsageEvent], at instant: ContinuousClock.Instant) {
        guard use.count > 0 else { return }
        use.report(to: &events, at: instant)
        deadlines.insert(use, at: instant)
    }

    private func setTimers(at instant: ContinuousClock.Instant) {
        if terminals.isEmpty {
            review.terminalTimer?.cancel()
            review.terminalTimer = nil
        } else if review.terminalTimer == nil {
            review.terminalTimer = eventLoop.makeTimer(in: Self.terminalInterval) { [weak self] in
                guard let self else { return }
                review.terminalTimer = nil
                if !terminals.isInRound {
                    terminals.startRound()
                    schedule(.terminals)
                }
            }
        }
        guard let deadline = deadlines.first, deadline > instant else { return }
        if let armed = review.deadlineTimer, armed.deadline <= deadline { return }
        review.deadlineTimer?.timer.cancel()
        let timer = eventLoop.makeTimer(in: TimeAmount(deadline - instant)) { [weak self] in
            self?.review.deadlineTimer = nil
            self?.scheduleSlice()
        }
        review.deadlineTimer = (timer, deadline)
    }
}
