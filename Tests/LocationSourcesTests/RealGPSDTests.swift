import FoundationEssentials
import LocationModel
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import LocationSources

/// A receiver at 10 Hz, and a gpsd that can be killed and restarted.
private final class Bench: Sendable {
    let port: Int
    let line: PseudoTerminal
    let feed: Feed

    init() async throws {
        port = try await RealGPSD.freePort()
        line = try await PseudoTerminal()
        feed = Feed(line: line)
    }

    func start(controlSocket: String? = nil) throws -> RealGPSD {
        try RealGPSD(port: port, devices: [line.path], controlSocket: controlSocket)
    }
}

/// Sends an RMC sentence each tenth of a second from a task of the event loop.
private final class Feed: Sendable {
    private let task: RepeatedTask

    init(line: PseudoTerminal) {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        task = loop.scheduleRepeatedAsyncTask(initialDelay: .zero, delay: .milliseconds(100)) { _ in
            loop.makeFutureWithTask { try? await line.send(Self.sentence(at: .now())) }
        }
    }

    func stop() {
        task.cancel()
    }

    static func sentence(at time: Timestamp) -> [UInt8] {
        let text = "\(time)"
        func part(_ start: Int, _ length: Int) -> String { String(text.dropFirst(start).prefix(length)) }
        let clock = part(11, 2) + part(14, 2) + part(17, 2) + "." + part(20, 2)
        let date = part(8, 2) + part(5, 2) + part(2, 2)
        let body = "GPRMC,\(clock),A,4808.25331,N,01134.53416,E,15.55,40.0,\(date),,,A"
        let checksum = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
        return Array("$\(body)*\(checksum.count < 2 ? "0" : "")\(checksum)\r\n".utf8)
    }
}

@Suite(
    "A real gpsd", .serialized, .enabled(if: RealGPSD.isInstalled, "gpsd is not installed"), .timeLimit(.minutes(5)))
struct RealGPSDTests {
    @Test("after each of twenty kills of gpsd, locations return within a second")
    func restarts() async throws {
        let bench = try await Bench()
        let test = SourceUnderTest(.tcp(host: "127.0.0.1", port: bench.port))
        var events = test.events.makeAsyncIterator()
        var gpsd = try bench.start()
        try await test.setNeeded(true)
        try await nextLocation(&events)
        var resumes: [(source: Duration, anyClient: Duration)] = []
        for _ in 0..<20 {
            gpsd.kill()
            _ = try await test.status { $0.connection == .retrying }
            // A dead gpsd sends nothing; queued events are from before.
            let killed = Timestamp.now()
            gpsd = try bench.start()
            let (first, firstOfOther) = (ContinuousClock.now, bench.port)
            async let other = firstTPV(port: firstOfOther)
            while try await nextLocation(&events) < killed {}
            resumes.append((ContinuousClock.now - first, try await other - first))
        }
        gpsd.kill()
        bench.feed.stop()
        let reconnects = try await test.status().counters.reconnects
        try await test.shutdown()
        #expect(reconnects >= 20)
        let lost = resumes.map { $0.source - $0.anyClient }
        #expect(lost.allSatisfy { $0 < .seconds(1) }, "\(lost)")
        let times = resumes.map(\.source).sorted()
        print("restarted 20 times; from its start to a location: median \(times[10]), at most \(times[19]);")
        print("later than a client that tries every 10 ms: at most \(lost.max() ?? .zero)")
    }

    @Test("an unplugged, silent or removed receiver is reported unavailable, and a plugged-in one gives locations")
    func unplugged() async throws {
        let bench = try await Bench()
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let control = "\(directory.path)/control"
        let gpsd = try bench.start(controlSocket: control)
        defer { gpsd.kill() }
        let test = SourceUnderTest(.tcp(host: "127.0.0.1", port: bench.port))
        var events = test.events.makeAsyncIterator()
        try await test.setNeeded(true)
        try await nextLocation(&events)

        // Silence.
        bench.feed.stop()
        #expect(try await nextUnavailable(&events) == .silent)
        let again = Feed(line: bench.line)
        try await nextLocation(&events)

        // Hang up; another receiver is added.
        again.stop()
        try await bench.line.hangUp()
        _ = try await nextUnavailable(&events)
        let other = try await PseudoTerminal()
        let otherFeed = Feed(line: other)
        try await order("+\(other.path)", control)
        try await nextLocation(&events)

        // Tell gpsd to remove it.
        try await order("-\(other.path)", control)
        _ = try await nextUnavailable(&events)
        otherFeed.stop()
        #expect(try await test.status().receivers.allSatisfy { !$0.isActivated || $0.device != other.path })
        try await test.shutdown()
    }

    @discardableResult
    private func nextLocation(_ events: inout AsyncStream<SourceEvent>.Iterator) async throws -> Timestamp {
        while true {
            if case .location(let location) = try await events.required() { return location.timestamp }
        }
    }

    private func nextUnavailable(_ events: inout AsyncStream<SourceEvent>.Iterator) async throws -> UnavailableReason {
        while true {
            if case .unavailable(let reason) = try await events.required() { return reason }
        }
    }

    /// The time of the first fix for a client that tries to connect every 10 ms.
    private func firstTPV(port: Int) async throws -> ContinuousClock.Instant {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        while true {
            guard let listener = try? await Listener(port: port) else {
                try await loop.scheduleTask(in: .milliseconds(10)) {}.futureResult.get()
                continue
            }
            for await line in listener.lines where RawTPV(fixIn: line) != nil {
                let now = ContinuousClock.now
                try await listener.close()
                return now
            }
        }
    }

    /// Sends gpsd a command as gpsdctl does. gpsd reads until the connection is closed, and does nothing else
    /// meanwhile.
    private func order(_ order: String, _ socket: String) async throws {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(unixDomainSocketPath: socket).get()
        try await channel.send(order + "\r\n")
        try await channel.close()
    }
}
