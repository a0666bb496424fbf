import LocationModel
import SeededRandom
import Testing

@testable import LocationConditions

@Suite("Set of conditions")
struct ConditionSetTests {
    private let start = ContinuousClock.now

    /// Each condition compared with every fix.
    private struct BruteForce {
        var machines: [ConditionID: (condition: GeographicCondition, machine: ConditionMachine)] = [:]

        mutating func observe(_ fix: ConditionFix, _ time: UInt32) -> Set<ConditionEvent> {
            var events: Set<ConditionEvent> = []
            for id in machines.keys {
                guard case (let condition, var machine)? = machines[id] else { continue }
                let state = machine.observe(
                    distance: condition.signedDistance(from: fix.coordinate), accuracy: fix.accuracy,
                    size: condition.size, at: time)
                machines[id] = (condition, machine)
                if let state { events.insert(ConditionEvent(id: id, state: state)) }
            }
            return events
        }
    }

    @Test("Fixes change the same conditions as a comparison with each", arguments: UInt64(0)..<24)
    func bruteForce(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var set = ConditionSet(start: start)
        var brute = BruteForce()
        var place = RandomConditions.place(&random)
        var time = 0.0
        var eventCount = 0
        func add() throws {
            let isNear = random.uniform(0...1) < 0.6
            let center = place.destination(distance: random.uniform(0...5000), bearing: random.uniform(0...360))
            let condition = try RandomConditions.condition(&random, near: isNear ? center : nil)
            let state = ConditionState.allCases[Int(random.next() % 3)]
            brute.machines[set.add(condition, assuming: state)] = (condition, ConditionMachine(state: state))
        }
        for _ in 0..<250 { try add() }
        for step in 0..<250 {
            let kind = random.uniform(0...1)
            if kind < 0.02 {
                place = RandomConditions.place(&random)
            } else if kind < 0.05 {
                place = place.destination(distance: random.uniform(0...20_000), bearing: random.uniform(0...360))
            } else {
                place = place.destination(distance: random.uniform(0...80), bearing: random.uniform(0...30))
            }
            time += random.uniform(0...1) < 0.9 ? 1 : random.uniform(1...300)
            let accuracy = random.uniform(0...1) < 0.9 ? random.uniform(0...10) : random.uniform(10...3000)
            let fix = ConditionFix(coordinate: place, accuracy: accuracy, time: start + .milliseconds(Int(time * 1000)))
            let events = set.observe(fix)
            let expected = brute.observe(fix, UInt32(Int(time * 1000) / 100))
            #expect(Set(events) == expected && events.count == expected.count, "step \(step)")
            guard Set(events) == expected else { return }
            eventCount += events.count
            if step % 5 == 0 { try add() }
            if step % 3 == 0, let id = brute.machines.keys.min(by: { $0.index < $1.index }) {
                set.remove(id)
                brute.machines[id] = nil
            }
            if step % 20 == 0 { try checkNearest(&set, brute, fix) }
        }
        #expect(set.count == brute.machines.count)
        #expect(eventCount > 100)
        for (id, entry) in brute.machines { #expect(set.state(id) == entry.machine.state) }
    }

    @Test(
        "Moving to and fro across many borders changes the same conditions as a comparison with each",
        arguments: UInt64(0)..<8)
    func toAndFro(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var set = ConditionSet(start: start)
        var brute = BruteForce()
        let base = RandomConditions.place(&random)
        for _ in 0..<100 {
            let center = base.destination(distance: random.uniform(0...2000), bearing: random.uniform(0...360))
            let circle = try CircularGeographicCondition(center: center, radius: random.uniform(20...2000))
            brute.machines[set.add(.circle(circle))] = (.circle(circle), ConditionMachine())
        }
        var eventCount = 0
        for step in 0..<600 {
            // Two fixes at each place, more than a minute apart.
            let away = [0.0, 30, 80, 20, 150, 60, 10, 120][step / 2 % 8] * Double(1 + step / 150)
            let place = base.destination(distance: away, bearing: seed.isMultiple(of: 2) ? 20 : 200)
            let fix = ConditionFix(coordinate: place, accuracy: 3, time: start + .seconds(step * 70))
            let events = set.observe(fix)
            let expected = brute.observe(fix, UInt32(step * 700))
            #expect(Set(events) == expected && events.count == expected.count, "step \(step)")
            guard Set(events) == expected else { return }
            eventCount += events.count
        }
        #expect(eventCount > 500)
    }

    private func checkNearest(_ set: inout ConditionSet, _ brute: BruteForce, _ fix: ConditionFix) throws {
        let borders = set.nearestBorders()
        let nearest = try #require(borders)
        var (exit, entry) = (Double.infinity, Double.infinity)
        for (condition, machine) in brute.machines.values {
            let distance = condition.signedDistance(from: fix.coordinate)
            switch machine.state {
            case .satisfied: exit = min(exit, max(0, -distance))
            case .unsatisfied: entry = min(entry, max(0, distance))
            case .unknown: entry = min(entry, abs(distance))
            }
        }
        #expect(nearest.exit <= exit + 1e-6)
        #expect(nearest.entry <= entry + 1e-6)
    }

    @Test("The nearest border is not reported much nearer than it is")
    func nearestBorderIsUseful() throws {
        var set = ConditionSet(start: start)
        var random = SeededGenerator(seed: 1)
        let here = Coordinate(latitude: 48, longitude: 11)
        for _ in 0..<500 {
            let center = here.destination(distance: random.uniform(30_000...90_000), bearing: random.uniform(0...360))
            _ = set.add(.circle(try CircularGeographicCondition(center: center, radius: 100)))
        }
        let home = set.add(.circle(try CircularGeographicCondition(center: here, radius: 200)))
        for second in 0..<10 {
            _ = set.observe(ConditionFix(coordinate: here, accuracy: 5, time: start + .seconds(second)))
        }
        #expect(set.state(home) == .satisfied && !set.isDeciding)
        let borders = set.nearestBorders()
        let nearest = try #require(borders)
        #expect(nearest.exit > 198 && nearest.exit <= 200)
        #expect(nearest.entry > 29_000)
    }

    @Test(
        "Beyond the listed borders of one kind the nearest of the other kind is not missed", arguments: [true, false])
    func nearestBeyondTheList(isInside: Bool) throws {
        var set = ConditionSet(start: start)
        let here = Coordinate(latitude: 48, longitude: 11)
        // More than the list has, all inside, or all outside; and one of the other kind behind them.
        for number in 0..<(2 * ConditionSet.listCount) {
            let offset = Double(2000 + 10 * number)
            let center = isInside ? here : here.destination(distance: offset + 100, bearing: Double(number) * 7)
            _ = set.add(.circle(try CircularGeographicCondition(center: center, radius: isInside ? offset : 100)))
        }
        let other =
            isInside
            ? try CircularGeographicCondition(center: here.destination(distance: 9000, bearing: 90), radius: 1000)
            : try CircularGeographicCondition(center: here, radius: 8000)
        _ = set.add(.circle(other))
        for second in 0..<10 {
            _ = set.observe(ConditionFix(coordinate: here, accuracy: 5, time: start + .seconds(second)))
        }
        let borders = set.nearestBorders()
        let nearest = try #require(borders)
        #expect((1980...2001).contains(isInside ? nearest.exit : nearest.entry))
        // A lower bound: at the list's end at least, and not behind the border.
        #expect((2400...8001).contains(isInside ? nearest.entry : nearest.exit), "\(nearest)")
    }

    @Test("Conditions that can be reached become unknown half an hour after the last fix, others later")
    func loss() throws {
        var set = ConditionSet(start: start)
        let here = Coordinate(latitude: 48, longitude: 11)
        let home = set.add(.circle(try CircularGeographicCondition(center: here, radius: 200)))
        let far = set.add(
            .circle(
                try CircularGeographicCondition(center: here.destination(distance: 200_000, bearing: 90), radius: 200)))
        for second in 0..<3 {
            _ = set.observe(ConditionFix(coordinate: here, accuracy: 5, time: start + .seconds(second)))
        }
        #expect(set.state(home) == .satisfied && set.state(far) == .unsatisfied)
        #expect(set.loseSource(at: start + .seconds(1800)).isEmpty)
        #expect(set.loseSource(at: start + .seconds(1802)) == [ConditionEvent(id: home, state: .unknown)])
        #expect(set.loseSource(at: start + .seconds(1803)).isEmpty)
        #expect(set.loseSource(at: start + .seconds(6000)) == [ConditionEvent(id: far, state: .unknown)])
        var events: [ConditionEvent] = []
        for second in 7000..<7003 {
            events += set.observe(ConditionFix(coordinate: here, accuracy: 5, time: start + .seconds(second)))
        }
        #expect(
            Set(events) == [ConditionEvent(id: home, state: .satisfied), ConditionEvent(id: far, state: .unsatisfied)])
    }

    @Test("Fixes without a valid accuracy or from the past change nothing", arguments: [Double.nan, -1, .infinity])
    func invalidFixes(accuracy: Double) throws {
        var set = ConditionSet(start: start)
        let here = Coordinate(latitude: 48, longitude: 11)
        let id = set.add(.circle(try CircularGeographicCondition(center: here, radius: 200)))
        for second in 1..<4 {
            #expect(
                set.observe(ConditionFix(coordinate: here, accuracy: accuracy, time: start + .seconds(second))).isEmpty)
        }
        _ = set.observe(ConditionFix(coordinate: here, accuracy: 5, time: start + .seconds(5)))
        #expect(set.observe(ConditionFix(coordinate: here, accuracy: 5, time: start + .seconds(1))).isEmpty)
        #expect(set.state(id) == .unknown)
    }

    @Test("A condition that is removed has no further events, and its place is used again")
    func removal() throws {
        var set = ConditionSet(start: start)
        let here = Coordinate(latitude: 48, longitude: 11)
        let circle = GeographicCondition.circle(try CircularGeographicCondition(center: here, radius: 200))
        for round in 0..<2000 {
            let id = set.add(circle)
            set.remove(id)
            set.remove(id)
            #expect(set.condition(id) == nil && set.count == 0)
            #expect(
                set.observe(ConditionFix(coordinate: here, accuracy: 5, time: start + .seconds(round))).isEmpty)
        }
        #expect(set.byteCount < 20_000)
    }

    @Test(
        "After a removal the next conditions have places of their own, each with its own state", arguments: [0, 1, 3])
    func placesAfterRemoval(fixes: Int) throws {
        var set = ConditionSet(start: start)
        let here = Coordinate(latitude: 48, longitude: 11)
        let there = here.destination(distance: 5000, bearing: 90)
        func circle(_ center: Coordinate) throws -> GeographicCondition {
            .circle(try CircularGeographicCondition(center: center, radius: 200))
        }
        // Whether it is still compared with every fix depends on their number.
        let removed = (set.add(try circle(here)), set.add(try circle(there)))
        for second in 0..<fixes {
            _ = set.observe(ConditionFix(coordinate: here, accuracy: 5, time: start + .seconds(second)))
        }
        set.remove(removed.0)
        for second in 3..<6 {
            _ = set.observe(ConditionFix(coordinate: here, accuracy: 5, time: start + .seconds(second)))
        }
        set.remove(removed.0)
        set.remove(removed.1)
        let ids = try [here, there, here, there].map { set.add(try circle($0)) }
        #expect(Set(ids).count == 4 && set.count == 4)
        for second in 70..<73 {
            _ = set.observe(ConditionFix(coordinate: here, accuracy: 5, time: start + .seconds(second)))
        }
        #expect(ids.map(set.state) == [.satisfied, .unsatisfied, .satisfied, .unsatisfied])
    }

    @Test("All of 40 conditions that were lost are determined again by fixes at the same place")
    func determinedAgain() throws {
        var set = ConditionSet(start: start)
        let here = Coordinate(latitude: 48, longitude: 11)
        let ids = try (0..<40).map { number in
            let center = here.destination(distance: Double(number) * 19, bearing: Double(number) * 9)
            return set.add(.circle(try CircularGeographicCondition(center: center, radius: 1000)))
        }
        func stay(from second: Int) -> [ConditionEvent] {
            (0..<3).flatMap {
                set.observe(ConditionFix(coordinate: here, accuracy: 1, time: start + .seconds(second + $0)))
            }
        }
        let first = stay(from: 0)
        #expect(Set(first.map(\.id)) == Set(ids))
        #expect(set.loseSource(at: start + .seconds(3600)).count == 40)
        #expect(Set(stay(from: 3700)) == Set(first))
    }

    @Test("Adding and removing without any fix takes no memory")
    func churn() throws {
        var set = ConditionSet(start: start)
        let here = Coordinate(latitude: 48, longitude: 11)
        let circle = GeographicCondition.circle(try CircularGeographicCondition(center: here, radius: 200))
        let kept = set.add(circle)
        for _ in 0..<5000 { set.remove(set.add(circle)) }
        #expect(set.byteCount < 40_000 && set.count == 1)
        for second in 0..<2 {
            _ = set.observe(ConditionFix(coordinate: here, accuracy: 5, time: start + .seconds(second)))
        }
        #expect(set.state(kept) == .satisfied)
    }

    @Test("100,000 conditions take less than 200 bytes each")
    func memory() throws {
        var set = ConditionSet(start: start)
        var random = SeededGenerator(seed: 5)
        for _ in 0..<20_000 {
            _ = set.add(.circle(try CircularGeographicCondition(center: RandomConditions.place(&random), radius: 100)))
        }
        #expect(set.byteCount / set.count < 200)
    }
}
