import LocationModel
import NIOCore
import Testing

@testable import LocationSources

/// Abbreviations for times and reports: seconds since the start, and receivers' times in seconds.
private func at(_ seconds: Double) -> NIODeadline {
    NIODeadline.uptimeNanoseconds(1_000_000_000_000) + TimeAmount.nanoseconds(Int64((seconds * 1e9).rounded()))
}

private func stamp(_ seconds: Double) -> Timestamp {
    Timestamp(nanosecondsSince1970: Int64((1_000_000 + seconds) * 1e9))
}

private func fix(
    _ seconds: Double?, device: String? = "a", latitude: Double = 48, mode: FixMode = .threeDimensional,
    accuracy: Double? = nil, speed: Double? = nil, arrival: Double = 0
) -> ReceiverReport {
    let time = seconds.map { stamp($0) }
    var location = Location(
        coordinate: Coordinate(latitude: latitude, longitude: 11)!,
        timestamp: time ?? Timestamp(nanosecondsSince1970: Int64(arrival * 1e9)))
    location.horizontalAccuracy = accuracy
    location.speed = speed
    location.sourceInformation = .init(isSimulated: false, device: device)
    return .position(PositionReport(device: device, mode: mode, time: time, location: location))
}

private func noFix(_ seconds: Double?, device: String? = "a") -> ReceiverReport {
    .position(PositionReport(device: device, mode: .noFix, time: seconds.map { stamp($0) }, location: nil))
}

extension ReceiverTracker {
    /// The published events in short form: `48@3` is latitude 48 at the receiver's second 3.
    fileprivate mutating func hear(_ report: ReceiverReport, _ seconds: Double) -> [String] {
        short(receive(report, from: 0, at: at(seconds)))
    }

    fileprivate mutating func setConnected(_ isConnected: Bool, at now: NIODeadline) -> [SourceEvent] {
        setConnected(isConnected, 0, at: now)
    }

    fileprivate func status(at now: NIODeadline) -> [ReceiverStatus] { status(of: 0, at: now) }

    fileprivate mutating func tick(_ seconds: Double) -> [String] { short(tick(at: at(seconds))) }

    fileprivate var deadline: Double? {
        nextDeadline.map { Double(($0 - at(0)).nanoseconds) / 1e9 }
    }

    fileprivate static func needed(preferring device: String? = nil) -> ReceiverTracker {
        var tracker = ReceiverTracker(preferredDevices: device.map { [$0] } ?? [])
        _ = tracker.setConnected(true, at: at(0))
        tracker.setNeeded(true, at: at(0))
        return tracker
    }

    /// A tracker that has learned that an epoch of receiver `a` has `reports` reports, up to second `last`.
    fileprivate static func trained(reports: Int = 1, until last: Int, interval: Double = 1) -> ReceiverTracker {
        var tracker = needed()
        for second in 0...last {
            for index in 0..<reports {
                _ = tracker.hear(fix(Double(second)), Double(second) * interval + 0.01 * Double(index))
            }
        }
        return tracker
    }
}

private func short(_ events: [SourceEvent]) -> [String] {
    events.map { event in
        switch event {
        case .location(let location):
            "\(Int(location.coordinate.latitude))@\(Int(location.timestamp.secondsSince1970) - 1_000_000)"
        case .heading(let heading): "heading \(Int(heading.trueHeading))"
        case .unavailable(let reason): reason.rawValue
        }
    }
}

@Suite("Epochs", .timeLimit(.minutes(2)))
struct EpochTests {
    @Test("the first epoch waits for its settling time")
    func firstSettles() {
        var tracker = ReceiverTracker.needed()
        #expect(tracker.hear(fix(0), 0.1).isEmpty)
        #expect(tracker.deadline == 0.35)
        #expect(tracker.tick(0.3).isEmpty)
        #expect(tracker.tick(0.35) == ["48@0"])
    }

    @Test("the first epoch ends when the next begins, after which one report an epoch is known to be usual")
    func firstEndsWithSecond() {
        var tracker = ReceiverTracker.needed()
        #expect(tracker.hear(fix(0), 0).isEmpty)
        #expect(tracker.hear(fix(1), 0.1) == ["48@0", "48@1"])
        #expect(tracker.hear(fix(2), 1.1) == ["48@2"])
    }

    @Test("with k reports usual, the k-th completes the epoch")
    func complete() {
        var tracker = ReceiverTracker.trained(reports: 3, until: 2)
        #expect(tracker.hear(fix(3), 3).isEmpty)
        #expect(tracker.hear(fix(3), 3.01).isEmpty)
        #expect(tracker.hear(fix(3, latitude: 49), 3.02) == ["49@3"])
        #expect(tracker.hear(fix(3, latitude: 50), 3.03).isEmpty)
        #expect(tracker.omissions(of: 0).late == 1)
    }

    @Test("an epoch with fewer reports than usual settles after a quarter of the interval, at most 250 ms")
    func settles() {
        var tracker = ReceiverTracker.trained(reports: 2, until: 14, interval: 0.2)
        #expect(tracker.hear(fix(15), 3).isEmpty)
        #expect(tracker.deadline == 3.05)
        #expect(tracker.tick(3.05) == ["48@15"])
        var slow = ReceiverTracker.trained(reports: 2, until: 9, interval: 5)
        #expect(slow.hear(fix(10), 50).isEmpty)
        #expect(slow.deadline == 50.25)
    }

    @Test("a later report of an epoch replaces its own values and leaves the rest")
    func refines() {
        var tracker = ReceiverTracker.trained(reports: 2, until: 2)
        _ = tracker.receive(fix(3, latitude: 48, accuracy: 5, speed: 2), from: 0, at: at(3))
        let events = tracker.receive(fix(3, latitude: 49, speed: 3), from: 0, at: at(3.01))
        guard case .location(let location) = events.first else {
            Issue.record("nothing told")
            return
        }
        #expect(location.coordinate.latitude == 49)
        #expect(location.speed == 3)
        #expect(location.horizontalAccuracy == 5)
    }

    @Test(
        "an epoch has a fix if its last report has one, or one of no time or of another follows",
        arguments: [
            (noFix(3), [], []), (noFix(2), [], ["48@3"]), (noFix(nil), [], ["48@3"]), (noFix(3.5), ["48@3"], []),
        ])
    func lastReportCounts(report: ReceiverReport, atOnce: [String], later: [String]) {
        var tracker = ReceiverTracker.trained(reports: 2, until: 2)
        #expect(tracker.hear(fix(3), 3).isEmpty)
        #expect(tracker.hear(report, 3.01) == atOnce)
        #expect(tracker.tick(3.25) == later)
    }

    @Test("a fix after a report without one, in the same epoch, is published")
    func fixAfterNone() {
        var tracker = ReceiverTracker.trained(reports: 2, until: 2)
        #expect(tracker.hear(noFix(3), 3).isEmpty)
        #expect(tracker.hear(fix(3), 3.01).isEmpty)
        #expect(tracker.hear(noFix(3), 3.02).isEmpty)
        #expect(tracker.hear(fix(3, latitude: 49), 3.03) == ["49@3"])
        #expect(tracker.hear(fix(3), 3.04).isEmpty)
        // A receiver whose times are whole seconds may have two epochs in one.
        tracker = .trained(reports: 4, until: 2)
        _ = tracker.hear(fix(3), 3)
        _ = tracker.hear(noFix(3), 3.05)
        #expect(tracker.hear(fix(3), 3.95).isEmpty && tracker.tick(3.95).isEmpty)
        #expect(tracker.hear(noFix(3), 4).isEmpty && tracker.tick(4.5).isEmpty)
    }

    @Test("each fix without a time is published at once")
    func timeless() {
        var tracker = ReceiverTracker.needed()
        #expect(tracker.hear(fix(nil, latitude: 1), 0).count == 1)
        #expect(tracker.hear(fix(nil, latitude: 2), 0.5).count == 1)
        _ = tracker.hear(fix(3), 1)
        #expect(tracker.hear(fix(nil, latitude: 3), 1.1).count == 2)
    }

    @Test("a step back is dropped while the time line is fresh, and starts a new one when it is stale")
    func backward() {
        var tracker = ReceiverTracker.trained(until: 5)
        #expect(tracker.hear(fix(3), 5.5).isEmpty)
        #expect(tracker.omissions(of: 0).dropped == 1)
        #expect(tracker.hear(fix(6), 6) == ["48@6"])
        #expect(tracker.tick(9.5) == ["silent"])
        #expect(tracker.hear(fix(1), 9.7) == ["48@1"])
        #expect(tracker.hear(fix(2), 10.7) == ["48@2"])
    }

    @Test("the newest time is never published twice, however old it is")
    func frozenTime() {
        var tracker = ReceiverTracker.trained(until: 5)
        #expect(tracker.tick(8.5) == ["silent"])
        #expect(tracker.hear(fix(5), 9).isEmpty)
        #expect(tracker.omissions(of: 0).late == 1)
    }

    @Test("a new connection and a reopened device start a new time line")
    func newTimeLine() {
        var tracker = ReceiverTracker.trained(until: 5)
        _ = tracker.setConnected(false, at: at(5.1))
        _ = tracker.setConnected(true, at: at(5.2))
        #expect(tracker.hear(fix(2), 5.3) == ["48@2"])
        #expect(tracker.hear(fix(1), 5.4).isEmpty)
        _ = tracker.hear(.receiver(.init(device: "a", isActivated: false)), 5.5)
        _ = tracker.hear(.receiver(.init(device: "a", isActivated: true)), 5.6)
        #expect(tracker.hear(fix(1), 5.7) == ["48@1"])
    }

    @Test("the status has no receiver that was removed, and has it again when it is back")
    func removedReceivers() {
        var tracker = ReceiverTracker.needed()
        func names(_ seconds: Double) -> [String?] { tracker.status(at: at(seconds)).map(\.device) }
        _ = tracker.hear(fix(1, device: "a"), 0.1)
        _ = tracker.hear(fix(1, device: "b"), 0.2)
        // One that gpsd could not open is shown: it is what is wrong.
        _ = tracker.hear(.receiver(.init(device: "closed", isActivated: false)), 0.3)
        #expect(names(0.4) == ["a", "b", "closed"])
        _ = tracker.hear(.receiver(.init(device: "a", isActivated: false)), 0.5)
        #expect(names(0.5) == ["b", "closed"])
        _ = tracker.hear(.receivers([.init(device: "closed", isActivated: false)]), 0.6)
        #expect(names(0.6) == ["closed"])
        _ = tracker.hear(fix(2, device: "a"), 0.7)
        #expect(names(0.7) == ["a", "closed"])
        _ = tracker.hear(.receiver(.init(device: "b", isActivated: true)), 0.8)
        #expect(names(0.8) == ["a", "b", "closed"])
    }

    @Test("a pending fix is published when the connection ends")
    func flushesAtEnd() {
        var tracker = ReceiverTracker.needed()
        _ = tracker.hear(fix(1), 0.1)
        #expect(short(tracker.setConnected(false, at: at(0.2))) == ["48@1"])
    }
}

@Suite("Freshness", .timeLimit(.minutes(2)))
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

    @Test("a receiver that reports is open, whatever gpsd said before")
    func reopened() {
        var tracker = ReceiverTracker.trained(until: 5)
        _ = tracker.hear(.receiver(.init(device: "a", isActivated: false)), 5.5)
        #expect(tracker.status(at: at(5.6)).isEmpty)
        #expect(tracker.hear(fix(6), 6) == ["48@6"])
        #expect(tracker.status(at: at(6)).map(\.isActivated) == [true])
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

@Suite("Receivers", .timeLimit(.minutes(2)))
struct ReceiverChoiceTests {
    /// Both receivers report each second, `a` first; returns the events of the last of `seconds`.
    private func run(
        _ tracker: inout ReceiverTracker, _ seconds: ClosedRange<Int>, a: (FixMode, Double)?, b: (FixMode, Double)?
    ) -> [String] {
        var last: [String] = []
        for second in seconds {
            let now = Double(second)
            last = []
            if let a {
                last += tracker.hear(fix(now, device: "a", latitude: 1, mode: a.0, accuracy: a.1), now)
            }
            if let b {
                last += tracker.hear(fix(now + 0.2, device: "b", latitude: 2, mode: b.0, accuracy: b.1), now + 0.2)
            }
            last += tracker.tick(now + 0.5)
        }
        return last
    }

    @Test("the current receiver stays, even if another is a little better or has a better mode")
    func stays() {
        var tracker = ReceiverTracker.needed()
        #expect(run(&tracker, 0...30, a: (.twoDimensional, 10), b: (.threeDimensional, 6)) == ["1@30"])
    }

    @Test("another receiver takes over after ten epochs with less than half the error")
    func takesOver() {
        var tracker = ReceiverTracker.needed()
        _ = run(&tracker, 0...0, a: (.threeDimensional, 10), b: nil)
        #expect(run(&tracker, 1...9, a: (.threeDimensional, 10), b: (.threeDimensional, 4)) == ["1@9"])
        #expect(run(&tracker, 10...12, a: (.threeDimensional, 10), b: (.threeDimensional, 4)).last == "2@12")
    }

    @Test("ten epochs with less than half the error count only in a row")
    func staysUnlessInARow() {
        var tracker = ReceiverTracker.needed()
        _ = run(&tracker, 0...0, a: (.threeDimensional, 10), b: nil)
        for second in 1...30 {
            let accuracy = second.isMultiple(of: 3) ? 6.0 : 4
            let told = run(&tracker, second...second, a: (.threeDimensional, 10), b: (.threeDimensional, accuracy))
            #expect(told == ["1@\(second)"])
        }
    }

    @Test("after a change of receivers, another one has to be ahead of the new one for ten epochs")
    func takesOverAgain() {
        var tracker = ReceiverTracker.needed()
        _ = run(&tracker, 0...0, a: (.threeDimensional, 10), b: nil)
        for second in 1...18 {
            let now = Double(second)
            var told = run(&tracker, second...second, a: (.threeDimensional, 10), b: (.threeDimensional, 4))
            if second > 3 { told += tracker.hear(fix(now + 0.6, device: "c", latitude: 3, accuracy: 1), now + 0.6) }
            told += tracker.tick(now + 0.9)
            #expect(!told.contains("3@\(second)"))
        }
    }

    @Test("the selected receiver keeps its place when all are silent")
    func keepsPlace() {
        var tracker = ReceiverTracker.needed()
        for second in 0...1 { _ = tracker.hear(fix(Double(second), device: "real", accuracy: 1), Double(second)) }
        for second in 2...3 {
            for index in 1..<ReceiverTracker.maximumReceivers {
                _ = tracker.hear(fix(Double(second), device: "\(index)"), Double(second))
            }
        }
        _ = tracker.hear(fix(100, device: "new"), 100)
        let devices = tracker.status(at: at(100)).map(\.device)
        #expect(devices.contains("real") && devices.contains("new") && !devices.contains("1"))
    }

    @Test("a report of dilutions alone leaves the satellites")
    func dilutionsAlone() {
        var tracker = ReceiverTracker.needed()
        _ = tracker.hear(.sky(SkyReport(device: "a", satellitesUsed: 4, satellitesSeen: 9)), 0)
        _ = tracker.hear(.sky(SkyReport(device: "a", horizontalDilution: 0.9)), 0.1)
        #expect(tracker.status(at: at(1)).map(\.satellitesSeen) == [9])
    }

    @Test("the preferred receiver is selected while it is fresh")
    func preferred() {
        var tracker = ReceiverTracker.needed(preferring: "b")
        #expect(run(&tracker, 0...5, a: (.threeDimensional, 1), b: (.twoDimensional, 50)) == ["2@5"])
        _ = run(&tracker, 6...10, a: (.threeDimensional, 1), b: nil)
        #expect(run(&tracker, 11...11, a: (.threeDimensional, 1), b: nil) == ["1@11"])
        #expect(run(&tracker, 12...13, a: (.threeDimensional, 1), b: (.twoDimensional, 50)) == ["2@13"])
    }

    @Test(
        "a selection prefers 3D, then the smaller error, then the name",
        arguments: [
            ((FixMode.twoDimensional, 1.0), (FixMode.threeDimensional, 50.0), "2@5"),
            ((.threeDimensional, 9.0), (.threeDimensional, 8.0), "2@5"),
            ((.threeDimensional, 8.0), (.threeDimensional, 8.0), "1@5"),
        ])
    func choice(a: (FixMode, Double), b: (FixMode, Double), told: String) {
        // A third receiver was the current one and has just gone stale.
        var tracker = ReceiverTracker.needed()
        for second in 0...1 { _ = tracker.hear(fix(Double(second) + 0.1, device: "c"), Double(second)) }
        _ = run(&tracker, 2...4, a: a, b: b)
        #expect(run(&tracker, 5...5, a: a, b: b).contains(told))
    }

    @Test("after a change of receivers, older times are dropped until the previous receiver has gone stale")
    func olderTime() {
        var tracker = ReceiverTracker.needed(preferring: "b")
        for second in 0...5 { _ = tracker.hear(fix(Double(second) + 100, device: "a"), Double(second)) }
        var told: [Double] = []
        for second in 6...12 {
            let now = Double(second)
            if tracker.hear(fix(now, device: "b"), now).contains("48@\(second)") { told.append(now) }
            if tracker.tick(now + 0.3).contains("48@\(second)") { told.append(now) }
        }
        #expect(told == [9, 10, 11, 12])
        #expect(tracker.omissions(of: 0).dropped == 3)
    }

    @Test("after a change of receivers, the time of the last location counts as older")
    func sameTime() {
        var tracker = ReceiverTracker.needed(preferring: "b")
        for second in 0...5 { _ = tracker.hear(fix(Double(second), device: "a", latitude: 1), Double(second)) }
        _ = tracker.hear(fix(5, device: "b", latitude: 2), 5.1)
        #expect(tracker.tick(5.4).isEmpty)
        #expect(tracker.omissions(of: 0).dropped == 1)
        #expect(tracker.hear(fix(6, device: "b", latitude: 2), 6.1) == ["2@6"])
    }

    @Test("after a pause, the older time of another receiver is accepted")
    func olderTimeAfterPause() {
        var tracker = ReceiverTracker.needed(preferring: "b")
        for second in 0...5 { _ = tracker.hear(fix(Double(second) + 100, device: "a"), Double(second)) }
        tracker.setNeeded(false, at: at(5.1))
        tracker.setNeeded(true, at: at(5.2))
        #expect(tracker.hear(fix(6, device: "b"), 5.3).isEmpty)
        #expect(tracker.hear(fix(7, device: "b"), 6.3) == ["48@6", "48@7"])
    }

    @Test("one of several receivers going silent is not unavailability")
    func oneSilentReceiverIsNotUnavailability() {
        var tracker = ReceiverTracker.needed()
        _ = run(&tracker, 0...5, a: (.threeDimensional, 5), b: (.threeDimensional, 5))
        for second in 6...20 {
            #expect(!run(&tracker, second...second, a: nil, b: (.threeDimensional, 5)).contains("silent"))
        }
    }

    @Test("the selected receiver's heading precedes a compass, and the first compass others")
    func headings() {
        func heading(_ device: String, _ degrees: Double) -> ReceiverReport {
            .heading(
                Heading(
                    trueHeading: degrees, timestamp: stamp(0),
                    sourceInformation: .init(isSimulated: false, device: device)))
        }
        var tracker = ReceiverTracker.needed()
        #expect(tracker.hear(heading("c", 1), 0) == ["heading 1"])
        #expect(tracker.hear(heading("d", 2), 0.1).isEmpty)
        #expect(tracker.hear(heading("d", 2), 4) == ["heading 2"])
        _ = tracker.hear(fix(5, device: "a"), 5)
        _ = tracker.tick(5.25)
        #expect(tracker.hear(heading("a", 3), 5.3) == ["heading 3"])
        #expect(tracker.hear(heading("d", 2), 5.4).isEmpty)
        // Nothing from before a pause suppresses another compass.
        tracker.setNeeded(false, at: at(5.5))
        #expect(tracker.hear(heading("d", 2), 5.6).isEmpty)
        tracker.setNeeded(true, at: at(5.7))
        #expect(tracker.hear(heading("d", 2), 5.8) == ["heading 2"])
    }

    @Test("clocks are compared at every report with a time, with or without a fix")
    func clocks() {
        var tracker = ReceiverTracker.needed()
        func offset() -> Duration? { tracker.status(at: at(0)).first?.clockOffset }
        _ = tracker.receive(fix(nil), from: 0, at: at(0), clock: stamp(0))
        #expect(offset() == nil)
        _ = tracker.receive(noFix(1), from: 0, at: at(1), clock: stamp(4))
        #expect(offset() == .seconds(3))
        _ = tracker.receive(fix(2), from: 0, at: at(2), clock: stamp(1))
        #expect(offset() == .seconds(-1))
        _ = tracker.receive(fix(nil), from: 0, at: at(3), clock: stamp(9))
        #expect(offset() == .seconds(-1))
    }

    @Test("the number of tracked receivers is bounded")
    func bounded() {
        var tracker = ReceiverTracker.needed()
        for index in 0..<100 { _ = tracker.hear(fix(1, device: "\(index)"), 0) }
        #expect(tracker.status(at: at(0)).count == ReceiverTracker.maximumReceivers)
    }

    @Test("a new receiver replaces the one that has been silent longest, never a fresh one")
    func places() {
        var tracker = ReceiverTracker.needed()
        // The selected receiver is kept, whatever the number of made-up names beside it.
        for second in 0..<60 {
            for index in 0..<4 { _ = tracker.hear(fix(Double(second), device: "\(second) \(index)"), Double(second)) }
            _ = tracker.hear(fix(Double(second), device: "real", latitude: 50, accuracy: 1), Double(second) + 0.1)
            #expect(tracker.status(at: at(Double(second) + 0.1)).contains { $0.device == "real" })
        }
        #expect(tracker.status(at: at(60)).count == ReceiverTracker.maximumReceivers)
        // All are silent: the next one is tracked, whatever its name.
        _ = tracker.tick(1000)
        _ = tracker.hear(fix(1000, device: "new", latitude: 51), 1000)
        #expect(tracker.hear(fix(1001, device: "new", latitude: 51), 1001).contains("51@1000"))
        let devices = tracker.status(at: at(1001)).map(\.device)
        #expect(devices.contains("new") && devices.contains("real") && !devices.contains("0 0"))
    }
}
