import LocationModel
import NIOCore
import SourceSimulation
import Testing

@testable import LocationSources

/// A choice whose clocks the test turns. Places are metres east of a point.
private struct Chooser {
    private static let start = Timestamp(nanosecondsSince1970: 1_800_000_000_000_000_000)
    private final class Clock: @unchecked Sendable { var seconds = 0.0 }

    private let clock = Clock()
    private var choice: SourceChoice

    init(_ demand: LocationDemand = .continuous) {
        choice = SourceChoice { [clock] in Self.time(clock.seconds) }
        _ = choice.setDemand(demand, at: .uptimeNanoseconds(0))
    }

    private static func time(_ seconds: Double) -> Timestamp { start.advanced(by: .seconds(seconds)) }
    private var now: NIODeadline { .uptimeNanoseconds(UInt64(clock.seconds * 1e9)) }

    private func location(
        _ kind: Location.SourceInformation.Kind, _ metres: Double, _ radius: Double?, measured: Double
    ) -> Location {
        let coordinate = TangentPlane(at: Coordinate(latitude: 0, longitude: 0)).coordinate(of: [metres, 0])!
        var location = Location(coordinate: coordinate, timestamp: Self.time(measured))
        location.horizontalAccuracy = radius
        location.sourceInformation = .init(kind: kind)
        return location
    }

    /// The events as texts: `receiver 100 r5` is a receiver's location 100 m east with a radius of 5 m.
    private func texts(_ events: [SourceEvent]) -> [String] {
        events.map { event in
            switch event {
            case .location(let location):
                let metres = TangentPlane(at: Coordinate(latitude: 0, longitude: 0)).point(of: location.coordinate).x
                let kind = location.sourceInformation?.kind?.rawValue ?? "?"
                return "\(kind) \(Int(metres.rounded())) r\(Int(location.horizontalAccuracy?.rounded() ?? -1))"
            case .heading: return "heading"
            case .unavailable(let reason): return reason.rawValue
            }
        }
    }

    mutating func receiver(_ metres: Double, radius: Double? = 5, at seconds: Double) -> [String] {
        clock.seconds = seconds
        return texts(choice.receive(location(.receiver, metres, radius, measured: seconds), at: now))
    }

    mutating func lose(_ reason: UnavailableReason = .noFix, at seconds: Double) -> [String] {
        clock.seconds = seconds
        return texts(choice.lose(reason, at: now))
    }

    mutating func wifi(
        _ metres: Double, radius: Double = 40, measured: Double? = nil, at seconds: Double
    ) -> [String] {
        clock.seconds = seconds
        return texts(
            choice.receive(
                location(.wifi, metres, radius, measured: measured ?? seconds), from: 1, freshFor: .seconds(90), at: now
            ))
    }

    mutating func fixed(_ metres: Double, at seconds: Double) -> [String] {
        clock.seconds = seconds
        return texts(choice.receive(location(.fixed, metres, 50, measured: 0), from: 2, freshFor: nil, at: now))
    }

    mutating func clear(at seconds: Double) -> [String] {
        clock.seconds = seconds
        return texts(choice.withdraw(2, at: now))
    }

    mutating func tick(_ seconds: Double) -> [String] {
        clock.seconds = seconds
        return texts(choice.tick(at: now))
    }

    mutating func demand(_ demand: LocationDemand, at seconds: Double) -> [String] {
        clock.seconds = seconds
        return texts(choice.setDemand(demand, at: now))
    }

    mutating func forget() { choice.forget() }

    /// Seconds until the next tick.
    var deadline: Double? { choice.nextDeadline.map { Double($0.uptimeNanoseconds) / 1e9 } }
}

@Suite("The choice among kinds of sources", .timeLimit(.minutes(10)))
struct SourceChoiceTests {
    @Test("a receiver takes over at once, and Wi-Fi ten seconds after the receiver was lost")
    func hold() {
        var chooser = Chooser()
        #expect(chooser.wifi(0, at: 0) == ["wifi 0 r100"])
        #expect(chooser.receiver(10, at: 1) == ["receiver 10 r5"])
        #expect(chooser.wifi(20, at: 30).isEmpty, "the receiver precedes")
        #expect(chooser.receiver(11, at: 31) == ["receiver 11 r5"])
        #expect(chooser.lose(at: 34.5) == ["noFix"])
        #expect(chooser.wifi(30, at: 40).isEmpty)
        #expect(chooser.deadline == 44.5)
        #expect(chooser.tick(44.5) == ["wifi 30 r49"], "its radius has grown by 2 m a second")
        #expect(chooser.receiver(12, at: 45) == ["receiver 12 r5"])
    }

    @Test("a receiver that is back within ten seconds continues without a change of source")
    func canyon() {
        var chooser = Chooser()
        #expect(chooser.receiver(0, at: 0) == ["receiver 0 r5"])
        #expect(chooser.wifi(30, at: 1).isEmpty)
        #expect(chooser.lose(at: 3.5) == ["noFix"])
        #expect(chooser.tick(8).isEmpty)
        #expect(chooser.receiver(1, at: 8) == ["receiver 1 r5"])
    }

    @Test("a receiver that is less accurate than 50 m and than what is published has to wait")
    func upward() {
        var chooser = Chooser()
        _ = chooser.wifi(0, at: 0)
        #expect(chooser.wifi(0, radius: 60, at: 30) == ["wifi 0 r60"])
        #expect(chooser.receiver(5, radius: 200, at: 31).isEmpty)
        #expect(chooser.wifi(1, radius: 60, at: 60) == ["wifi 1 r60"], "it is renewed meanwhile")
        #expect(chooser.receiver(5, radius: 61, at: 61) == ["receiver 5 r61"], "the other's has grown to 62 m")
        #expect(chooser.receiver(5, radius: 200, at: 62) == ["receiver 5 r200"])
    }

    @Test("a receiver whose accuracy is unknown takes over")
    func unknownAccuracy() {
        var chooser = Chooser()
        _ = chooser.wifi(0, at: 0)
        #expect(chooser.receiver(5, radius: nil, at: 1) == ["receiver 5 r-1"])
    }

    @Test("Wi-Fi is fresh for the time its source says, then there is no location")
    func freshness() {
        var chooser = Chooser()
        #expect(chooser.lose(.notLocated, at: 0) == ["notLocated"])
        #expect(chooser.wifi(0, at: 1) == ["wifi 0 r100"])
        #expect(chooser.deadline == 91)
        #expect(chooser.tick(91) == ["notLocated"])
        #expect(chooser.tick(92).isEmpty, "that is said once")
    }

    @Test("the fixed position precedes Wi-Fi that agrees with it, never becomes stale, and is dated now")
    func fixedPosition() {
        var chooser = Chooser()
        #expect(chooser.fixed(0, at: 0) == ["fixed 0 r50"])
        #expect(chooser.wifi(400, at: 1).isEmpty)
        #expect(chooser.tick(100_000).isEmpty)
        #expect(chooser.receiver(3, at: 100_001) == ["receiver 3 r5"])
        #expect(chooser.lose(at: 100_004) == ["noFix"])
        #expect(chooser.tick(100_014) == ["fixed 0 r50"])
        #expect(chooser.clear(at: 100_015) == ["noFix"])
    }

    @Test("three locations of Wi-Fi that contradict the fixed position put Wi-Fi first until one agrees again")
    func travelling() {
        var chooser = Chooser()
        #expect(chooser.fixed(0, at: 0) == ["fixed 0 r50"])
        #expect(chooser.wifi(90_000, at: 0).isEmpty)
        #expect(chooser.wifi(90_010, at: 30).isEmpty)
        #expect(chooser.wifi(90_020, at: 60) == ["wifi 90020 r40"])
        #expect(chooser.wifi(90_030, at: 90) == ["wifi 90030 r40"])
        // Home again, slowly enough to be believed.
        #expect(chooser.wifi(100, at: 3690) == ["fixed 0 r50"])
    }

    @Test("contradictions that do not agree with one another leave the fixed position in force")
    func nonsense() {
        var chooser = Chooser()
        _ = chooser.fixed(0, at: 0)
        for (number, place) in [900_000.0, -900_000, 500_000, -500_000, 900_000].enumerated() {
            #expect(chooser.wifi(place, at: Double(number * 30)).isEmpty)
        }
    }

    @Test("an impossibly fast move of Wi-Fi waits until two more locations agree with it")
    func implausible() {
        var chooser = Chooser()
        #expect(chooser.wifi(0, at: 0) == ["wifi 0 r100"])
        #expect(chooser.wifi(5, at: 30) == ["wifi 5 r40"])
        #expect(chooser.wifi(500_000, radius: 10, at: 60).isEmpty)
        #expect(chooser.wifi(6, at: 90) == ["wifi 6 r40"], "it is forgotten")
        #expect(chooser.wifi(500_000, radius: 10, at: 120).isEmpty)
        #expect(chooser.wifi(-500_000, radius: 10, at: 150).isEmpty)
        #expect(chooser.wifi(500_000, radius: 10, at: 180).isEmpty, "these do not agree")
        #expect(chooser.wifi(500_001, radius: 10, at: 210).isEmpty)
        #expect(chooser.wifi(500_002, radius: 10, at: 240) == ["wifi 500002 r30"], "the radius is 30 m at best")
    }

    @Test("the first location of Wi-Fi has 100 m at best, the next that agrees its own radius")
    func first() {
        var chooser = Chooser()
        #expect(chooser.wifi(0, radius: 10, at: 0) == ["wifi 0 r100"])
        #expect(chooser.wifi(1, radius: 10, at: 30) == ["wifi 1 r30"])
        chooser.forget()
        #expect(chooser.wifi(1, radius: 10, at: 60) == ["wifi 1 r100"])
    }

    @Test("a location of Wi-Fi from before the published one is not published, unless the clocks disagree")
    func timesBack() {
        var chooser = Chooser()
        #expect(chooser.receiver(0, at: 100) == ["receiver 0 r5"])
        #expect(chooser.lose(at: 103) == ["noFix"])
        #expect(chooser.wifi(10, measured: 95, at: 104).isEmpty)
        #expect(chooser.tick(113).isEmpty, "it was measured before")
        #expect(chooser.wifi(11, measured: 120, at: 121) == ["wifi 11 r40"])
        // Its clock is a day behind.
        #expect(chooser.wifi(12, measured: -86_400, at: 150) == ["wifi 12 r40"])
    }

    @Test("while coarse locations suffice, what is cheaper precedes a receiver")
    func coarse() {
        var chooser = Chooser(.coarse)
        #expect(chooser.receiver(0, at: 0) == ["receiver 0 r5"], "nothing else is known")
        #expect(chooser.wifi(10, at: 1) == ["wifi 10 r40"])
        #expect(chooser.receiver(1, at: 2).isEmpty)
        #expect(chooser.demand(.continuous, at: 3).isEmpty)
        #expect(chooser.receiver(2, at: 4) == ["receiver 2 r5"])
        #expect(chooser.demand(.coarse, at: 5).isEmpty, "the other is older")
        #expect(chooser.receiver(3, at: 6) == ["receiver 3 r5"])
        #expect(chooser.wifi(11, at: 7) == ["wifi 11 r40"])
    }

    @Test("the fixed position of before a pause is not published after it: another may have been set")
    func fixedPause() {
        var chooser = Chooser()
        #expect(chooser.fixed(0, at: 0) == ["fixed 0 r50"])
        #expect(chooser.demand(.off, at: 1).isEmpty)
        #expect(chooser.demand(.continuous, at: 2).isEmpty)
        #expect(chooser.fixed(70, at: 2) == ["fixed 70 r50"])
    }

    @Test("nothing that a receiver reported before a pause is published after it")
    func pause() {
        var chooser = Chooser()
        #expect(chooser.receiver(0, at: 0) == ["receiver 0 r5"])
        #expect(chooser.demand(.off, at: 1).isEmpty)
        #expect(chooser.deadline == nil)
        #expect(chooser.wifi(50, at: 2).isEmpty)
        #expect(chooser.demand(.continuous, at: 3) == ["wifi 50 r42"])
    }
}

@Suite("The choice among sources in simulated hours", .timeLimit(.minutes(10)))
struct SyntheticHourTests {
    @Test("there are few changes and jumps, hardly ever a wrong city, and no time goes backwards")
    func aims() {
        let all = (UInt64(1)...40).map { figuresOfGroup(in: SyntheticHour(seed: $0)) }
        func mean(_ value: (ChoiceFigures) -> Double) -> Double { all.map(value).reduce(0, +) / Double(all.count) }
        #expect(mean { Double($0.changes) } <= 5)
        #expect(mean { Double($0.jumps - $0.jumpsOfReceiver) } <= 1)
        #expect(mean { Double($0.wrongCity) } <= 2)
        #expect(mean(\.error95) <= 45)
        #expect(all.allSatisfy { $0.timesBack == 0 })
    }
}
