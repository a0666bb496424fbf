import FoundationEssentials
import LocationModel
import NIOCore
import NIOEmbedded
import Testing

@testable import LocationSources

private let watch = #"?WATCH={"enable":true,"json":true}"#
private let unwatch = #"?WATCH={"enable":false}"#

private func tpv(_ second: Int, latitude: Double = 48) -> String {
    let time = Timestamp(nanosecondsSince1970: 1_800_000_000_000_000_000 + Int64(second) * 1_000_000_000)
    return #"{"class":"TPV","device":"/dev/a","mode":3,"time":"\#(time)","lat":\#(latitude),"lon":11.5}"# + "\r\n"
}

@Suite("The connection to gpsd", .timeLimit(.minutes(5)))
struct GPSDConnectionTests {
    /// The next connection to the fake, after its banner and the client's WATCH.
    private func accept(_ events: inout AsyncStream<FakeGPSD.Event>.Iterator) async throws -> any Channel {
        var newest: (any Channel)?
        while true {
            switch try await events.required() {
            case .connected(let channel):
                newest = channel
                // On a very slow machine the other side may have given up by now; it will connect again.
                try? await channel.send(FakeGPSD.banner + "\r\n")
            case .line(watch):
                if let newest { return newest }
            case .line where newest != nil: throw EndOfEvents()
            // From an earlier connection.
            case .line, .closed: continue
            }
        }
    }

    private func nextLocation(_ events: inout AsyncStream<SourceEvent>.Iterator) async throws -> Double {
        while true {
            if case .location(let location) = try await events.required() { return location.coordinate.latitude }
        }
    }

    @Test(
        "connects when needed, watches, stops watching when not, and watches again on the same connection",
        arguments: [nil, FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).sock").path])
    func need(socket: String?) async throws {
        let gpsd = try await FakeGPSD.start(socket: socket)
        let test = SourceUnderTest(socket.map { .unix(path: $0) } ?? .tcp(host: "127.0.0.1", port: gpsd.port))
        var (clients, events) = (gpsd.events.makeAsyncIterator(), test.events.makeAsyncIterator())
        #expect(try await test.status().connection == .idle)
        try await test.setNeeded(true)
        let channel = try await accept(&clients)
        try await channel.send(tpv(1) + tpv(2, latitude: 49))
        #expect(try await nextLocation(&events) == 48)
        #expect(try await nextLocation(&events) == 49)
        try await test.setNeeded(false)
        guard case .line(unwatch) = try await clients.required() else {
            Issue.record("gpsd is still watched")
            return
        }
        try await channel.send(tpv(3, latitude: 50) + #"{"class":"ERROR","message":"a mark"}"# + "\n")
        _ = try await test.status { $0.lastError?.contains("a mark") == true }
        try await test.setNeeded(true)
        guard case .line(watch) = try await clients.required() else {
            Issue.record("gpsd is not watched again")
            return
        }
        try await channel.send(tpv(4, latitude: 51) + tpv(5))
        #expect(try await nextLocation(&events) == 51, "nothing from the pause is told")
        let status = try await test.status()
        #expect(status.connection == .connected)
        #expect(status.version == "3.22")
        #expect(status.receivers.map(\.device) == ["/dev/a"])
        try await test.shutdown()
        guard case .closed = try await clients.required() else {
            Issue.record("the connection is still open")
            return
        }
        try await gpsd.stop()
    }

    @Test("is neither made nor remade while it is not needed")
    func noNeed() async throws {
        let gpsd = try await FakeGPSD.start()
        let test = SourceUnderTest(.tcp(host: "localhost", port: gpsd.port))
        var clients = gpsd.events.makeAsyncIterator()
        try await test.setNeeded(true)
        let channel = try await accept(&clients)
        try await test.setNeeded(false)
        try await channel.close()
        #expect(try await test.status { $0.connection != .connected }.connection == .idle)
        try await test.setNeeded(true)
        _ = try await accept(&clients)
        try await test.shutdown()
        try await gpsd.stop()
    }

    @Test("a line that arrives byte by byte is decoded")
    func drip() async throws {
        let gpsd = try await FakeGPSD.start()
        let test = SourceUnderTest(.tcp(host: "127.0.0.1", port: gpsd.port))
        var (clients, events) = (gpsd.events.makeAsyncIterator(), test.events.makeAsyncIterator())
        try await test.setNeeded(true)
        let channel = try await accept(&clients)
        for character in tpv(1, latitude: 50) { try await channel.send(String(character)) }
        #expect(try await nextLocation(&events) == 50)
        try await test.shutdown()
        try await gpsd.stop()
    }

    @Test("garbage and endless lines are counted and skipped, and later lines are decoded")
    func garbage() async throws {
        let gpsd = try await FakeGPSD.start()
        let test = SourceUnderTest(.tcp(host: "127.0.0.1", port: gpsd.port))
        var (clients, events) = (gpsd.events.makeAsyncIterator(), test.events.makeAsyncIterator())
        try await test.setNeeded(true)
        let channel = try await accept(&clients)
        try await channel.send("\u{0}\u{1}garbage\n{x\"class\":\"TPV\"}\n" + #"HTTP/1.1 400 Bad Request"# + "\r\n\r\n")
        for _ in 0..<16 { try await channel.send(String(repeating: "{", count: 65_536)) }
        try await channel.send("\n" + tpv(1, latitude: 51))
        #expect(try await nextLocation(&events) == 51)
        // Four lines, and the fifth in pieces.
        #expect(try await test.status().counters.rejectedLines > 5)
        try await test.shutdown()
        try await gpsd.stop()
    }

    @Test(
        "a server that sends only garbage is disconnected, with a reason, and tried again with growing pauses",
        arguments: [
            "GET / HTTP/1.1\n", "\n", String(repeating: "{", count: 16_385), #"{"class":"TPV","mode":7}"# + "\n",
        ])
    func onlyGarbage(piece: String) async throws {
        let server = try await FakeGPSD.start()
        let test = SourceUnderTest(.tcp(host: "127.0.0.1", port: server.port))
        var clients = server.events.makeAsyncIterator()
        try await test.setNeeded(true)
        for _ in 0..<2 {
            var channel: (any Channel)?
            while channel == nil {
                if case .connected(let new) = try await clients.required() { channel = new }
            }
            // As much as fits: the connection may be closed meanwhile.
            let garbage = String(repeating: piece, count: GPSDConnection.mostGarbage + 100)
            try? await channel?.send(garbage)
            while case .line = try await clients.required() { continue }
        }
        let status = try await test.status()
        #expect(status.lastError?.contains("are not gpsd's protocol. Is gpsd there?") == true)
        #expect(status.counters.rejectedLines >= GPSDConnection.mostGarbage)
        // The count begins anew with each connection: gpsd may be there by now.
        var events = test.events.makeAsyncIterator()
        let gpsd = try await accept(&clients)
        try await gpsd.send("garbage\n" + tpv(1, latitude: 51) + tpv(2))
        #expect(try await nextLocation(&events) == 51)
        try await test.shutdown()
        try await server.stop()
    }

    @Test("locations and headings beyond a hundred a second are left out")
    func flood() async throws {
        let gpsd = try await FakeGPSD.start()
        let test = SourceUnderTest(.tcp(host: "127.0.0.1", port: gpsd.port))
        var clients = gpsd.events.makeAsyncIterator()
        try await test.setNeeded(true)
        let channel = try await accept(&clients)
        let heading = #"{"class":"ATT","device":"/dev/c","heading":10.5}"# + "\n"
        try await channel.send(
            (0..<3000).map { tpv($0) + heading }.joined() + #"{"class":"ERROR","message":"a mark"}"# + "\n")
        _ = try await test.status { $0.lastError?.contains("a mark") == true }
        try await test.shutdown()
        let events = await test.finished()
        let locations = events.count { if case .location = $0 { true } else { false } }
        let headings = events.count { if case .heading = $0 { true } else { false } }
        // A burst of two hundred is admitted.
        #expect((200..<3000).contains(locations))
        #expect((200..<3000).contains(headings))
        try await gpsd.stop()
    }

    @Test("a gpsd that sends garbage between its reports stays connected")
    func someGarbage() async throws {
        let gpsd = try await FakeGPSD.start()
        let test = SourceUnderTest(.tcp(host: "127.0.0.1", port: gpsd.port))
        var (clients, events) = (gpsd.events.makeAsyncIterator(), test.events.makeAsyncIterator())
        try await test.setNeeded(true)
        let channel = try await accept(&clients)
        let version = FakeGPSD.banner + "\n"
        for _ in 0..<300 { try await channel.send("garbage\n" + version) }
        try await channel.send(tpv(1, latitude: 51) + tpv(2))
        #expect(try await nextLocation(&events) == 51)
        #expect(try await test.status().counters.rejectedLines == 300)
        #expect(try await test.status().counters.reconnects == 0)
        try await test.shutdown()
        try await gpsd.stop()
    }

    @Test("a gpsd that hangs up at once is retried, and the status says why")
    func refuses() async throws {
        let gpsd = try await FakeGPSD.start()
        let test = SourceUnderTest(.tcp(host: "127.0.0.1", port: gpsd.port))
        var (clients, events) = (gpsd.events.makeAsyncIterator(), test.events.makeAsyncIterator())
        try await test.setNeeded(true)
        for _ in 0..<3 {
            while true {
                guard case .connected(let channel) = try await clients.required() else { continue }
                // On a very slow machine the other side may have given up by now, which is as good.
                try? await channel.close()
                break
            }
        }
        let status = try await test.status { $0.connection == .retrying }
        #expect(status.lastError?.contains("closed the connection") == true)
        let channel = try await accept(&clients)
        // The failure is over.
        #expect(try await test.status { $0.connection == .connected }.lastError == nil)
        try await channel.send(tpv(1, latitude: 52))
        #expect(try await nextLocation(&events) == 52)
        try await test.shutdown()
        try await gpsd.stop()
    }

    @Test("with nobody listening, a silent gpsd or one that goes, unavailability is reported once with its reason")
    func unavailable() async throws {
        let gpsd = try await FakeGPSD.start()
        let port = gpsd.port
        let silent = SourceUnderTest(.tcp(host: "127.0.0.1", port: port))
        let absent = SourceUnderTest(.unix(path: "/nonexistent/gpsd.sock"))
        try await silent.setNeeded(true)
        try await absent.setNeeded(true)
        var (silentEvents, absentEvents) = (silent.events.makeAsyncIterator(), absent.events.makeAsyncIterator())
        #expect(try await silentEvents.required() == .unavailable(.noReceiver))
        #expect(try await absentEvents.required() == .unavailable(.notConnected))
        #expect(try await absent.status().connection != .idle)
        try await silent.shutdown()
        try await absent.shutdown()
        try await gpsd.stop()
    }
}

@Suite("Reconnecting")
struct ReconnectScheduleTests {
    @Test("the first retry comes soon, and retries are frequent for a minute", arguments: [true, false])
    func attentive(isLocal: Bool) {
        var schedule = ReconnectSchedule(isLocal: isLocal)
        var now = NIODeadline.uptimeNanoseconds(0)
        let limit: TimeAmount = isLocal ? .milliseconds(250) : .milliseconds(800)
        #expect(schedule.delay(at: now, random: 1) <= .milliseconds(250))
        for _ in 0..<50 {
            let delay = schedule.delay(at: now, random: 1)
            #expect(delay <= limit)
            now = now + delay
        }
        #expect(schedule.delay(at: now, random: 0) == .nanoseconds(limit.nanoseconds / 2))
        let later = NIODeadline.uptimeNanoseconds(70_000_000_000)
        #expect(schedule.delay(at: later, random: 1) == (isLocal ? .milliseconds(900) : .seconds(5)))
        schedule.reset()
        #expect(schedule.delay(at: later, random: 1) == .milliseconds(200))
    }
}

@Suite("Line decoding")
struct GPSDLineDecoderTests {
    @Test("lines are the same however the stream is split", arguments: [1, 2, 3, 7, 1000, 40_000])
    func pieces(size: Int) throws {
        let long = String(repeating: "x", count: GPSDLine.maximumLength)
        let stream = Array("one\r\n\ntwo\n\(long)\n\(long)y\r\nthree\n\(long)\(long)\nfour\nrest".utf8)
        let channel = EmbeddedChannel(handler: ByteToMessageHandler(GPSDLineDecoder()))
        for start in stride(from: 0, to: stream.count, by: size) {
            try channel.writeInbound(ByteBuffer(bytes: stream[start..<min(stream.count, start + size)]))
        }
        var lines: [String] = []
        while let message = try channel.readInbound(as: GPSDLineDecoder.InboundOut.self) {
            switch message {
            case .line(let line): lines.append(line.readableBytes > 10 ? "long" : String(buffer: line))
            case .tooLong: lines.append("tooLong")
            }
        }
        // A long line counts once for as many bytes as a line may have, however the stream is split.
        var once: [String] = []
        for line in lines where line != "tooLong" || once.last != line { once.append(line) }
        #expect(once == ["one", "", "two", "long", "tooLong", "three", "tooLong", "four"])
        #expect(lines.count { $0 == "tooLong" } <= 3)
        _ = try channel.finish(acceptAlreadyClosed: true)
    }
}
