import LocationModel
import NIOCore
import Testing

@testable import LocationSources

/// When a receiver counts as silent, by the pace of its reports.
@Suite("Freshness", .timeLimit(.minutes(10)))
struct FreshnessTests {
    @Test(
        "unavailability is reported once, three and a half intervals after the last fix",
        arguments: [(0.05, 0.35), (0.1, 0.35), (0.2, 0.7), (1, 3.5), (5, 17.5), (30, 60)])
    func horizon(interval: Double, horizon: Double) {
        let last = max(8, Int(2.5 / interval))
        var tracker = ReceiverTracker.trained(until: last, interval: interval)
        let end = Double(last) * interval + horizon
        #expect(abs((tracker.deadline ?? 0) - end) < 1e-6)
        #expect(tracker.tick(end - 0.001).isEmpty)
        #expect(tracker.tick(end) == ["silent"])
        #expect(tracker.deadline == nil)
        #expect(tracker.tick(end + 100).isEmpty)
        #expect(tracker.hear(fix(100), end + 101) == ["48@100"])
        #expect(tracker.deadline != nil)
    }

    @Test("epochs that end without a fix are reported as no fix, three and a half epochs after the last one with one")
    func epochsWithoutFix() {
        var tracker = ReceiverTracker.trained(until: 8)
        var events: [String] = []
        for second in 9...20 {
            // A frozen position, and then the truth about it.
            events += tracker.hear(fix(Double(second)), Double(second) - 0.05)
            events += tracker.tick(Double(second))
            events += tracker.hear(noFix(Double(second)), Double(second))
            events += tracker.tick(Double(second) + 0.5)
        }
        // The first was reported before its end was known to come.
        #expect(events == ["48@9", "noFix"])
        #expect(tracker.status(at: at(20.5)).first?.mode == .noFix)
        #expect(tracker.hear(fix(21), 21).isEmpty)
        #expect(tracker.tick(21.25) == ["48@21"])
    }

    @Test(
        "two receivers behind one device, one of them without a fix, keep the fix",
        arguments: [(nil, nil), (0.5, 0.5), (0, nil)] as [(Double?, Double?)])
    func alternating(odd: Double?, even: Double?) {
        var tracker = ReceiverTracker.trained(until: 8)
        for second in 9...20 {
            let offset = second % 2 == 0 ? even : odd
            _ = tracker.hear(fix(Double(second)), Double(second))
            _ = tracker.hear(noFix(offset.map { Double(second) + $0 }), Double(second) + 0.5)
            #expect(tracker.tick(Double(second) + 0.6).allSatisfy { $0.contains("@") })
        }
    }

    @Test("a burst of fixes at the start teaches no pace", arguments: [true, false], [4, 6, 40])
    func burst(hasTimes: Bool, count: Int) {
        var tracker = ReceiverTracker.needed()
        for index in 0..<count {
            _ = tracker.hear(fix(hasTimes ? Double(index) - 100 : nil), 0.004 * Double(index))
        }
        var events: [String] = []
        for second in 1...6 {
            events += tracker.tick(Double(second) + 0.15)
            events += tracker.hear(fix(Double(second)), Double(second) + 0.16)
            events += tracker.tick(Double(second) + 0.5)
        }
        #expect(events.allSatisfy { $0.contains("@") }, "\(events)")
    }

    @Test("a receiver that never knows the time is slow only where it is seen to be")
    func timelessPace() {
        var tracker = ReceiverTracker.needed()
        for index in 0..<8 { _ = tracker.hear(fix(nil), Double(index) * 5) }
        #expect(tracker.deadline == 35 + 17.5)
        tracker = .needed()
        // Longer than the time that a pace has to be seen.
        for index in 0..<50 { _ = tracker.hear(fix(nil), Double(index) * 0.1) }
        #expect(tracker.deadline.map { abs($0 - 8.4) < 1e-6 } == true)
    }

    @Test("without any fix, unavailability is reported by the assumed pace, with the reason")
    func reasons() {
        var tracker = ReceiverTracker()
        #expect(tracker.deadline == nil)
        tracker.setNeeded(true, at: at(10))
        #expect(tracker.deadline == 11.5)
        #expect(tracker.tick(11.5) == ["notConnected"])
        #expect(tracker.deadline == nil)
        // A source that is reached later has as long as any.
        _ = tracker.setConnected(true, 0, at: at(20))
        #expect(tracker.deadline == 23.5)
        #expect(tracker.tick(23.5) == ["noReceiver"])
        #expect(tracker.deadline == nil)
        // One that comes and goes is not reported again and again.
        _ = tracker.setConnected(false, 0, at: at(30))
        _ = tracker.setConnected(true, 0, at: at(31))
        #expect(tracker.tick(34.5) == [])
        #expect(tracker.deadline == nil)

        tracker = .needed()
        #expect(tracker.tick(3.5) == ["noReceiver"])

        tracker = .needed()
        _ = tracker.hear(.receiver(.init(device: "a", isActivated: true)), 0)
        #expect(tracker.tick(3.5) == ["starting"])
        #expect(tracker.deadline == 15)
        #expect(tracker.tick(15) == ["silent"])
        #expect(tracker.deadline == nil)

        // gpsd lists a receiver while it is opening it, and one that it cannot open.
        tracker = .needed()
        _ = tracker.hear(.receivers([.init(device: "a", isActivated: false)]), 0)
        #expect(tracker.tick(3.5) == ["starting"])
        #expect(tracker.deadline == 15)
        #expect(tracker.tick(15) == ["noReceiver"])
        tracker = .needed()
        _ = tracker.hear(.receivers([.init(device: "a", isActivated: false)]), 0)
        _ = tracker.hear(.receivers([]), 1)
        #expect(tracker.tick(3.5) == ["noReceiver"])
        tracker = .needed()
        _ = tracker.hear(.receivers([.init(device: "a", isActivated: false)]), 0)
        _ = tracker.setConnected(false, 0, at: at(1))
        _ = tracker.setConnected(true, 0, at: at(2))
        #expect(tracker.tick(3.5) == ["noReceiver"])

        // Once it has reported, it is no longer starting.
        tracker = .needed()
        _ = tracker.hear(noFix(0), 0)
        #expect(tracker.tick(3.5) == ["silent"])

        tracker = .needed()
        for second in 0...3 { #expect(tracker.hear(noFix(Double(second)), Double(second)).isEmpty) }
        #expect(tracker.tick(3.5) == ["noFix"])
        #expect(tracker.hear(noFix(4), 4).isEmpty)
    }

    @Test("after the loss of a fix or receiver, unavailability is reported when the last fix goes stale")
    func losesFix() {
        var tracker = ReceiverTracker.trained(until: 5)
        for second in 6...8 { #expect(tracker.hear(noFix(Double(second)), Double(second)).isEmpty) }
        #expect(tracker.tick(8.5) == ["noFix"])

        tracker = .trained(until: 5)
        #expect(tracker.hear(.receiver(.init(device: "a", isActivated: false)), 6).isEmpty)
        #expect(tracker.tick(8.5) == ["noReceiver"])

        tracker = .trained(until: 5)
        #expect(tracker.setConnected(false, at: at(5)).isEmpty)
        #expect(tracker.tick(8.5) == ["notConnected"])

        tracker = .trained(until: 5)
        #expect(tracker.hear(.receivers([]), 6).isEmpty)
        #expect(tracker.tick(8.5) == ["noReceiver"])
    }

    @Test("a receiver that repeats one time is not fresh")
    func frozen() {
        var tracker = ReceiverTracker.trained(until: 5)
        for second in 6...8 { #expect(tracker.hear(fix(5), Double(second)).isEmpty) }
        #expect(tracker.tick(8.5) == ["silent"])
    }

    @Test("an outage between connections is not learned as an interval, however short", arguments: [20.0, 4])
    func interruption(period: Double) {
        var tracker = ReceiverTracker.needed()
        for round in 0..<5 {
            let start = Double(round) * period
            _ = tracker.setConnected(true, at: at(start))
            _ = tracker.hear(fix(start), start)
            _ = tracker.hear(fix(start + 1), start + 1)
            _ = tracker.setConnected(false, at: at(start + 2))
        }
        #expect(tracker.deadline == 4 * period + 1 + 3.5)
    }

    @Test("an outage during a connection is not learned either, but two long intervals in a row are")
    func gaps() {
        var tracker = ReceiverTracker.needed()
        for (index, second) in [0.0, 1, 21, 22, 42, 43].enumerated() { _ = tracker.hear(fix(Double(index)), second) }
        #expect(tracker.deadline == 43 + 3.5)
        for (index, second) in [53.0, 63, 73, 83].enumerated() { _ = tracker.hear(fix(Double(10 + index)), second) }
        _ = tracker.tick(84)
        #expect(tracker.deadline == 118.0)
    }

    @Test("a new pace is learned within three intervals")
    func newPace() {
        var tracker = ReceiverTracker.trained(until: 20)
        for index in 1...3 { _ = tracker.hear(fix(Double(20 + 2 * index)), Double(20 + 2 * index)) }
        #expect(abs((tracker.deadline ?? 0) - 33) < 1e-6)
    }

    @Test("nothing from before a pause is published or fresh after it, and nothing is pending during it")
    func pause() {
        var tracker = ReceiverTracker.trained(reports: 2, until: 5)
        _ = tracker.hear(fix(6), 6)
        tracker.setNeeded(false, at: at(6.01))
        #expect(tracker.deadline == nil)
        #expect(tracker.hear(fix(7), 7).isEmpty)
        tracker.setNeeded(true, at: at(7.5))
        #expect(tracker.status(at: at(7.5)).allSatisfy { $0.ageOfLastFix == nil && !$0.isCurrent })
        #expect(tracker.deadline == 11)
        // gpsd opens it again.
        #expect(tracker.tick(11) == ["starting"])
        #expect(tracker.hear(fix(6), 11.1).isEmpty)
        // Told once for each time that locations are needed.
        tracker.setNeeded(false, at: at(12))
        tracker.setNeeded(true, at: at(13))
        #expect(tracker.tick(16.5) == ["starting"])
    }
}
