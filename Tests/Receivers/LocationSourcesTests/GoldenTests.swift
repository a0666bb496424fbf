import GPSDProtocol
import LocationModel
import Logging
import NIOCore
import TestSupport
import Testing

@testable import GPSDFrontEnd
@testable import LocationSources

/// Recorded receiver logs, and the locations reported for them. Serialized, because two dozen gpsds in real time would
/// overload a busy machine.
@Suite("Recorded receivers", .serialized, .timeLimit(.minutes(10)))
struct GoldenTests {
    @Test(
        "through a real gpsd, each epoch is reported once, with the values of its reports",
        .enabled(if: GPSD.isInstalled, "gpsd is not installed"),
        .timeLimit(.minutes(10)),
        arguments: Recording.own + Recording.suite)
    func throughGPSD(recording: Recording) async throws {
        let port = try ReservedPort()
        let line = try await SerialLine()
        let gpsd = try await GPSD.onPort(port, reading: line.path)
        let test = SourceUnderTest(.tcp(host: "127.0.0.1", port: port.number))
        try await test.setNeeded(true)
        try await test.status("an activated receiver") { $0.receivers.contains { $0.isActivated } }
        let listener = try await Wire.watching(port: port.number)
        async let reports = Self.reports(to: listener)
        await line.send(try recording.bytes())
        let seen = try await reports
        await listener.close()
        try await test.shutdown()
        try await gpsd.stop()

        let expectation = Expectation(seen)
        let told = await test.finished().compactMap { event -> Location? in
            if case .location(let location) = event { location } else { nil }
        }
        #expect(expectation.faults(in: told) == [])
        if recording.path.hasSuffix("nofix.log") { #expect(told.isEmpty) }
        // A gpsd that says nothing would satisfy the comparison with its own reports.
        let check = try Expectation(recording.check().compactMap(RawTPV.init(in:)))
        let epochs = check.epochs.count { epoch in told.contains { $0.timestamp == epoch.time } }
        // What gpsd itself loses, while it tries one speed after the other on a busy machine, nobody can report. Of this project's
        // recordings it loses nothing.
        let sent = check.epochs.count { epoch in
            recording.isOwn || expectation.epochs.contains { $0.time == epoch.time }
        }
        let expected = min(recording.epochsToday ?? sent, sent)
        #expect((expected - check.withoutFix.count...expected).contains(epochs), "epochs of the expectation")
        if recording.isOwn { #expect(expectation.timeless.count == check.timeless.count) }
    }

    @Test("the GPSD project's recordings are compared as well", Recording.suiteIsNamed)
    func suiteIsThere() {
        #expect(Recording.suite.count > 10, "the directory that LOCATIOND_GPSD_LOGS names has hardly any recordings")
    }

    @Test("libgps agrees with gpsd's own expectation, line by line", arguments: Recording.own + Recording.suite)
    func record(recording: Recording) throws {
        let lines = try recording.check()
        #expect(!lines.isEmpty)
        let expectation = Expectation(lines.compactMap(RawTPV.init(in:)))
        let locations = Self.locations(told: lines)
        #expect(expectation.faults(in: locations) == [])
        let count = expectation.epochs.count + expectation.timeless.count
        #expect((count - expectation.withoutFix.count...count).contains(locations.count))
    }

    @Test(
        "a program of gpsd reads of each epoch what gpsd itself reports, to the last digit",
        arguments: Recording.own + Recording.suite)
    func digits(recording: Recording) throws {
        let reports = try recording.check().compactMap(TPVText.init(fixIn:))
        for location in Self.locations(told: try recording.check()) {
            let told = try #require(TPVText(fixIn: PositionText.tpv(location)))
            // A fix without a time has that of its arrival.
            let timed = reports.filter { $0.members["time"] == told.members["time"] }
            let epoch = timed.isEmpty ? reports.filter { $0.members["time"] == nil } : timed
            #expect(told.members(inNoneOf: epoch) == [])
            #expect(told.members["mode"] == (told.members["alt"] == nil ? "2" : "3"))
        }
    }

    /// Returns gpsd's reports to a watching client, until there are no more: gpsd has reported, and then answers four questions in
    /// eight tenths of a second, without a report before an answer. A test or a gpsd that has to wait for a busy machine continues
    /// with what has come meanwhile.
    private static func reports(to listener: Wire) async throws -> [RawTPV] {
        var reports: [RawTPV] = []
        var quietAnswers = 0
        while reports.isEmpty || quietAnswers < 4 {
            try await pass(.milliseconds(200))
            await listener.send("?VERSION;\n")
            quietAnswers += 1
            while let line = try await listener.receive(), !line.contains(#""class":"VERSION""#) {
                quietAnswers = 0
                if let report = RawTPV(in: line) { reports.append(report) }
            }
            try #require(try await listener.isOpen, "gpsd has closed the connection")
        }
        return reports
    }

    /// The locations that the source reports for gpsd's lines.
    private static func locations(told lines: [String]) -> [Location] {
        let unpacker = GPSDUnpacker()
        var tracker = ReceiverTracker()
        var now = NIODeadline.uptimeNanoseconds(0)
        var arrival = Timestamp.now()
        var told: [SourceEvent] = []
        tracker.setNeeded(true, at: now)
        for line in lines {
            now = now + .milliseconds(1)
            arrival = arrival.advanced(by: .milliseconds(1))
            guard case .report(let report) = try? unpacker.message(ByteBuffer(string: line), arrival: arrival) else {
                continue
            }
            told += tracker.receive(report, from: 0, at: now)
        }
        told += tracker.tick(at: now + .milliseconds(260))
        return told.compactMap { if case .location(let location) = $0 { location } else { nil } }
    }
}

/// The members of a TPV as they are written, digit by digit.
private struct TPVText {
    /// The members that programs of gpsd are given as gpsd reports them. The others differ: epx and epy, because a location has
    /// one radius, and mode, which gpsd may leave at 2 beside an altitude.
    private static let compared = [
        "status", "lat", "lon", "altHAE", "altMSL", "alt", "eph", "epv", "track", "speed", "epd", "eps",
    ]
    let members: [String: String]

    /// The message in `line` if it is a TPV with a fix.
    init?(fixIn line: String) {
        guard RawTPV(fixIn: line) != nil else { return nil }
        var members = Dictionary(
            line.dropFirst().dropLast().split(separator: ",").compactMap { member in
                let parts = member.split(separator: ":", maxSplits: 1)
                return parts.count == 2 ? (String(parts[0].dropFirst().dropLast()), String(parts[1])) : nil
            }, uniquingKeysWith: { first, _ in first })
        // gpsd leaves out that of a fix by satellites alone.
        members["status"] = members["status"] ?? "1"
        self.members = members
    }

    /// The members that no report of the epoch has like this: gpsd reports most epochs several times, and the source keeps what a
    /// later report leaves out.
    func members(inNoneOf epoch: [TPVText]) -> [String] {
        Self.compared.filter { name in !epoch.contains { $0.members[name] == members[name] } }
    }
}
