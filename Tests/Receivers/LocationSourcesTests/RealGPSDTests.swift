import GPSDProtocol
import FoundationEssentials
import LocationModel
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import LocationSources

/// A receiver at 10 Hz, and a gpsd that can be killed and restarted.
private final class Bench: Sendable {
    private let reserved: ReservedPort
    var port: Int { reserved.number }
    let line: SerialLine
    let receiver: SerialReceiver

    init() async throws {
        reserved = try ReservedPort()
        line = try await SerialLine()
        receiver = try await SerialReceiver(at: line)
    }

    func start(control: String? = nil) async throws -> GPSD {
        try await GPSD.onPort(reserved, reading: line.path, control: control)
    }

    func startWithoutReceiver(control: String) async throws -> GPSD {
        try await GPSD.onPort(reserved, reading: nil, control: control)
    }
}

@Suite(
    "A real gpsd", .serialized, .enabled(if: GPSD.isInstalled, "gpsd is not installed"), .timeLimit(.minutes(10)))
struct RealGPSDTests {
    @Test("locations return after each of twenty kills of gpsd, mostly within a second")
    func restarts() async throws {
        let bench = try await Bench()
        let test = SourceUnderTest(.tcp(host: "127.0.0.1", port: bench.port))
        var events = test.events.makeAsyncIterator()
        var gpsd = try await bench.start()
        try await test.setNeeded(true)
        _ = try await events.location()
        var resumes: [(source: Duration, anyClient: Duration)] = []
        for _ in 0..<20 {
            try await gpsd.stop()
            try await test.status("the end of the connection") { $0.connection == .retrying }
            // A dead gpsd sends nothing; queued events are from before.
            let killed = Timestamp.now()
            gpsd = try await bench.start()
            let (first, firstOfOther) = (ContinuousClock.now, bench.port)
            async let other = firstTPV(port: firstOfOther)
            var fix: Location
            repeat { fix = try await events.location() } while fix.timestamp < killed
            resumes.append((ContinuousClock.now - first, try await other - first))
        }
        try await gpsd.stop()
        bench.receiver.stop()
        let reconnects = try await test.status().counters.reconnects
        try await test.shutdown()
        #expect(reconnects >= 20)
        let lost = resumes.map { $0.source - $0.anyClient }.sorted()
        // The pause before the next attempt is 0.9 s at most (`ReconnectSchedule`). Whoever misses a fix of the receiver in it waits a
        // second for the next one.
        #expect(lost[10] < .seconds(1) && lost[19] < .seconds(2), "\(lost)")
        let times = resumes.map(\.source).sorted()
        print("restarted 20 times; from its start to a location: median \(times[10]), at most \(times[19]);")
        print("later than a client that tries every 10 ms: at most \(lost[19])")
    }

    @Test("an unplugged, silent or removed receiver is reported unavailable, and a plugged-in one gives locations")
    func unplugged() async throws {
        let bench = try await Bench()
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let control = "\(directory.path)/control"
        let gpsd = try await bench.start(control: control)
        let test = SourceUnderTest(.tcp(host: "127.0.0.1", port: bench.port))
        var events = test.events.makeAsyncIterator()
        try await test.setNeeded(true)
        _ = try await events.location()

        // Silence.
        bench.receiver.stop()
        #expect(try await events.unavailability() == .silent)
        let again = try await SerialReceiver(at: bench.line)
        _ = try await events.location()

        // Hang up; another receiver is added.
        again.stop()
        await bench.line.hangUp()
        _ = try await events.unavailability()
        let other = try await SerialReceiver()
        try await order("+\(other.path)", control)
        _ = try await events.location()

        // Tell gpsd to remove it.
        try await order("-\(other.path)", control)
        _ = try await events.unavailability()
        other.stop()
        #expect(try await test.status().receivers.allSatisfy { !$0.isActivated || $0.device != other.path })
        try await test.shutdown()
        try await gpsd.stop()
    }

    @Test("the presence of a receiver is known while none is needed, and a new stick is reported")
    func availability() async throws {
        let bench = try await Bench()
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let control = "\(directory.path)/control"
        let gpsd = try await bench.startWithoutReceiver(control: control)
        let test = SourceUnderTest(.tcp(host: "127.0.0.1", port: bench.port))
        let (changes, continuation) = AsyncStream.makeStream(of: Bool.self)
        var iterator = changes.makeAsyncIterator()
        try await test.loop.submit {
            test.source.onAvailabilityChange = { continuation.yield(!test.source.availableKinds.isEmpty) }
            test.source.watchAvailability(true)
        }.get()
        #expect(await iterator.next() == false, "gpsd has no receiver, or is not there yet")
        try await test.status("gpsd's banner") { $0.version != nil }
        try await order("+\(bench.line.path)", control)
        #expect(await iterator.next() == true)
        // It is not switched on for that.
        #expect(try await test.status().receivers.allSatisfy { $0.ageOfLastFix == nil })
        var events = test.events.makeAsyncIterator()
        try await test.setNeeded(true)
        _ = try await events.location()
        try await test.setNeeded(false)
        try await gpsd.stop()
        #expect(await iterator.next() == false, "gpsd is gone")
        bench.receiver.stop()
        try await test.shutdown()
    }

    /// The time of the first fix for a client that tries to connect every 10 ms.
    private func firstTPV(port: Int) async throws -> ContinuousClock.Instant {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        while true {
            guard let listener = try? await Wire.watching(port: port) else {
                try await loop.scheduleTask(in: .milliseconds(10)) {}.futureResult.get()
                continue
            }
            while let line = try await listener.receive() {
                guard RawTPV(fixIn: line) != nil else { continue }
                let now = ContinuousClock.now
                await listener.close()
                return now
            }
        }
    }

    /// Sends gpsd a command as gpsdctl does. gpsd reads until the connection is closed, and does nothing else
    /// meanwhile.
    private func order(_ order: String, _ socket: String) async throws {
        let wire = try await Wire.connect(to: socket)
        await wire.send(order + "\r\n")
        await wire.close()
    }
}
