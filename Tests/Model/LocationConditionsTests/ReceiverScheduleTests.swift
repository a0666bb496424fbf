import LocationModel
import Testing

@testable import LocationConditions

@Suite("Sleep of the receiver")
struct ReceiverScheduleTests {
    private let start = ContinuousClock.now

    private func length(
        exit: Double = .infinity, entry: Double = .infinity, speed: Double? = 0, accuracy: Double = 4,
        isDeciding: Bool = false, schedule: ReceiverSchedule = ReceiverSchedule()
    ) -> Double? {
        var schedule = schedule
        let fix = ConditionFix(coordinate: Coordinate(latitude: 48, longitude: 11), accuracy: accuracy, time: start)
        let demand = schedule.demand(
            after: fix, speed: speed, borders: .init(exit: exit, entry: entry), isDeciding: isDeciding,
            hasEvents: false)
        guard case .asleep(let until, _) = demand else { return nil }
        return start.duration(to: until).seconds
    }

    @Test("Without a border the receiver sleeps for the longest time")
    func nothingNear() { #expect(length() == 1200) }

    @Test("The receiver has a fix again before the border of another condition can be reached at 40 m/s")
    func entry() throws {
        let sleep = try #require(length(entry: 10_010, speed: nil))
        #expect(abs(sleep - (10_000.0 / 41 - 10)) < 0.1)
    }

    @Test("An exit may be reported as late as the bound allows")
    func exit() throws {
        let sleep = try #require(length(exit: 4_010, speed: 40))
        #expect(abs(sleep - (4_000.0 / 41 + 30 - 10 - 3)) < 0.1)
    }

    @Test("Someone at rest has to accelerate first")
    func acceleration() throws {
        let schedule = ReceiverSchedule()
        // From 1 m/s with 4 m/s²: 40 m/s after 9.75 s and 200 m.
        #expect(abs(schedule.timeToReach(199.875, from: 0) - 9.75) < 1e-9)
        #expect(abs(schedule.timeToReach(199.875 + 400, from: 0) - 19.75) < 1e-9)
        #expect(schedule.timeToReach(1000, from: 99) == 10)
        #expect(schedule.timeToReach(.infinity, from: 0) == .infinity)
    }

    @Test("The receiver stays on near a border, while deciding, and where a sleep is not worth it")
    func continuous() {
        #expect(length(exit: 10) == nil)
        #expect(length(exit: 5000, entry: 9) == nil)
        #expect(length(exit: 5000, accuracy: 3000) == nil)
        #expect(length(isDeciding: true) == nil)
        #expect(length(entry: 500, speed: 30) == nil)
    }

    @Test("The receiver stays on for a minute after an event")
    func settling() {
        var schedule = ReceiverSchedule()
        func demand(at seconds: Int, hasEvents: Bool) -> ReceiverSchedule.Demand {
            let fix = ConditionFix(
                coordinate: Coordinate(latitude: 48, longitude: 11), accuracy: 4, time: start + .seconds(seconds))
            return schedule.demand(
                after: fix, speed: 0, borders: .init(), isDeciding: false, hasEvents: hasEvents)
        }
        #expect(demand(at: 0, hasEvents: true) == .continuous)
        #expect(demand(at: 59, hasEvents: false) == .continuous)
        #expect(demand(at: 60, hasEvents: false) != .continuous)
    }

    @Test("A slow start makes the next sleeps shorter, for a while")
    func slowStart() throws {
        var schedule = ReceiverSchedule()
        schedule.receiverStarted(in: 28)
        let slow = try #require(length(entry: 10_010, speed: nil, schedule: schedule))
        for _ in 0..<20 { schedule.receiverStarted(in: 2) }
        let usual = try #require(length(entry: 10_010, speed: nil, schedule: schedule))
        #expect(abs(usual - slow - 18) < 0.1)
    }

    @Test("Searches without a fix are repeated with growing pauses")
    func searches() {
        var schedule = ReceiverSchedule()
        let pauses = (0..<6).map { _ -> Double in
            guard case .asleep(let until, let searching) = schedule.searchFailed(at: start) else { return 0 }
            #expect(searching == .seconds(60))
            return start.duration(to: until).seconds
        }
        #expect(pauses == [30, 60, 120, 240, 300, 300])
    }

    @Test("Visits limit the sleep")
    func nextLook() {
        var schedule = ReceiverSchedule()
        let fix = ConditionFix(coordinate: Coordinate(latitude: 48, longitude: 11), accuracy: 4, time: start)
        let demand = schedule.demand(
            after: fix, speed: 0, borders: .init(), isDeciding: false, hasEvents: false,
            nextLook: start + .seconds(150))
        #expect(demand == .asleep(until: start + .seconds(150), searching: .seconds(60)))
    }
}
