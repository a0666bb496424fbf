import LocationModel
import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import TestSupport
import Testing
import WiFiPositioning
import WiFiScanning

@testable import LocationSources

/// A Wi-Fi device that hears what the test says.
private final class ScriptedScanner: WiFiScanner {
    var points: [String] = []
    var age = Duration.seconds(2)
    var isOnline = true
    private(set) var isOpen = false
    private(set) var (reads, scans) = (0, 0)
    private let clock: () -> Duration
    private var onEvent: (WiFiEvent) -> Void = { _ in }

    init(clock: @escaping () -> Duration) { self.clock = clock }

    func open(onEvent: @escaping (WiFiEvent) -> Void) { (isOpen, self.onEvent) = (true, onEvent) }
    func close() { (isOpen, onEvent) = (false, { _ in }) }
    func emit(_ event: WiFiEvent) { onEvent(event) }

    func read(answer: @escaping (Result<WiFiScan, WiFiFailure>) -> Void) {
        reads += 1
        answer(
            .success(
                WiFiScan(
                    points: points.map {
                        ScannedAccessPoint(
                            address: $0, name: Array("Cafe".utf8), frequency: 2412, strength: 80,
                            lastSeen: clock() - age, isInfrastructure: true)
                    }, isOnline: isOnline)))
    }

    func requestScan(answer: @escaping (WiFiFailure?) -> Void) { scans += 1 }
}

/// A server that answers when the test says.
private final class ScriptedPositioning: PositioningService {
    struct Request: Sendable {
        var points: [AccessPoint]
        var answer: @Sendable (Result<PositioningReply, PositioningFailure>) -> Void
    }

    let requests = NIOLockedValueBox<[Request]>([])
    let cancellations = NIOLockedValueBox(0)

    func locate(
        _ points: [AccessPoint],
        completion: @escaping @Sendable (Result<PositioningReply, PositioningFailure>) -> Void
    ) -> @Sendable () -> Void {
        requests.withLockedValue { $0.append(Request(points: points, answer: completion)) }
        return { [cancellations] in cancellations.withLockedValue { $0 += 1 } }
    }

    var count: Int { requests.withLockedValue { $0.count } }

    /// Answers the last request.
    func answer(latitude: Double = 52.52) throws {
        let position = try #require(NetworkPosition(latitude: latitude, longitude: 13.405, accuracy: 100))
        let request = try #require(requests.withLockedValue { $0.last })
        request.answer(.success(PositioningReply(position: position, server: "server.example")))
    }

    func fail(_ failure: PositioningFailure) throws {
        try #require(requests.withLockedValue { $0.last }).answer(.failure(failure))
    }
}

/// A source on a manual clock; the wall clock and the one since the machine's start show the same seconds.
private final class Site {
    static let here = ["a4:2b:b0:11:22:33", "cc:40:d0:44:55:66", "cc:40:d0:44:55:67"]
    static let there = ["b4:2b:b0:11:22:33", "b4:40:d0:44:55:66"]

    let loop = EmbeddedEventLoop()
    let scanner: ScriptedScanner
    let server = ScriptedPositioning()
    let log = LogRecorder()
    let source: WiFiSource
    private let reports = NIOLockedValueBox<[(Location, TimeAmount?)]>([])

    init() {
        let loop = loop
        let clock: @Sendable () -> Duration = { .nanoseconds(Int64(loop.now.uptimeNanoseconds)) }
        scanner = ScriptedScanner(clock: clock)
        scanner.points = Self.here
        source = WiFiSource(
            scanner: scanner, service: server, server: "server.example",
            context: SourceContext(
                eventLoop: loop, logger: log.logger,
                wallClock: { Timestamp(nanosecondsSince1970: Int64(loop.now.uptimeNanoseconds)) },
                report: { [reports] report in
                    if case .location(let location, let time) = report {
                        reports.withLockedValue { $0.append((location, time)) }
                    }
                }), clock: clock)
        loop.advanceTime(by: .hours(100))
    }

    deinit { source.shutdown() }

    /// The locations reported since the last call.
    func locations() -> [(Location, TimeAmount?)] {
        reports.withLockedValue { reports in
            defer { reports = [] }
            return reports
        }
    }

    func demand(_ demand: LocationDemand) {
        let isNew = !scanner.isOpen
        source.setDemand(demand)
        if isNew, demand > .off { scanner.emit(.available) }
    }

    func advance(_ seconds: Int64) { loop.advanceTime(by: .seconds(seconds)) }
}

@Suite("Wi-Fi positioning", .timeLimit(.minutes(10)))
struct WiFiSourceTests {
    @Test("reports the server's answer with the time of the scan, fresh for 90 s from then on")
    func answer() throws {
        let site = Site()
        site.demand(.continuous)
        #expect(site.server.count == 1)
        #expect(site.server.requests.withLockedValue { $0[0].points.count } == 3)
        site.advance(1)
        try site.server.answer()
        let reports = site.locations()
        let (location, freshFor) = try #require(reports.first)
        #expect(reports.count == 1)
        #expect(location.coordinate == Coordinate(latitude: 52.52, longitude: 13.405))
        #expect(location.horizontalAccuracy == 61.7)
        #expect(location.timestamp.secondsSince1970 == 360_000 - 2)
        #expect(location.sourceInformation == .init(kind: .wifi, isSimulated: false))
        #expect((location.speed, location.course, location.altitude) == (nil, nil, nil))
        #expect(freshFor == .seconds(87))
        #expect(site.source.status.requestsToday == 1)
        #expect(site.source.status.endpoint == "server.example")
        #expect(site.source.status.connection == .connected)
        // Neither a position nor an address is logged.
        #expect(!site.log.lines.contains { $0.contains("52") || $0.contains("a4:2b") })
    }

    @Test("scans every half minute, and reports the known place again with the time of the scan")
    func sameAccessPoints() throws {
        let site = Site()
        site.demand(.continuous)
        try site.server.answer()
        for _ in 0..<20 {
            site.advance(32)
            site.scanner.emit(.scanned)
        }
        #expect(site.server.count == 1)
        #expect(site.scanner.scans == 20)
        let times = site.locations().map { Int($0.0.timestamp.secondsSince1970) }
        #expect(times == (0...20).map { 360_000 - 2 + 32 * $0 })
    }

    @Test("continues without the end of a scan")
    func lostScan() throws {
        let site = Site()
        site.demand(.continuous)
        try site.server.answer()
        site.advance(32 + 8)
        #expect(site.scanner.reads == 2)
        #expect(site.locations().count == 2)
    }

    @Test("scans at once if too few access points are known, and reports that there are too few")
    func fewAccessPoints() {
        let site = Site()
        site.scanner.points = [Site.here[0]]
        site.demand(.continuous)
        #expect(site.scanner.scans == 1)
        #expect(site.source.status.lastError == nil)
        site.scanner.emit(.scanned)
        #expect(
            site.source.status.lastError == "Fewer than two access points are heard that a server may be asked about")
        site.scanner.points = []
        site.advance(32)
        site.scanner.emit(.scanned)
        #expect(site.source.status.lastError == "No access point is heard")
        #expect(site.server.count == 0)
    }

    @Test("asks again when the access points have changed")
    func movement() throws {
        let site = Site()
        site.demand(.continuous)
        try site.server.answer()
        site.scanner.points = Site.there
        site.advance(32)
        site.scanner.emit(.scanned)
        #expect(site.server.count == 2)
        try site.server.answer(latitude: 48)
        #expect(site.locations().map(\.0.coordinate.latitude) == [52.52, 48])
    }

    @Test("scans and sends nothing while it is not needed, and cancels open requests at once")
    func notNeeded() throws {
        let site = Site()
        #expect((site.scanner.isOpen, site.scanner.reads, site.server.count) == (false, 0, 0))
        #expect(site.source.status.connection == .idle)
        site.demand(.continuous)
        site.source.setDemand(.off)
        #expect(site.server.cancellations.withLockedValue { $0 } == 1)
        #expect(!site.scanner.isOpen)
        let (reads, scans) = (site.scanner.reads, site.scanner.scans)
        try site.server.answer()
        site.advance(3600)
        #expect((site.scanner.reads, site.scanner.scans) == (reads, scans))
        #expect(site.locations().isEmpty)
        #expect(site.source.status.connection == .idle)
    }

    @Test("for reduced accuracy scans every quarter of an hour, and asks once an hour at most")
    func coarse() throws {
        let site = Site()
        site.demand(.coarse)
        try site.server.answer()
        let (location, freshFor) = try #require(site.locations().first)
        #expect(location.horizontalAccuracy == 61.7)
        #expect(freshFor == .seconds(17 * 60 - 2))
        for round in 1...8 {
            site.scanner.points = (0..<5).map { "a4:2b:b0:11:\(round + 10):\($0 + 10)" }
            site.advance(15 * 60)
            // Somebody else's scans have nothing read.
            let reads = site.scanner.reads
            site.scanner.emit(.scanned)
            site.scanner.emit(.scanned)
            #expect(site.scanner.reads == reads + 1)
            #expect(site.server.count == 1 + round / 4)
            if round % 4 == 0 { try site.server.answer() }
        }
        #expect(site.scanner.scans == 8)
    }

    @Test("forgets the places it knows, and an open request")
    func forgetting() throws {
        let site = Site()
        site.demand(.continuous)
        try site.server.answer()
        site.source.forget()
        site.advance(32)
        site.scanner.emit(.scanned)
        #expect(site.server.count == 2)
        site.source.forget()
        #expect(site.server.cancellations.withLockedValue { $0 } == 1)
        try site.server.answer()
        #expect(site.locations().count == 1)
    }

    @Test("reports the server's error, logs it once, and waits longer after each failure")
    func failures() throws {
        let site = Site()
        site.demand(.continuous)
        let failure = PositioningFailure(.untrusted, "The certificate of server.example is not valid here")
        try site.server.fail(failure)
        #expect(site.source.status.lastError == failure.message)
        for _ in 0..<30 {
            site.advance(32)
            site.scanner.emit(.scanned)
            if site.server.count > 1 { try site.server.fail(failure) }
        }
        #expect((5...6).contains(site.server.count))
        #expect(site.log.lines.filter { $0.contains("certificate") }.count == 1)
        #expect(site.locations().isEmpty)
    }

    @Test("does not ask offline, nor without a Wi-Fi device")
    func offline() {
        let site = Site()
        site.scanner.isOnline = false
        site.demand(.continuous)
        #expect(site.server.count == 0)
        #expect(site.source.status.lastError == "The server is not asked, since there is no connection to the Internet")
        site.scanner.emit(.unavailable(WiFiFailure("NetworkManager is not running")))
        #expect(site.source.status.connection == .retrying)
        site.advance(3600)
        #expect(site.server.count == 0)
    }
}
