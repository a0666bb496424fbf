import LocationModel
import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import Testing

@testable import LocationSources

/// Two sources, whose receivers have the same name, on a clock that stands until the test turns it.
private final class TwoSources {
    private final class Source: LocationSource, @unchecked Sendable {
        let report: @Sendable (SourceReport) -> Void
        private(set) var demands: [LocationDemand] = []
        private let name: String

        let kind: Location.SourceInformation.Kind

        init(
            _ name: String, _ kind: Location.SourceInformation.Kind,
            _ report: @escaping @Sendable (SourceReport) -> Void
        ) {
            (self.name, self.kind, self.report) = (name, kind, report)
        }

        func setDemand(_ demand: LocationDemand) { demands.append(demand) }
        var status: SourceStatus { SourceStatus(connection: .connected, endpoint: name) }
        func shutdown() { demands.append(.off) }
    }

    /// The machine's own compass.
    final class Compass: HeadingSource, @unchecked Sendable {
        private(set) var isNeeded = false
        private(set) var location: Location?
        var report: @Sendable (Heading) -> Void = { _ in }

        func setNeeded(_ isNeeded: Bool) { self.isNeeded = isNeeded }
        func setLocation(_ location: Location?) { self.location = location }
        var problem: String? { isNeeded ? "It is broken." : nil }
        func shutdown() { isNeeded = false }
    }

    let loop = EmbeddedEventLoop()
    let compass = Compass()
    let group: SourceGroup
    private var sources: [Source] = []
    private let told = NIOLockedValueBox<[String]>([])

    init(_ kinds: [Location.SourceInformation.Kind] = [.receiver, .receiver]) {
        let makeCompass = { [compass] (report: @escaping @Sendable (Heading) -> Void) -> any HeadingSource in
            compass.report = report
            return compass
        }
        group = SourceGroup(eventLoop: loop, compass: makeCompass) { [told] event in
            let text =
                switch event {
                case .location(let location): "\(Int(location.coordinate.latitude))"
                case .heading(let heading): "heading \(Int(heading.trueHeading))"
                case .unavailable(let reason): reason.rawValue
                }
            told.withLockedValue { $0.append(text) }
        }
        group.configure(
            zip(["bow", "stern"], kinds).map { name, kind in
                SourceDefinition(name) { [self] report in
                    let source = Source(name, kind, report)
                    sources.append(source)
                    return source
                }
            })
        for source in sources { source.report(.connected) }
    }

    func demands(of source: Int) -> [LocationDemand] { sources[source].demands }
    func disconnect(_ source: Int) { sources[source].report(.disconnected) }
    func connect(_ source: Int) { sources[source].report(.connected) }

    /// Lets a receiver report a fix, dated now.
    func fix(_ source: Int, latitude: Double, accuracy: Double) {
        let time = Timestamp(nanosecondsSince1970: Int64(loop.now.uptimeNanoseconds) + 1_800_000_000_000_000_000)
        var location = Location(coordinate: Coordinate(latitude: latitude, longitude: 11)!, timestamp: time)
        location.horizontalAccuracy = accuracy
        let position = PositionReport(device: "/dev/gps0", mode: .threeDimensional, time: time, location: location)
        sources[source].report(.receiver(.position(position), clock: nil))
    }

    func heading(_ source: Int, _ degrees: Double) {
        let heading = Heading(trueHeading: degrees, timestamp: Timestamp(nanosecondsSince1970: 1))
        sources[source].report(.receiver(.heading(heading), clock: nil))
    }

    /// What was published since the last call.
    func published() -> [String] {
        told.withLockedValue { told in
            defer { told = [] }; return told
        }
    }

    func advance(_ time: TimeAmount) { loop.advanceTime(by: time) }
}

@Suite("Several sources", .timeLimit(.minutes(10)))
struct SourceGroupTests {
    @Test("one receiver is published, though the receivers of two sources have the same name")
    func oneReceiver() {
        let sources = TwoSources()
        sources.group.setDemand(.continuous)
        for _ in 0..<5 {
            sources.fix(0, latitude: 10, accuracy: 3)
            sources.fix(1, latitude: 20, accuracy: 3)
            sources.advance(.seconds(1))
        }
        #expect(Set(sources.published()) == ["10"])
        let statuses = sources.group.statuses
        #expect(statuses.map(\.endpoint) == ["bow", "stern"])
        #expect(statuses.map { $0.receivers.map(\.isCurrent) } == [[true], [false]])
    }

    @Test("the receiver of another source takes over when the first falls silent, and nothing is called unavailable")
    func takeover() {
        let sources = TwoSources()
        sources.group.setDemand(.continuous)
        for second in 0..<15 {
            if second < 5 { sources.fix(0, latitude: 10, accuracy: 3) }
            if second == 5 { sources.disconnect(0) }
            sources.fix(1, latitude: 20, accuracy: 3)
            sources.advance(.seconds(1))
        }
        let published = sources.published()
        #expect(published.first == "10")
        #expect(published.last == "20")
        #expect(Set(published) == ["10", "20"])
    }

    @Test("a location is unavailable once, when no source has one, and unreachable only if none is connected")
    func unavailable() {
        let sources = TwoSources()
        sources.group.setDemand(.continuous)
        sources.disconnect(0)
        sources.advance(.seconds(10))
        #expect(sources.published() == ["noReceiver"])
        sources.fix(1, latitude: 20, accuracy: 3)
        sources.advance(.seconds(1))
        #expect(sources.published() == ["20"])
        sources.disconnect(1)
        sources.advance(.seconds(10))
        #expect(sources.published() == ["notConnected"])
    }

    @Test("the demand reaches every source, each change once")
    func demand() {
        let sources = TwoSources()
        for demand in [LocationDemand.coarse, .coarse, .continuous, .off] { sources.group.setDemand(demand) }
        for source in 0...1 { #expect(sources.demands(of: source) == [.coarse, .continuous, .off]) }
    }

    @Test("a compass of one source is used beside the receiver of another, and not two compasses at once")
    func headings() {
        let sources = TwoSources()
        sources.group.setDemand(.continuous)
        sources.fix(0, latitude: 10, accuracy: 3)
        sources.advance(.seconds(1))
        _ = sources.published()
        sources.heading(1, 90)
        #expect(sources.published() == ["heading 90"])
        // The receiver that is published precedes a separate compass, but has another name here: none.
        sources.heading(0, 180)
        #expect(sources.published() == [])
    }

    @Test("a source that reports without end is limited and named")
    func limit() throws {
        let sources = TwoSources()
        sources.group.setDemand(.continuous)
        for _ in 0..<1000 {
            sources.fix(1, latitude: 20, accuracy: 3)
            sources.advance(.nanoseconds(100))
        }
        #expect(sources.published().count <= 201)
        #expect(sources.group.statuses[0].lastError == nil)
        #expect(sources.group.statuses[1].lastError == "stern reports more than 100 locations a second")
        sources.connect(1)
        #expect(sources.group.statuses[1].lastError == nil)
    }

    @Test("the compass is used while a heading is needed that no receiver has given for 3.5 seconds")
    func compass() {
        let sources = TwoSources()
        let (group, compass) = (sources.group, sources.compass)
        group.setHeadingNeeded(true)
        sources.advance(.seconds(5))
        #expect(!compass.isNeeded)
        group.setDemand(.continuous)
        sources.advance(.milliseconds(3400))
        #expect(!compass.isNeeded && group.compassProblem == nil)
        sources.advance(.milliseconds(100))
        #expect(compass.isNeeded && group.compassProblem == "It is broken.")
        sources.fix(0, latitude: 10, accuracy: 3)
        sources.advance(.seconds(1))
        #expect(compass.location?.coordinate.latitude == 10)
        _ = sources.published()
        compass.report(Heading(trueHeading: 42, timestamp: Timestamp(nanosecondsSince1970: 1)))
        #expect(sources.published() == ["heading 42"])
        sources.heading(0, 7)
        #expect(sources.published() == ["heading 7"])
        #expect(!compass.isNeeded)
        sources.advance(.milliseconds(3400))
        #expect(!compass.isNeeded)
        sources.advance(.milliseconds(100))
        #expect(compass.isNeeded)
        group.setHeadingNeeded(false)
        #expect(!compass.isNeeded && compass.location != nil)
        group.setDemand(.off)
        #expect(compass.location == nil)
        #expect(group.statuses.count == 2 && group.availableKinds == [.receiver])
    }

    @Test("nothing is published after the shutdown")
    func shutdown() {
        let sources = TwoSources()
        sources.group.setDemand(.continuous)
        sources.group.shutdown()
        sources.fix(0, latitude: 10, accuracy: 3)
        sources.advance(.seconds(10))
        #expect(sources.published() == [])
    }

    @Test(
        "a receiver waits for Wi-Fi when coarse locations are needed again, and continues when a higher need falls to that"
    )
    func patience() {
        let sources = TwoSources([.receiver, .wifi])
        sources.group.setDemand(.coarse)
        #expect(sources.demands(of: 0) == [] && sources.demands(of: 1) == [.coarse])
        sources.group.setDemand(.continuous)
        sources.advance(.seconds(1))
        sources.group.setDemand(.coarse)
        sources.advance(.seconds(1))
        #expect(sources.demands(of: 0) == [.continuous, .coarse])
    }
}
