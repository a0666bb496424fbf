import ConditionSimulation
import LocationConditions
import LocationModel
import Testing

@Suite("Visits")
struct VisitMachineTests {
    private let start = ContinuousClock.now
    private let date = Timestamp(nanosecondsSince1970: 1_790_000_000_000_000_000)

    private func elapsed(_ time: Timestamp) -> Double { Double(time.duration(since: date).components.seconds) }

    /// The visits of fixes at points in metres, with the seconds of their arrivals and departures.
    private func visits(_ fixes: [(seconds: Double, place: SIMD2<Double>)], accuracy: Double = 5) -> [(Double, Double?)]
    {
        var machine = VisitMachine()
        return fixes.compactMap { seconds, place in
            let fix = ConditionFix(
                coordinate: Field.coordinate(place), accuracy: accuracy, time: start + .seconds(seconds))
            guard let visit = machine.observe(fix, timestamp: date.advanced(by: .seconds(seconds))) else { return nil }
            return (elapsed(visit.arrivalDate), visit.departureDate.map(elapsed))
        }
    }

    private func stay(_ range: ClosedRange<Double>, every interval: Double, at place: SIMD2<Double>, seed: UInt64 = 1)
        -> [(
            seconds: Double, place: SIMD2<Double>
        )]
    {
        var noise = ReceiverNoise(seed: seed)
        return stride(from: range.lowerBound, through: range.upperBound, by: interval).map {
            ($0, place + noise.next(after: interval))
        }
    }

    @Test(
        "Five minutes at a place are an arrival, leaving it a departure, with the times of the first and last fix there",
        arguments: [1.0, 20, 150])
    func stayAndLeave(interval: Double) {
        let home = stay(0...1800, every: interval, at: .zero)
        let visits = visits(home + [(1900, SIMD2(500, 0)), (1901, SIMD2(530, 0)), (1902, SIMD2(560, 0))])
        #expect(visits.map(\.0) == [0, 0])
        #expect(visits.map(\.1) == [nil, home.last?.seconds ?? 0])
    }

    @Test("Less than five minutes, driving and walking are no visits")
    func noVisit() {
        #expect(visits(stay(0...299, every: 1, at: .zero)).isEmpty)
        #expect(visits((0..<3600).map { (Double($0), SIMD2(Double($0) * 20, 0)) }).isEmpty)
        #expect(visits((0..<3600).map { (Double($0), SIMD2(Double($0) * 1.2, 0)) }).isEmpty)
    }

    @Test("One wrong fix and poor fixes do not end a visit")
    func wrongFix() {
        let home = stay(0...1800, every: 10, at: .zero)
        #expect(visits(home + [(1801, SIMD2(5000, 0))] + stay(1802...1900, every: 10, at: .zero)).count == 1)
        var machine = VisitMachine()
        for (seconds, place) in home {
            _ = machine.observe(
                ConditionFix(coordinate: Field.coordinate(place), accuracy: 5, time: start + .seconds(seconds)),
                timestamp: date)
        }
        for second in 1801..<1900 {
            let fix = ConditionFix(
                coordinate: Field.coordinate(SIMD2(2000, 0)), accuracy: 1000, time: start + .seconds(second))
            #expect(machine.observe(fix, timestamp: date) == nil)
        }
        #expect(machine.current != nil)
    }

    @Test("Two wrong fixes an hour apart end no visit, and two in a row do")
    func wrongFixesApart() {
        let home = stay(0...1800, every: 10, at: .zero)
        let later = stay(1802...5400, every: 10, at: .zero) + [(5401, SIMD2(5000, 0))]
        #expect(visits(home + [(1801, SIMD2(5000, 0))] + later + stay(5402...5500, every: 10, at: .zero)).count == 1)
        #expect(visits(home + [(1801, SIMD2(5000, 0)), (1802, SIMD2(5000, 0))]).map(\.1) == [nil, 1800])
    }

    @Test("A visit to the next place follows, and a fix is needed every 150 s")
    func nextVisit() {
        let trip = stay(0...1000, every: 50, at: .zero) + stay(1200...2500, every: 50, at: SIMD2(3000, 0), seed: 2)
        #expect(visits(trip).map(\.0) == [0, 0, 1250])
        var machine = VisitMachine()
        _ = machine.observe(
            ConditionFix(coordinate: Field.origin, accuracy: 5, time: start), timestamp: date)
        #expect(machine.nextLook == start + .seconds(150))
    }

    @Test(
        "A visit lasts as long as the user stays, whatever the receiver's clock does",
        arguments: [-30.0, -619_315_200, 599_594_400, 0] as [Double], [100.0, 900] as [Double])
    func clockSteps(step: Double, at moment: Double) {
        var machine = VisitMachine()
        let fixes = stay(0...1800, every: 1, at: .zero) + stay(1801...1900, every: 1, at: SIMD2(600, 0))
        let visits = fixes.compactMap { seconds, place in
            machine.observe(
                ConditionFix(coordinate: Field.coordinate(place), accuracy: 5, time: start + .seconds(seconds)),
                timestamp: date.advanced(by: .seconds(seconds + (seconds < moment ? 0 : step))))
        }
        #expect(visits.count == 2)
        guard let visit = visits.last, let departure = visit.departureDate else { return }
        #expect(departure.duration(since: visit.arrivalDate) == .seconds(1800))
        #expect(elapsed(departure) == 1800 + step)
    }

    @Test("One wrong fix does not delay an arrival")
    func wrongFixBeforeArrival() {
        var home = stay(0...400, every: 1, at: .zero)
        home[200].place = SIMD2(5000, 0)
        #expect(visits(home).map(\.0) == [0])
    }

    @Test("Two wrong fixes minutes apart do not delay an arrival, and a short stop before it is no part of it")
    func arrivalAfterOthers() {
        var home = stay(0...400, every: 1, at: .zero)
        for second in [60, 200] { home[second].place = SIMD2(5000, 0) }
        #expect(visits(home).map(\.0) == [0])
        let stop = stay(0...100, every: 1, at: .zero) + stay(101...600, every: 1, at: SIMD2(3000, 0), seed: 2)
        #expect(visits(stop).map(\.0) == [101])
    }

    @Test("A visit continues after a restart and ends with its stored arrival")
    func restart() {
        let stored = Visit(coordinate: Field.origin, horizontalAccuracy: 30, arrivalDate: date)
        var machine = VisitMachine(continuing: stored, at: start)
        #expect(machine.current == stored)
        let there = Field.coordinate(SIMD2(900, 0))
        let later = date.advanced(by: .seconds(100))
        #expect(
            machine.observe(ConditionFix(coordinate: there, accuracy: 5, time: start + .seconds(100)), timestamp: later)
                == nil)
        let visit = machine.observe(
            ConditionFix(coordinate: there, accuracy: 5, time: start + .seconds(101)), timestamp: later)
        #expect(visit?.arrivalDate == date && visit?.departureDate == date)
    }
}
