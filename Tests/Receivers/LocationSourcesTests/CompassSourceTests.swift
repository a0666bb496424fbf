import LinuxPlumbing
import LocationModel
import NIOCore
import TestSupport
import Testing

@testable import LocationSources

@Suite(.timeLimit(.minutes(10)), .enabled(if: BusUnderTest.isInstalled, "dbus-daemon is not installed"))
struct CompassSourceTests {
    /// A compass, whose headings have the time of a clock that is never set.
    private struct Subject: Sendable {
        let loop = ObservedLoops.next()
        let compass: CompassSource
        let headings: AsyncStream<Heading>

        init(_ address: String) async throws {
            let (headings, continuation) = AsyncStream.makeStream(of: Heading.self)
            self.headings = headings
            let loop = loop
            compass = try await loop.submit {
                let bus = SystemBus(at: .address(address), eventLoop: loop)
                let clock = { @Sendable in Timestamp(nanosecondsSince1970: Int64(NIODeadline.now().uptimeNanoseconds)) }
                return CompassSource(bus: bus, logger: .silent, wallClock: clock) { continuation.yield($0) }
            }.get()
        }

        func setNeeded(_ isNeeded: Bool) async throws {
            try await loop.submit { [compass] in compass.setNeeded(isNeeded) }.get()
        }

        func setLocation(_ location: Location?) async throws {
            try await loop.submit { [compass] in compass.setLocation(location) }.get()
        }

        func problem(_ what: String, where isAsExpected: @escaping @Sendable (String?) -> Bool) async throws {
            try await ObservedLoops.ensure(what, on: loop) { [compass] in isAsExpected(compass.problem) }
        }

        func shutdown() async throws { try await loop.submit { [compass] in compass.shutdown() }.get() }
    }

    /// Where the declination is −17.49°, by the official test values.
    private static let midOcean: Location = {
        let time = GeomagneticModel.epoch.advanced(by: .seconds(2.5 * 365.25 * 86_400))
        return Location(coordinate: Coordinate(latitude: -13, longitude: -59), timestamp: time)
    }()

    /// A compass of a machine in mid-ocean, beside an iio-sensor-proxy that it has claimed.
    private struct Claimed: Sendable {
        private let bus: BusUnderTest
        let proxy: ScriptedSensorProxy
        let subject: Subject

        /// - Parameter location: where the machine is at the claim.
        init(heading: Double = 90, location: Location? = CompassSourceTests.midOcean) async throws {
            bus = try await BusUnderTest.start()
            proxy = try await ScriptedSensorProxy(on: bus.address, heading: heading)
            subject = try await Subject(bus.address)
            if let location { try await subject.setLocation(location) }
            try await subject.setNeeded(true)
            #expect(try await call("the claim") == .claim)
        }

        /// The next call of iio-sensor-proxy.
        func call(_ what: String) async throws -> ScriptedSensorProxy.Call {
            var calls = proxy.calls.makeAsyncIterator()
            return try await calls.first(what) { _ in true }
        }

        func end() async throws {
            try await subject.shutdown()
            try await proxy.close()
        }
    }

    @Test("the compass is claimed while it is needed, gives true headings, and is released")
    func trueHeading() async throws {
        let claimed = try await Claimed(heading: 10)
        let (proxy, subject) = (claimed.proxy, claimed.subject)
        var headings = subject.headings.makeAsyncIterator()
        let first = try await headings.first("a heading") { _ in true }
        // Across north.
        #expect(abs(first.trueHeading - 352.51) < 0.01)
        #expect(first.sourceInformation == .init(device: "compass"))
        try await proxy.turn(to: [100])
        _ = try await headings.first("the turn") { abs($0.trueHeading - 82.51) < 0.01 }
        try await subject.setNeeded(false)
        #expect(try await claimed.call("the release") == .release)
        try await claimed.end()
    }

    @Test("the heading that iio-sensor-proxy has from before the claim is not reported")
    func earlierHeading() async throws {
        let bus = try await BusUnderTest.start()
        let proxy = try await ScriptedSensorProxy(on: bus.address, heading: 10)
        let subject = try await Subject(bus.address)
        try await subject.setLocation(Self.midOcean)
        var calls = proxy.calls.makeAsyncIterator()
        let beforeClaim = Timestamp(nanosecondsSince1970: Int64(NIODeadline.now().uptimeNanoseconds))
        try await subject.setNeeded(true)
        _ = try await calls.first("the claim") { _ in true }
        // With the same heading.
        try await proxy.set(hasCompass: true)
        var headings = subject.headings.makeAsyncIterator()
        let first = try await headings.first("a heading") { _ in true }
        // Until then it has read the compass.
        #expect(first.timestamp.duration(since: beforeClaim) >= .seconds(1))
        try await subject.shutdown()
        try await proxy.close()
    }

    @Test("a compass that is removed without a signal gives no heading, and is claimed again")
    func removal() async throws {
        let claimed = try await Claimed(heading: 10)
        let (proxy, subject) = (claimed.proxy, claimed.subject)
        var headings = subject.headings.makeAsyncIterator()
        _ = try await headings.first("a heading") { _ in true }
        try await proxy.unplug()
        try await subject.problem("the removal") { $0 == "Neither a receiver nor the machine has a compass." }
        #expect(try await claimed.call("the second claim") == .claim)
        try await proxy.set(hasCompass: true)
        try await subject.problem("the return") { $0 == nil }
        try await proxy.turn(to: [100])
        _ = try await headings.first("the new heading") { abs($0.trueHeading - 82.51) < 0.01 }
        try await claimed.end()
    }

    @Test("a heading waits for a location, and is repeated while the machine does not turn")
    func locationAndRepetition() async throws {
        let claimed = try await Claimed(location: nil)
        let subject = claimed.subject
        try await subject.setLocation(Self.midOcean)
        var headings = subject.headings.makeAsyncIterator()
        let first = try await headings.first("a heading") { _ in true }
        let second = try await headings.first("the same again") { _ in true }
        #expect(second.trueHeading == first.trueHeading)
        #expect(second.timestamp.duration(since: first.timestamp) >= .seconds(1))
        // A location from after the model's time.
        var late = Self.midOcean
        late.timestamp = late.timestamp.advanced(by: .seconds(10 * 365.25 * 86_400))
        try await subject.setLocation(late)
        try await subject.problem("the end of the model's time") { $0?.contains("World Magnetic Model") ?? false }
        try await subject.setLocation(Self.midOcean)
        try await subject.problem("no problem") { $0 == nil }
        try await claimed.end()
    }

    @Test("a hundred changes are ten headings a second, and the last one is among them")
    func rate() async throws {
        let claimed = try await Claimed()
        let (proxy, subject) = (claimed.proxy, claimed.subject)
        try await proxy.turn(to: (0..<100).map { 100 + Double($0) })
        var times: [Timestamp] = []
        var headings = subject.headings.makeAsyncIterator()
        _ = try await headings.first("the last direction") {
            times.append($0.timestamp)
            return abs($0.trueHeading - 181.51) < 0.01
        }
        #expect(zip(times, times.dropFirst()).allSatisfy { $1.duration(since: $0) >= .milliseconds(100) })
        try await claimed.end()
    }

    @Test("an unknown heading and a meaningless one are not reported", arguments: [-1, .nan, 1e9] as [Double])
    func nonsense(heading: Double) async throws {
        let claimed = try await Claimed(heading: heading)
        let (proxy, subject) = (claimed.proxy, claimed.subject)
        try await proxy.turn(to: [heading, 100])
        var headings = subject.headings.makeAsyncIterator()
        let first = try await headings.first("a heading") { _ in true }
        #expect(abs(first.trueHeading - 82.51) < 0.01)
        try await claimed.end()
    }

    @Test("absence, a refusal and the lack of a compass are reported with a remedy, and only while it is needed")
    func problems() async throws {
        let bus = try await BusUnderTest.start()
        let subject = try await Subject(bus.address)
        try await subject.setNeeded(true)
        try await subject.problem("the absence") { $0?.hasSuffix("sudo apt install iio-sensor-proxy") ?? false }
        let proxy = try await ScriptedSensorProxy(on: bus.address, hasCompass: false)
        try await subject.problem("the lack of a compass") {
            $0 == "Neither a receiver nor the machine has a compass."
        }
        try await proxy.set(hasCompass: true)
        try await subject.problem("no problem") { $0 == nil }
        try await subject.setNeeded(false)
        try await proxy.set(refusal: "Not Authorized")
        try await subject.setNeeded(true)
        try await subject.problem("the refusal") {
            $0
                == "iio-sensor-proxy does not let this service use the compass: Not Authorized. Install the package locationd "
                + "again."
        }
        try await subject.setNeeded(false)
        try await subject.problem("no problem while it is not needed") { $0 == nil }
        try await proxy.close()
        try await subject.shutdown()
    }

    @Test("the compass is claimed again from a new iio-sensor-proxy, and when it is needed again during its release")
    func again() async throws {
        let bus = try await BusUnderTest.start()
        let first = try await ScriptedSensorProxy(on: bus.address)
        var calls = first.calls.makeAsyncIterator()
        let subject = try await Subject(bus.address)
        try await subject.setLocation(Self.midOcean)
        try await subject.setNeeded(true)
        #expect(try await calls.first("the claim") { _ in true } == .claim)
        // The answer to the claim has come.
        var headings = subject.headings.makeAsyncIterator()
        _ = try await headings.first("a heading") { _ in true }
        try await subject.loop.submit { [compass = subject.compass] in
            compass.setNeeded(false)
            compass.setNeeded(true)
        }.get()
        #expect(try await calls.first("the release") { _ in true } == .release)
        #expect(try await calls.first("the second claim") { _ in true } == .claim)
        try await first.close()
        try await subject.problem("the absence") { $0 != nil }
        let second = try await ScriptedSensorProxy(on: bus.address)
        var callsOfSecond = second.calls.makeAsyncIterator()
        #expect(try await callsOfSecond.first("the claim") { _ in true } == .claim)
        try await subject.shutdown()
        try await second.close()
    }
}
