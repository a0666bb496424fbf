import LocationModel
import NIOCore
import Testing

@testable import LocationSources

/// What the status has of receivers, and how many are tracked.
@Suite("Status of receivers", .timeLimit(.minutes(10)))
struct ReceiverStatusTests {
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

    @Test("a receiver that reports is open, whatever gpsd said before")
    func reopened() {
        var tracker = ReceiverTracker.trained(until: 5)
        _ = tracker.hear(.receiver(.init(device: "a", isActivated: false)), 5.5)
        #expect(tracker.status(at: at(5.6)).isEmpty)
        #expect(tracker.hear(fix(6), 6) == ["48@6"])
        #expect(tracker.status(at: at(6)).map(\.isActivated) == [true])
    }

    @Test("a report of dilutions alone leaves the satellites")
    func dilutionsAlone() {
        var tracker = ReceiverTracker.needed()
        _ = tracker.hear(.sky(SkyReport(device: "a", satellitesUsed: 4, satellitesSeen: 9)), 0)
        _ = tracker.hear(.sky(SkyReport(device: "a", horizontalDilution: 0.9)), 0.1)
        #expect(tracker.status(at: at(1)).map(\.satellitesSeen) == [9])
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

    @Test("sixteen receivers are tracked; a new one replaces the one that was silent longest, never a fresh one")
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
