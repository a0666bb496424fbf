import LocationModel
import NIOCore
import NIOEmbedded
import SourceSimulation
import Testing

@testable import LocationSources

/// A receiver with a fix a second, whose signals are false from second 60 on.
struct FalseSignals {
    /// The attack.
    enum Kind {
        /// The position is so many metres away at once.
        case jump(metres: Double)
        /// The position moves away at so many metres a second.
        case drift(metresPerSecond: Double)
        /// The time is so many seconds behind at once, and the position stays.
        case replay(seconds: Double)
    }

    let kind: Kind
    /// The speed of the vehicle, metres a second to the north.
    var speed = 0.0

    static let begin = 60.0

    func fix(at second: Double) -> (time: Double, north: Double) {
        let (honest, past) = (speed * second, second - Self.begin)
        guard past >= 0 else { return (second, honest) }
        return switch kind {
        case .jump(let metres): (second, honest + metres)
        case .drift(let speed): (second, honest + speed * past)
        case .replay(let seconds): (second - seconds, honest)
        }
    }
}

/// A group of a receiver and of Wi-Fi or a second receiver, on a clock that the test turns.
private final class Machine {
    let loop = EmbeddedEventLoop()
    private(set) var group: SourceGroup!
    private var sources: [SimulatedSource] = []
    private let start = Timestamp(nanosecondsSince1970: 1_800_000_000_000_000_000)
    private var seconds = 0.0

    init(_ kinds: [Location.SourceInformation.Kind]) {
        group = SourceGroup(eventLoop: loop) { _ in }
        group.configure(
            kinds.enumerated().map { number, kind in
                SourceDefinition(number) { [self] report in
                    let source = SimulatedSource(kind, report)
                    sources.append(source)
                    return source
                }
            })
        for (source, kind) in zip(sources, kinds) where kind == .receiver { source.report(.connected) }
        group.setDemand(.continuous)
    }

    /// Lets a second pass, in which this machine's two clocks advance as given.
    func pass(monotonic: Int64 = 1000, wall: Double = 1) {
        loop.advanceTime(by: .milliseconds(monotonic))
        seconds += wall
    }

    /// Reports a fix of a source, so many metres north of 48°.
    func report(
        _ source: Int = 0, time: Double?, north: Double, speed: Double? = 0, radius: Double = 4, jamming: Int? = nil,
        antenna: Bool = false
    ) {
        let time = time.map { start.advanced(by: .milliseconds(Int64($0 * 1000))) }
        let clock = start.advanced(by: .milliseconds(Int64(seconds * 1000)))
        var location = Location(
            coordinate: Coordinate(clampingLatitude: 48 + north / 111_195, wrappingLongitude: 11),
            timestamp: time ?? clock)
        location.horizontalAccuracy = radius
        location.speed = speed
        location.sourceInformation = .init(kind: .receiver, device: "/dev/ttyUSB\(source)")
        var report = PositionReport(
            device: "/dev/ttyUSB\(source)", mode: .threeDimensional, time: time, location: location)
        (report.jamming, report.hasAntennaFault) = (jamming, antenna)
        sources[source].report(.receiver(.position(report), clock: clock))
    }

    /// Reports a location of a source that is no receiver.
    func reportEstimate(_ source: Int, north: Double, radius: Double, freshFor: TimeAmount? = .seconds(90)) {
        var location = Location(
            coordinate: Coordinate(clampingLatitude: 48 + north / 111_195, wrappingLongitude: 11),
            timestamp: start.advanced(by: .milliseconds(Int64(seconds * 1000))))
        location.horizontalAccuracy = radius
        location.sourceInformation = .init(kind: freshFor == nil ? .fixed : .wifi)
        sources[source].report(.location(location, freshFor: freshFor))
    }

    /// The signs about the first source's receiver.
    var signs: [SourceDoubt.Sign] { group.statuses[0].receivers.flatMap(\.doubts).map(\.sign) }
}

@Suite("Doubtful positions")
struct ReceiverScrutinyTests {
    /// The second after the attack's begin at which something is noticed; `nil` if nothing is within half an hour.
    private static func noticed(_ attack: FalseSignals, with other: Location.SourceInformation.Kind? = nil) -> Double? {
        let machine = Machine([.receiver] + [other].compactMap(\.self))
        for second in 0..<1860 {
            machine.pass()
            let (time, north) = attack.fix(at: Double(second))
            let truth = attack.speed * Double(second)
            if second % 30 == 0, other == .wifi { machine.reportEstimate(1, north: truth, radius: 30) }
            if second == 0, other == .fixed { machine.reportEstimate(1, north: 0, radius: 10, freshFor: nil) }
            machine.report(time: time, north: north, speed: attack.speed)
            if other == .receiver { machine.report(1, time: Double(second), north: truth, speed: attack.speed) }
            if !machine.signs.isEmpty { return Double(second) - FalseSignals.begin }
        }
        return nil
    }

    /// The table of the article Concepts: the attack, the other source, and after how many seconds it is noticed.
    static let table: [(attack: FalseSignals, other: Location.SourceInformation.Kind?, noticed: Double?)] = [
        (FalseSignals(kind: .jump(metres: 1000)), nil, 0),
        (FalseSignals(kind: .jump(metres: 150)), nil, 0),
        (FalseSignals(kind: .jump(metres: 100)), nil, nil),
        (FalseSignals(kind: .jump(metres: 1000), speed: 30), nil, 0),
        (FalseSignals(kind: .jump(metres: 150), speed: 30), nil, 0),
        (FalseSignals(kind: .drift(metresPerSecond: 5)), nil, nil),
        (FalseSignals(kind: .drift(metresPerSecond: 5)), .fixed, 59),
        (FalseSignals(kind: .drift(metresPerSecond: 5)), .receiver, 55),
        (FalseSignals(kind: .drift(metresPerSecond: 5), speed: 30), .receiver, 55),
        (FalseSignals(kind: .replay(seconds: 3600)), nil, 0),
        (FalseSignals(kind: .replay(seconds: 40)), nil, 0),
        (FalseSignals(kind: .replay(seconds: 20)), nil, nil),
    ]

    @Test("each simulated attack is detected when the documentation states", arguments: table.indices)
    func attacks(index: Int) {
        let row = Self.table[index]
        #expect(
            Self.noticed(row.attack, with: row.other) == row.noticed,
            "\(row.attack.kind) beside \(String(describing: row.other))")
    }

    @Test("an honest receiver raises no doubt, standing or moving, beside any other source")
    func honest() {
        for speed in [0, 1.5, 30, 250] {
            for other in [nil, Location.SourceInformation.Kind.wifi, .receiver] where !(speed == 250 && other == .wifi)
            {
                let honest = FalseSignals(kind: .jump(metres: 0), speed: speed)
                #expect(Self.noticed(honest, with: other) == nil, "\(speed) m/s beside \(String(describing: other))")
            }
        }
    }

    @Test("interference and the antenna are named while the receiver reports them, and ten seconds longer")
    func states() {
        let machine = Machine([.receiver])
        machine.report(time: 0, north: 0, jamming: 127)
        #expect(machine.signs.isEmpty)
        machine.pass()
        machine.report(time: 1, north: 0, jamming: 128, antenna: true)
        #expect(machine.signs == [.jamming(level: 128), .antennaFault])
        for second in 2..<11 {
            machine.pass()
            machine.report(time: Double(second), north: 0)
        }
        #expect(machine.signs == [.jamming(level: 128), .antennaFault])
        machine.pass()
        machine.report(time: 11, north: 0)
        #expect(machine.signs.isEmpty)
    }

    @Test("a jump is named for ten minutes, with its size")
    func jump() throws {
        let machine = Machine([.receiver])
        machine.report(time: 0, north: 0)
        for second in 1...601 {
            machine.pass()
            machine.report(time: Double(second), north: 1000)
            guard second <= 600 else { break }
            guard case .jump(let metres, let seconds)? = machine.signs.first else {
                Issue.record("no jump after \(second) s")
                return
            }
            #expect(abs(metres - 1000) < 2 && seconds == 1)
        }
        #expect(machine.signs.isEmpty)
    }

    @Test("late reports, a machine that slept and a clock that was set are no steps of the receiver's time")
    func clocks() {
        let machine = Machine([.receiver])
        machine.report(time: 0, north: 0)
        // The machine sleeps for an hour: only the wall clock goes on.
        machine.pass(monotonic: 1000, wall: 3600)
        machine.report(time: 3600, north: 0)
        // The clock is set an hour back.
        machine.pass(monotonic: 1000, wall: -3600)
        machine.report(time: 3601, north: 0)
        // Nothing for 100 s, and then everything at once.
        machine.pass(monotonic: 100_000, wall: 100)
        for second in 3602...3701 { machine.report(time: Double(second), north: 0) }
        #expect(machine.signs.isEmpty)
        machine.pass()
        machine.report(time: 3740, north: 0)
        #expect(machine.signs == [.timeStep(seconds: 38)])
    }

    @Test("a fix after a gap may be as far as an aeroplane flies")
    func gap() {
        let machine = Machine([.receiver])
        machine.report(time: 0, north: 0)
        machine.pass(monotonic: 60_000, wall: 60)
        machine.report(time: 60, north: 20_000)
        #expect(machine.signs.isEmpty)
        machine.pass(monotonic: 60_000, wall: 60)
        machine.report(time: 120, north: 45_000)
        #expect(machine.signs.count == 1)
    }

    @Test("after a pause another place is no jump")
    func pause() {
        let machine = Machine([.receiver])
        machine.report(time: 0, north: 0)
        machine.group.setDemand(.off)
        machine.group.setDemand(.continuous)
        machine.pass()
        machine.report(time: 1, north: 50_000)
        #expect(machine.signs.isEmpty)
    }

    @Test("a disagreement names the other source on both sides, and ends when they agree")
    func disagreement() {
        let machine = Machine([.receiver, .receiver])
        for second in 0..<20 {
            machine.pass()
            machine.report(0, time: Double(second), north: 0)
            machine.report(1, time: Double(second), north: 1000)
        }
        let names = machine.group.statuses.flatMap(\.receivers).map { $0.doubts.map(\.sign) }
        #expect(names.count == 2)
        for (signs, name) in zip(names, ["/dev/ttyUSB1", "/dev/ttyUSB0"]) {
            guard case .disagreement(let metres, let source)? = signs.first, signs.count == 1 else {
                Issue.record("\(signs)")
                continue
            }
            #expect(abs(metres - 1000) < 2 && source == name)
        }
        machine.pass()
        machine.report(0, time: 20, north: 0)
        machine.report(1, time: 20, north: 150)
        #expect(
            machine.group.statuses.flatMap(\.receivers).flatMap(\.doubts).map(\.sign).allSatisfy {
                if case .disagreement = $0 { false } else { true }
            })
    }

    @Test("no recorded receiver raises a doubt", arguments: Recording.own + Recording.suite)
    func recordings(recording: Recording) throws {
        let (unpacker, loop) = (GPSDUnpacker(), EmbeddedEventLoop())
        var receivers: [String: ReceiverScrutiny] = [:]
        var assemblers: [String: EpochAssembler] = [:]
        var (clock, last) = (Timestamp(nanosecondsSince1970: 0), Timestamp?.none)
        var fixes = 0
        for line in try recording.check() {
            guard case .report(.position(let report))? = try? unpacker.message(ByteBuffer(string: line), arrival: clock)
            else { continue }
            // The recordings have no times of arrival: an epoch arrives when the receiver says, or a second after the last.
            if let time = report.time {
                let step = last.map { time.duration(since: $0) } ?? .zero
                let passed = step < .zero || step > .seconds(60) ? Duration.seconds(1) : step
                loop.advanceTime(by: .nanoseconds(Int64(passed / .nanoseconds(1))))
                (clock, last) = (clock.advanced(by: passed), time)
            }
            let name = report.device ?? ""
            receivers[name, default: ReceiverScrutiny()].receive(report, at: loop.now, clock: clock)
            for fix in assemblers[name, default: EpochAssembler()].receive(report, at: loop.now) {
                receivers[name]?.receive(fix, at: loop.now)
                fixes += 1
            }
            #expect(receivers[name]?.doubts(at: loop.now).map(\.sign) == [])
        }
        #expect(
            fixes > 0 || recording.testDescription == "nofix.log"
                || Recording.suite.contains { $0.path == recording.path })
    }
}
