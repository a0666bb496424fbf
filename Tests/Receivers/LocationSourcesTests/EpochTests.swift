import LocationModel
import NIOCore
import Testing

@testable import LocationSources

/// Which reports of a receiver make one location, and when it is published.
@Suite("Epochs", .timeLimit(.minutes(10)))
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

    @Test("a pending fix is published when the connection ends")
    func flushesAtEnd() {
        var tracker = ReceiverTracker.needed()
        _ = tracker.hear(fix(1), 0.1)
        #expect(short(tracker.setConnected(false, at: at(0.2))) == ["48@1"])
    }
}
