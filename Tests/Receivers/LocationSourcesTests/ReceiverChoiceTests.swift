import LocationModel
import NIOCore
import Testing

@testable import LocationSources

/// The choice among several receivers of one source.
@Suite("Choice of a receiver", .timeLimit(.minutes(10)))
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
}
