import GPSDProtocol
import FoundationEssentials
import LocationModel
import NIOCore
import NIOEmbedded
import TestSupport
import Testing

@testable import LocationSources

private func tpv(_ second: Int, latitude: Double = 48) -> String {
    let time = Timestamp(nanosecondsSince1970: 1_800_000_000_000_000_000 + Int64(second) * 1_000_000_000)
    return #"{"class":"TPV","device":"/dev/a","mode":3,"time":"\#(time)","lat":\#(latitude),"lon":11.5}"# + "\r\n"
}

@Suite("The connection to gpsd", .timeLimit(.minutes(10)))
struct GPSDConnectionTests {
    @Test(
        "connects when needed, watches, stops watching when not, and watches again on the same connection",
        arguments: [nil, FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).sock").path])
    func need(socket: String?) async throws {
        let gpsd = try await ScriptedGPSD(socket: socket)
        let test = SourceUnderTest(socket.map { .unix(path: $0) } ?? .tcp(host: "127.0.0.1", port: gpsd.port))
        var events = test.events.makeAsyncIterator()
        #expect(try await test.status().connection == .idle)
        try await test.setNeeded(true)
        let wire = try await gpsd.watcher()
        await wire.send(tpv(1) + tpv(2, latitude: 49))
        #expect(try await events.location().coordinate.latitude == 48)
        #expect(try await events.location().coordinate.latitude == 49)
        try await test.setNeeded(false)
        #expect(try await wire.receive() == ScriptedGPSD.unwatch)
        await wire.send(tpv(3, latitude: 50) + #"{"class":"ERROR","message":"a mark"}"# + "\n")
        try await test.status("the mark") { $0.lastError?.contains("a mark") == true }
        try await test.setNeeded(true)
        #expect(try await wire.receive() == ScriptedGPSD.watch)
        await wire.send(tpv(4, latitude: 51) + tpv(5))
        #expect(try await events.location().coordinate.latitude == 51, "nothing from the pause is told")
        let status = try await test.status()
        #expect(status.connection == .connected)
        #expect(status.version == "3.22")
        #expect(status.receivers.map(\.device) == ["/dev/a"])
        try await test.shutdown()
        #expect(try await wire.receive() == nil, "the connection is closed")
        try await gpsd.stop()
    }

    @Test("is neither opened nor reopened while it is not needed")
    func noNeed() async throws {
        let gpsd = try await ScriptedGPSD()
        let test = SourceUnderTest(.tcp(host: "localhost", port: gpsd.port))
        try await test.setNeeded(true)
        let wire = try await gpsd.watcher()
        try await test.setNeeded(false)
        await wire.close()
        #expect(try await test.status("the end of the connection") { $0.connection != .connected }.connection == .idle)
        try await test.setNeeded(true)
        _ = try await gpsd.watcher()
        try await test.shutdown()
        try await gpsd.stop()
    }

    @Test("a line that arrives byte by byte is decoded")
    func drip() async throws {
        let gpsd = try await ScriptedGPSD()
        let test = SourceUnderTest(.tcp(host: "127.0.0.1", port: gpsd.port))
        var events = test.events.makeAsyncIterator()
        try await test.setNeeded(true)
        let wire = try await gpsd.watcher()
        for character in tpv(1, latitude: 50) { await wire.send(String(character)) }
        #expect(try await events.location().coordinate.latitude == 50)
        try await test.shutdown()
        try await gpsd.stop()
    }

    @Test("garbage and endless lines are counted and skipped, and later lines are decoded")
    func garbage() async throws {
        let gpsd = try await ScriptedGPSD()
        let test = SourceUnderTest(.tcp(host: "127.0.0.1", port: gpsd.port))
        var events = test.events.makeAsyncIterator()
        try await test.setNeeded(true)
        let wire = try await gpsd.watcher()
        await wire.send("\u{0}\u{1}garbage\n{x\"class\":\"TPV\"}\n" + #"HTTP/1.1 400 Bad Request"# + "\r\n\r\n")
        for _ in 0..<16 { await wire.send(String(repeating: "{", count: 65_536)) }
        await wire.send("\n" + tpv(1, latitude: 51))
        #expect(try await events.location().coordinate.latitude == 51)
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
        let server = try await ScriptedGPSD()
        let test = SourceUnderTest(.tcp(host: "127.0.0.1", port: server.port))
        try await test.setNeeded(true)
        for _ in 0..<2 {
            let wire = try await server.connection()
            // As much as fits: the connection may be closed meanwhile.
            let garbage = String(repeating: piece, count: GPSDConnection.mostGarbage + 100)
            await wire.send(garbage)
            while try await wire.receive() != nil { continue }
        }
        let status = try await test.status()
        #expect(status.lastError?.contains("are not gpsd's protocol. Is gpsd there?") == true)
        #expect(status.counters.rejectedLines >= GPSDConnection.mostGarbage)
        // The count begins anew with each connection: gpsd may be there by now.
        var events = test.events.makeAsyncIterator()
        let gpsd = try await server.watcher()
        await gpsd.send("garbage\n" + tpv(1, latitude: 51) + tpv(2))
        #expect(try await events.location().coordinate.latitude == 51)
        try await test.shutdown()
        try await server.stop()
    }

    @Test("locations and headings beyond a hundred a second are left out")
    func flood() async throws {
        let gpsd = try await ScriptedGPSD()
        let test = SourceUnderTest(.tcp(host: "127.0.0.1", port: gpsd.port))
        try await test.setNeeded(true)
        let wire = try await gpsd.watcher()
        let heading = #"{"class":"ATT","device":"/dev/c","heading":10.5}"# + "\n"
        await wire.send(
            (0..<3000).map { tpv($0) + heading }.joined() + #"{"class":"ERROR","message":"a mark"}"# + "\n")
        try await test.status("the mark") { $0.lastError?.contains("a mark") == true }
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
        let gpsd = try await ScriptedGPSD()
        let test = SourceUnderTest(.tcp(host: "127.0.0.1", port: gpsd.port))
        var events = test.events.makeAsyncIterator()
        try await test.setNeeded(true)
        let wire = try await gpsd.watcher()
        let version = ScriptedGPSD.banner + "\n"
        for _ in 0..<300 { await wire.send("garbage\n" + version) }
        await wire.send(tpv(1, latitude: 51) + tpv(2))
        #expect(try await events.location().coordinate.latitude == 51)
        #expect(try await test.status().counters.rejectedLines == 300)
        #expect(try await test.status().counters.reconnects == 0)
        try await test.shutdown()
        try await gpsd.stop()
    }

    @Test("a gpsd that hangs up at once is retried, and the status says why")
    func refuses() async throws {
        let gpsd = try await ScriptedGPSD()
        let test = SourceUnderTest(.tcp(host: "127.0.0.1", port: gpsd.port))
        var events = test.events.makeAsyncIterator()
        try await test.setNeeded(true)
        for _ in 0..<3 { await (try await gpsd.connection()).close() }
        let status = try await test.status("a retry") { $0.connection == .retrying }
        #expect(status.lastError?.contains("closed the connection") == true)
        let wire = try await gpsd.watcher()
        // The failure is over.
        #expect(try await test.status("a connection") { $0.connection == .connected }.lastError == nil)
        await wire.send(tpv(1, latitude: 52))
        #expect(try await events.location().coordinate.latitude == 52)
        try await test.shutdown()
        try await gpsd.stop()
    }

    @Test("without a listener, with a silent gpsd or one that ends, unavailability is reported once with its reason")
    func unavailable() async throws {
        let gpsd = try await ScriptedGPSD()
        let port = gpsd.port
        let silent = SourceUnderTest(.tcp(host: "127.0.0.1", port: port))
        let absent = SourceUnderTest(.unix(path: "/nonexistent/gpsd.sock"))
        try await silent.setNeeded(true)
        try await absent.setNeeded(true)
        var (silentEvents, absentEvents) = (silent.events.makeAsyncIterator(), absent.events.makeAsyncIterator())
        #expect(await silentEvents.next() == .unavailable(.noReceiver))
        #expect(await absentEvents.next() == .unavailable(.notConnected))
        #expect(try await absent.status().connection != .idle)
        try await silent.shutdown()
        try await absent.shutdown()
        try await gpsd.stop()
    }
}

@Suite("Reconnecting", .timeLimit(.minutes(10)))
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

@Suite("Line decoding", .timeLimit(.minutes(10)))
struct GPSDLineDecoderTests {
    @Test("lines are the same however the stream is split", arguments: [1, 2, 3, 7, 1000, 40_000])
    func pieces(size: Int) throws {
        let long = String(repeating: "x", count: GPSDLine.maximumLength)
        let stream = Array("one\r\n\ntwo\n\(long)\n\(long)y\r\nthree\n\(long)\(long)\nfour\nrest".utf8)
        let decoder = NIOSingleStepByteToMessageProcessor(GPSDLineDecoder())
        var lines: [String] = []
        for start in stride(from: 0, to: stream.count, by: size) {
            try decoder.process(buffer: ByteBuffer(bytes: stream[start..<min(stream.count, start + size)])) { message in
                switch message {
                case .line(let line): lines.append(line.readableBytes > 10 ? "long" : String(buffer: line))
                case .tooLong: lines.append("tooLong")
                }
            }
        }
        // A long line counts once for as many bytes as a line may have, however the stream is split.
        var once: [String] = []
        for line in lines where line != "tooLong" || once.last != line { once.append(line) }
        #expect(once == ["one", "", "two", "long", "tooLong", "three", "tooLong", "four"])
        #expect(lines.count { $0 == "tooLong" } <= 3)
    }
}
