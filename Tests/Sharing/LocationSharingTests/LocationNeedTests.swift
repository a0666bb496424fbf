import LocationModel
import Testing

@testable import LocationSharing

@Suite("The locations that shares need from the service", .timeLimit(.minutes(10)))
struct LocationNeedTests {
    private static let start = Timestamp(secondsSince1970: 1_800_000_000)

    private static func need(
        _ service: SharingService, _ accuracy: AccuracyAuthorization = .full, thinning: Thinning? = nil,
        arrival: Arrival? = nil
    ) -> LocationNeed {
        var machine = ShareMachine(ShareState(), gridKey: [], service: service)
        var share = Share(started: start, until: nil, accuracy: accuracy, thinning: thinning)
        share.arrival = arrival
        _ = machine.configure(share, ShareMachine.Moment(wall: start))
        return machine.need
    }

    @Test(
        "a service that keeps times needs the track as it is thinned, and Home Assistant one position every ten seconds"
    )
    func services() {
        #expect(Self.need(.traccar) == .track(Thinning()))
        let coarse = Thinning(maximumError: 50, maximumInterval: 300)
        #expect(Self.need(.dawarich, thinning: coarse) == .track(coarse))
        #expect(Self.need(.homeassistant) == .newest(every: .seconds(10)))
    }

    @Test("a share that ends at a place, or is approximate, needs each location")
    func each() {
        let place = Coordinate(latitude: 47, longitude: 9)!
        #expect(Self.need(.traccar, arrival: Arrival(name: "home", center: place, radius: 100)) == .all)
        #expect(Self.need(.homeassistant, .reduced) == .all)
    }

    @Test("several shares need what they have in common, and otherwise each location")
    func several() {
        let track = LocationNeed.track(Thinning())
        #expect(LocationNeed(of: []) == nil)
        #expect(LocationNeed(of: [track, track]) == track)
        #expect(LocationNeed(of: [track, .newest(every: .seconds(10))]) == .all)
        #expect(LocationNeed(of: [track, .track(Thinning(maximumError: 50))]) == .all)
    }
}
