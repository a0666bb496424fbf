import LocationModel
import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import Testing

@testable import LocationSources

/// A group of a receiver, Wi-Fi and a fixed position, as the test needs, on a clock that stands until it is turned.
private final class Machine {
    final class Source: LocationSource, @unchecked Sendable {
        let kind: Location.SourceInformation.Kind
        let report: @Sendable (SourceReport) -> Void
        private(set) var demands: [LocationDemand] = []
        private(set) var isShutDown = false
        private(set) var forgotten = 0
        var demand: LocationDemand { demands.last ?? .off }

        init(_ kind: Location.SourceInformation.Kind, _ report: @escaping @Sendable (SourceReport) -> Void) {
            (self.kind, self.report) = (kind, report)
        }

        func setDemand(_ demand: LocationDemand) { demands.append(demand) }
        func forget() { forgotten += 1 }
        var status: SourceStatus { SourceStatus(kind: kind, connection: .connected, endpoint: kind.rawValue) }
        func shutdown() { isShutDown = true }
    }

    let loop = EmbeddedEventLoop()
    let group: SourceGroup
    private(set) var sources: [Location.SourceInformation.Kind: Source] = [:]
    private(set) var made = 0
    private let told = NIOLockedValueBox<[String]>([])

    init(_ kinds: Location.SourceInformation.Kind...) {
        group = SourceGroup(eventLoop: loop, wallClock: { [loop] in Self.time(loop.now) }) { [told] event in
            let text =
                switch event {
                case .location(let location): location.sourceInformation?.kind?.rawValue ?? "?"
                case .heading: "heading"
                case .unavailable(let reason): reason.rawValue
                }
            told.withLockedValue { $0.append(text) }
        }
        configure(kinds)
    }

    private static func time(_ now: NIODeadline) -> Timestamp {
        Timestamp(nanosecondsSince1970: 1_800_000_000_000_000_000 + Int64(now.uptimeNanoseconds))
    }

    @discardableResult
    func configure(_ kinds: [Location.SourceInformation.Kind]) -> Bool {
        group.configure(
            kinds.map { kind in
                SourceDefinition(kind) { [self] report in
                    made += 1
                    let source = Source(kind, report)
                    sources[kind] = source
                    return source
                }
            })
    }

    func demand(_ kind: Location.SourceInformation.Kind) -> LocationDemand? { sources[kind]?.demand }

    /// Lets a source report a location, dated now.
    func report(_ kind: Location.SourceInformation.Kind) {
        let time = Self.time(loop.now)
        var location = Location(coordinate: Coordinate(latitude: 48, longitude: 11), timestamp: time)
        location.horizontalAccuracy = kind == .receiver ? 5 : 50
        location.sourceInformation = .init(kind: kind)
        switch kind {
        case .receiver, .modem:
            let position = PositionReport(device: "/dev/a", mode: .threeDimensional, time: time, location: location)
            sources[kind]?.report(.receiver(.position(position), clock: nil))
        case .wifi: sources[kind]?.report(.location(location, freshFor: .seconds(90)))
        case .fixed, .unknown: sources[kind]?.report(.location(location, freshFor: nil))
        }
    }

    /// What was published since the last call.
    func published() -> [String] {
        told.withLockedValue { told in
            defer { told = [] }; return told
        }
    }

    func advance(_ seconds: Int64) { loop.advanceTime(by: .seconds(seconds)) }
}

@Suite("Sources of several kinds", .timeLimit(.minutes(10)))
struct SourceKindsTests {
    @Test("a positioning server is not queried while a receiver has a fix, or may have one shortly")
    func serverIsSpared() {
        let machine = Machine(.receiver, .wifi)
        machine.group.setDemand(.continuous)
        machine.sources[.receiver]?.report(.connected)
        #expect(machine.demand(.wifi) == .off)
        machine.report(.receiver)
        machine.advance(2)
        #expect(machine.demand(.wifi) == .off)
        machine.advance(3)
        #expect(machine.published() == ["receiver", "silent"])
        #expect(machine.demand(.wifi) == .continuous, "the receiver was lost")
        machine.report(.receiver)
        machine.advance(1)
        #expect(machine.demand(.wifi) == .off)
    }

    @Test("approximate clients start no receiver while something cheaper is fresh")
    func coarseDemand() {
        let machine = Machine(.receiver, .wifi)
        machine.group.setDemand(.coarse)
        #expect(machine.demand(.wifi) == .coarse)
        #expect(machine.demand(.receiver) == .off, "Wi-Fi has ten seconds")
        machine.report(.wifi)
        machine.advance(20)
        #expect(machine.demand(.receiver) == .off)
        machine.advance(80)
        #expect(machine.demand(.receiver) == .coarse, "Wi-Fi's location is stale")
        machine.report(.wifi)
        #expect(machine.demand(.receiver) == .off)
        machine.group.setDemand(.continuous)
        #expect(machine.demand(.receiver) == .continuous)
    }

    @Test("without Wi-Fi and a fixed position, approximate clients start the receiver at once")
    func coarseReceiver() {
        let machine = Machine(.receiver)
        machine.group.setDemand(.coarse)
        #expect(machine.demand(.receiver) == .coarse)
    }

    @Test("without any source that is the reason, and without an answer of Wi-Fi that is")
    func reasons() {
        let none = Machine()
        none.group.setDemand(.continuous)
        none.advance(2)
        #expect(none.published() == ["noSource"])
        let wifi = Machine(.wifi)
        wifi.group.setDemand(.continuous)
        wifi.advance(2)
        #expect(wifi.published() == ["notLocated"])
    }

    @Test("a change of the configuration keeps the unchanged sources, and ends the locations of the removed ones")
    func reconfiguration() {
        let machine = Machine(.receiver, .fixed)
        machine.group.setDemand(.continuous)
        machine.report(.fixed)
        machine.advance(1)
        machine.report(.receiver)
        machine.advance(1)
        #expect(machine.published() == ["fixed", "receiver"])
        #expect(!machine.configure([.receiver, .fixed]))
        #expect(machine.made == 2)
        let receiver = machine.sources[.receiver]
        #expect(machine.configure([.fixed, .wifi]))
        #expect(receiver?.isShutDown == true)
        #expect(machine.made == 3)
        machine.report(.receiver)
        machine.advance(11)
        #expect(machine.published() == ["notLocated", "fixed"], "what was shut down is not heard any more")
        #expect(machine.configure([]))
        machine.advance(2)
        #expect(machine.published() == ["noSource"])
    }

    @Test("the status names the source whose location is published, with its age and radius")
    func status() {
        let machine = Machine(.receiver, .fixed)
        machine.group.setDemand(.continuous)
        machine.report(.fixed)
        machine.advance(1)
        var statuses = machine.group.statuses
        #expect(statuses.map(\.isCurrent) == [false, true])
        #expect(statuses[1].radius == 50 && statuses[1].age == .seconds(1))
        machine.report(.receiver)
        machine.advance(1)
        statuses = machine.group.statuses
        #expect(statuses.map(\.isCurrent) == [true, false])
        #expect(statuses[0].radius == 5)
    }

    @Test("a command to forget reaches every source")
    func forgetting() {
        let machine = Machine(.receiver, .wifi)
        machine.group.forget()
        #expect(machine.sources.values.map(\.forgotten) == [1, 1])
    }
}
