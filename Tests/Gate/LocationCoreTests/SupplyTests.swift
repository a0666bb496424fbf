import LocationModel
import LocationSources
import NIOCore
import Testing

@testable import LocationCore

@Suite("Supply of locations", .timeLimit(.minutes(10)))
struct SupplyTests {
    private enum Event {
        case demand(LocationDemand, isFresh: Bool)
        case location(Double)
        case heading
        case unavailable(UnavailableReason)
    }

    private static let time = NIODeadline.uptimeNanoseconds(1_000_000_000)

    private static func perform(_ event: Event, _ supply: inout Supply) -> [String] {
        let actions =
            switch event {
            case .demand(let demand, let isFresh): supply.setDemand(demand, isFresh: isFresh)
            case .location(let latitude):
                supply.receive(
                    .location(
                        Location(
                            coordinate: Coordinate(latitude: latitude, longitude: 11)!,
                            timestamp: Timestamp(nanosecondsSince1970: 1))), at: time, problem: nil)
            case .heading:
                supply.receive(
                    .heading(Heading(trueHeading: 90, timestamp: Timestamp(nanosecondsSince1970: 1))), at: time,
                    problem: nil)
            case .unavailable(let reason): supply.receive(.unavailable(reason), at: time, problem: "The cable is out.")
            }
        return actions.map { action in
            switch action {
            case .publish(let publication):
                "publish \(Int(publication.location.coordinate.latitude))#\(publication.number)"
            case .publishHeading(let heading): "heading \(Int(heading.heading.trueHeading))"
            case .publishUnavailability(let cause): "\(cause.reason)"
            case .announceLocation: "announce"
            case .resetMotion: "reset"
            case .setDemand(let demand): "demand \(demand)"
            }
        }
    }

    private typealias Row = (event: Event, actions: [String], hasLocation: Bool)

    private func check(_ rows: [Row], _ comment: Comment) {
        var supply = Supply()
        for (number, row) in rows.enumerated() {
            #expect(Self.perform(row.event, &supply) == row.actions, "\(comment), event \(number)")
            #expect((supply.newest != nil) == row.hasLocation, "\(comment), event \(number)")
            #expect(supply.newest == nil || supply.unavailability == nil, "\(comment), event \(number)")
        }
    }

    @Test("the first location is announced, each has the next number, and the reason for a missing one is reported")
    func locations() {
        check(
            [
                (.demand(.continuous, isFresh: false), ["demand continuous"], false),
                (.location(1), ["announce", "publish 1#1"], true),
                (.location(2), ["publish 2#2"], true),
                (.heading, ["heading 90"], true),
                (.unavailable(.noFix), ["noFix"], false),
                (.unavailable(.noReceiver), ["noReceiver"], false),
                (.location(3), ["announce", "publish 3#3"], true),
            ], "a day")
    }

    @Test("locations after the end of the need are ignored")
    func late() {
        check(
            [
                (.location(1), [], false),
                (.demand(.coarse, isFresh: false), ["demand coarse"], false),
                (.location(1), ["announce", "publish 1#1"], true),
                (.demand(.off, isFresh: true), ["reset", "demand off"], true),
                (.location(2), [], true), (.heading, [], true), (.unavailable(.noFix), [], true),
            ], "late events")
    }

    @Test("a location from before a pause is kept only while it is fresh")
    func pause() {
        for isFresh in [true, false] {
            check(
                [
                    (.demand(.continuous, isFresh: false), ["demand continuous"], false),
                    (.location(1), ["announce", "publish 1#1"], true),
                    (.demand(.off, isFresh: true), ["reset", "demand off"], true),
                    (.demand(.continuous, isFresh: isFresh), ["demand continuous"], isFresh),
                    (.location(2), (isFresh ? [] : ["announce"]) + ["publish 2#2"], true),
                ], "fresh: \(isFresh)")
        }
    }

    @Test("a need that changes keeps the location, and is reported once")
    func levels() {
        check(
            [
                (.demand(.coarse, isFresh: false), ["demand coarse"], false),
                (.location(1), ["announce", "publish 1#1"], true),
                (.demand(.continuous, isFresh: false), ["demand continuous"], true),
                (.demand(.continuous, isFresh: false), [], true),
            ], "levels")
    }

    @Test("the fixed position is dated again for later clients, and a fix from before it is not published")
    func fixedPosition() {
        let start = Timestamp(nanosecondsSince1970: 1_800_000_000_000_000_000)
        func event(_ kind: Location.SourceInformation.Kind, _ seconds: Double) -> SourceEvent {
            var location = Location(
                coordinate: Coordinate(latitude: 48, longitude: 11), timestamp: start.advanced(by: .seconds(seconds)))
            location.sourceInformation = .init(kind: kind)
            return .location(location)
        }
        var supply = Supply()
        let now = NIODeadline.uptimeNanoseconds(1_000_000_000)
        _ = supply.setDemand(.continuous, isFresh: false)
        _ = supply.receive(event(.fixed, 0), at: now, problem: nil)
        let first = supply.newest
        supply.redate(at: now + .milliseconds(500)) { start.advanced(by: .seconds(0.5)) }
        #expect(supply.newest === first, "all who ask within a second get the same")
        supply.redate(at: now + .hours(1)) { start.advanced(by: .seconds(3600)) }
        #expect(supply.newest?.location.timestamp == start.advanced(by: .seconds(3600)))
        #expect(supply.newest?.number == first?.number, "it is the same report")
        #expect(supply.receive(event(.receiver, 3599.5), at: now + .hours(1), problem: nil).isEmpty)
        #expect(supply.receive(event(.receiver, 3600.5), at: now + .hours(1), problem: nil).count == 1)
        supply.redate(at: now + .hours(2)) { start }
        #expect(
            supply.newest?.location.timestamp == start.advanced(by: .seconds(3600.5)), "a receiver's keeps its time")
    }
}
