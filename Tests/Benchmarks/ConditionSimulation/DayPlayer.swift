package import LocationConditions
import LocationModel
import SeededRandom

/// Plays a day to conditions whose receiver sleeps as scheduled.
package struct DayPlayer: Sendable {
    /// The schedule.
    package var schedule = ReceiverSchedule()
    /// The share of the starts that take 8 to 29 s, as warm ones do, rather than 1 to 8 s.
    package var warmStarts = 0.0

    /// The distance from the border in metres that makes a stay on a side count: twice the radius of doubt.
    static let depth = 23.0

    /// True if visits are wanted, too, for which the receiver wakes more often.
    package var watchesVisits = false

    /// A player with the schedule's defaults.
    package init() {}

    /// What was measured.
    package struct Figures: Sendable {
        /// The seconds in which the receiver was on.
        package var awake = 0.0
        /// All seconds.
        package var total = 0.0
        /// The delays of events from the true crossing of the border, in seconds.
        package var delays: [Double] = []
        /// Events on a side where the user was neither then nor in the last 60 s.
        package var wrong = 0
        /// Passages and stays outside of more than a minute, deeper than ``DayPlayer/depth``, without the event.
        package var missed = 0

        /// The arrivals and departures that were reported, and those that a machine with the true places reports.
        package var visits = (reported: 0, true: 0)
        /// The delays of their reports from those of that machine, in seconds, if both have the same number.
        package var visitDelays: [Double] = []

        /// Nothing.
        package init() {}

        /// Adds those of another day.
        package mutating func add(_ other: Figures) {
            awake += other.awake
            total += other.total
            delays += other.delays
            wrong += other.wrong
            missed += other.missed
            visits.reported += other.visits.reported
            visits.true += other.visits.true
            visitDelays += other.visitDelays
        }
    }

    /// Plays a day. The first start of the receiver, which determines the states, does not count.
    package func play(_ day: Day, seed: UInt64) -> Figures {
        var random = SeededGenerator(seed: seed)
        var noise = ReceiverNoise(seed: seed)
        var schedule = schedule
        let start = ContinuousClock.now
        var set = ConditionSet(start: start)
        for condition in day.conditions { _ = set.add(condition) }
        var events: [[(second: Int, state: ConditionState)]] = Array(repeating: [], count: day.conditions.count)
        var figures = Figures()
        var (wake, fixAt) = (0.0, 0.0)
        var (machine, trueMachine) = (VisitMachine(), VisitMachine())
        var (visits, trueVisits): ([Double], [Double]) = ([], [])
        for (second, place) in day.places.enumerated() {
            let time = Double(second)
            let error = noise.next()
            figures.total += 1
            let timestamp = Timestamp(secondsSince1970: Int64(second))
            let truth = ConditionFix(
                coordinate: Field.coordinate(place), accuracy: noise.accuracy, time: start + .seconds(time))
            if watchesVisits, trueMachine.observe(truth, timestamp: timestamp) != nil { trueVisits.append(time) }
            guard time >= wake else { continue }
            figures.awake += 1
            guard time >= fixAt else { continue }
            let fix = ConditionFix(
                coordinate: Field.coordinate(place + error), accuracy: noise.accuracy, time: start + .seconds(time))
            let changes = set.observe(fix)
            for event in changes { events[Int(event.id.index)].append((second, event.state)) }
            if watchesVisits, machine.observe(fix, timestamp: timestamp) != nil { visits.append(time) }
            let before = day.places[max(0, second - 1)]
            let way = place - before
            let speed = max(0, (way * way).sum().squareRoot() + 0.2 * random.normal())
            let demand = schedule.demand(
                after: fix, speed: speed, borders: set.nearestBorders() ?? .init(), isDeciding: set.isDeciding,
                hasEvents: !changes.isEmpty, nextLook: machine.nextLook)
            if case .asleep(let until, _) = demand {
                let sleep = fix.time.duration(to: until)
                wake = time + Double(sleep.components.seconds) + Double(sleep.components.attoseconds) * 1e-18
                let isWarm = random.uniform(0...1) < warmStarts
                let starting = isWarm ? random.uniform(8...29) : random.uniform(1...8)
                schedule.receiverStarted(in: starting)
                fixAt = wake + starting
            }
        }
        figures.visits = (visits.count, trueVisits.count)
        if visits.count == trueVisits.count { figures.visitDelays = zip(visits, trueVisits).map { $0 - $1 } }
        for (condition, events) in zip(day.conditions, events) { judge(condition, events, day, &figures) }
        return figures
    }

    private func judge(
        _ condition: GeographicCondition, _ events: [(second: Int, state: ConditionState)], _ day: Day,
        _ figures: inout Figures
    ) {
        var stays: [(state: ConditionState, range: Range<Int>, depth: Double)] = []
        var last: (place: SIMD2<Double>, distance: Double)?
        for (second, place) in day.places.enumerated() {
            let distance =
                last?.place == place
                ? last?.distance ?? 0 : condition.signedDistance(from: Field.coordinate(place))
            last = (place, distance)
            let state: ConditionState = distance < 0 ? .satisfied : .unsatisfied
            if let end = stays.last, end.state == state {
                stays[stays.count - 1].range = end.range.lowerBound..<second + 1
                stays[stays.count - 1].depth = max(end.depth, abs(distance))
            } else {
                stays.append((state, second..<second + 1, abs(distance)))
            }
        }
        for event in events.dropFirst() {
            let stay = stays.last { $0.state == event.state && $0.range.lowerBound <= event.second }
            guard let stay, stay.range.upperBound + 60 > event.second else {
                figures.wrong += 1
                continue
            }
            guard stay.depth > Self.depth else { continue }
            figures.delays.append(Double(event.second - stay.range.lowerBound))
        }
        for stay in stays.dropFirst() where stay.depth > Self.depth {
            let before = events.last { $0.second < stay.range.lowerBound }
            guard before?.state != stay.state, stay.state == .satisfied || stay.range.count > 60 else { continue }
            let isReported = events.contains {
                $0.state == stay.state && $0.second >= stay.range.lowerBound && $0.second < stay.range.upperBound + 60
            }
            if !isReported { figures.missed += 1 }
        }
    }
}
