import Glibc
import LocationModel
import Logging
import NIOCore
import TestSupport
import Testing

@testable import LocationSources

/// A fixed source on a loop of its own.
///
/// `@unchecked Sendable` because everything is used on `loop` only.
private final class Site: @unchecked Sendable {
    let loop = ObservedLoops.next()
    private(set) var reports: [String] = []
    private(set) var statuses: [String] = []
    private var source: FixedSource?

    init(_ origin: FixedSource.Origin) async throws {
        try await loop.submit { [self] in
            let context = SourceContext(
                eventLoop: loop, logger: .silent, wallClock: { Timestamp(nanosecondsSince1970: 7_000_000_000) }
            ) { [weak self] report in
                switch report {
                case .location(let location, let freshFor):
                    #expect(freshFor == nil)
                    #expect(location.timestamp == Timestamp(nanosecondsSince1970: 7_000_000_000))
                    #expect(location.sourceInformation == .init(kind: .fixed))
                    self?.reports.append(
                        "\(location.coordinate.latitude) ± \(location.horizontalAccuracy ?? .nan)")
                case .noLocation: self?.reports.append("none")
                default: self?.reports.append("something else")
                }
            }
            source = FixedSource(origin: origin, context: context)
        }.get()
    }

    /// The reports of a change of demand.
    func setDemand(_ demand: LocationDemand) async throws -> [String] {
        try await loop.submit { [self] in
            source?.setDemand(demand)
            defer { reports = [] }
            return reports
        }.get()
    }

    /// The next report.
    func next(_ what: String) async throws -> [String] {
        try await ObservedLoops.ensure(what, on: loop) { [self] in !reports.isEmpty }
        return try await loop.submit { [self] in
            defer { reports = [] }
            return reports
        }.get()
    }

    func awaitError(_ what: String, _ isExpected: @escaping @Sendable (String) -> Bool) async throws {
        try await ObservedLoops.ensure(what, on: loop) { [self] in
            source?.status.lastError.map(isExpected) ?? false
        }
    }

    func connection() async throws -> SourceStatus.Connection? {
        try await loop.submit { [self] in source?.status.connection }.get()
    }

    func shutdown() async throws { try await loop.submit { [self] in source?.shutdown() }.get() }
}

@Suite("Fixed position", .timeLimit(.minutes(10)))
struct FixedSourceTests {
    private static func fixed(_ latitude: Double) -> FixedLocation? {
        Coordinate(latitude: latitude, longitude: 13).map { FixedLocation(coordinate: $0) }
    }

    @Test(
        "the configured position is reported at once, each time locations are needed again, with the time of delivery")
    func configuredPositionIsReportedAtOnce() async throws {
        let site = try await Site(.configured(try #require(Self.fixed(52))))
        #expect(try await site.connection() == .idle)
        #expect(try await site.setDemand(.coarse) == ["52.0 ± 50.0"])
        #expect(try await site.setDemand(.continuous) == [])
        #expect(try await site.connection() == .connected)
        #expect(try await site.setDemand(.off) == [])
        #expect(try await site.setDemand(.periodic) == ["52.0 ± 50.0"])
        try await site.shutdown()
        #expect(try await site.setDemand(.off) == [])
        #expect(try await site.connection() == .closed)
    }

    /// What the file says: its latitude, or why it is refused.
    private static func read(_ path: String) -> FixedSource.FileResult {
        guard let file = fopen(path, "re") else { return .none }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 80)
        guard fgets(&line, 80, file) != nil else { return .none }
        let text = String(decoding: line.prefix { $0 > 32 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if text == "refused" { return .refused("users may write it.") }
        return Double(text).flatMap(fixed).map { .location($0) } ?? .malformed("line 1 is \(text).")
    }

    private static func write(_ text: String, _ path: String) {
        let file = fopen(path, "we")
        fputs(text, file)
        fclose(file)
    }

    @Test("a file's position follows the file: created, replaced, malformed, not trusted, removed")
    func positionFollowsFile() async throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/geolocation"
        let site = try await Site(.file(path: path) { Self.read(path) })
        #expect(try await site.setDemand(.continuous) == [])
        #expect(try await site.connection() == .retrying)
        Self.write("52\n", path)
        #expect(try await site.next("the new file") == ["52.0 ± 50.0"])
        Self.write("53\n", path + ".new")
        rename(path + ".new", path)
        #expect(try await site.next("the file in its place") == ["53.0 ± 50.0"])
        // The last good one stays.
        Self.write("fifty\n", path)
        try await site.awaitError("the malformed file") { $0.hasPrefix("line 1 is fifty") }
        #expect(try await site.connection() == .connected)
        Self.write("refused\n", path)
        #expect(try await site.next("the file that is not trusted") == ["none"])
        Self.write("54\n", path)
        #expect(try await site.next("the corrected file") == ["54.0 ± 50.0"])
        unlink(path)
        #expect(try await site.next("the removal") == ["none"])
        #expect(try await site.setDemand(.off) == [])
        Self.write("55\n", path)
        #expect(try await site.setDemand(.coarse) == ["55.0 ± 50.0"])
        try await site.shutdown()
    }
}
