import LocationInterface
import LocationModel
import Testing

@testable import LocationClient
@testable import Varlink

/// What waits for a program that takes updates slowly.
@Suite("The newest position", .timeLimit(.minutes(10))) struct NewestPositionTests {
    typealias Reply = LocationInterface.Subscribe.Reply

    private func location(_ number: Int, skipped: Int? = nil) -> Reply {
        let coordinate = Coordinate(latitude: Double(number) / 10, longitude: 0)!
        let time = Timestamp("2026-11-21T08:30:00Z")!
        return Reply(location: Location(coordinate: coordinate, timestamp: time), skipped: skipped)
    }

    private func diagnostic(_ diagnostic: LocationDiagnostic) -> Reply { Reply(diagnostic: diagnostic) }

    /// What waits after these replies and the error that ends the stream. In words: `5` or `5 after 2` for a location, or
    /// the name of a diagnostic.
    private func kept(_ replies: [Reply], error: VarlinkError? = nil) -> [String] {
        var waiting: [Reply] = []
        for reply in replies { NewestPosition.keep(&waiting, .success(reply)) }
        if let error { NewestPosition.keep(&waiting, .failure(error)) }
        return waiting.map { reply in
            let skipped = reply.skipped.map { " after \($0)" } ?? ""
            if let location = reply.location {
                return "\(Int((location.coordinate.latitude * 10).rounded()))\(skipped)"
            }
            return (reply.heading == nil ? "\(reply.diagnostic?.rawValue ?? "nothing")" : "heading") + skipped
        }
    }

    @Test("only the newest location waits, with the number of those dropped here and by the service")
    func newest() {
        #expect(kept([location(1)]) == ["1"])
        #expect(kept((1...81).map { location($0) }) == ["81 after 80"])
        #expect(kept([location(1, skipped: 3), location(2), location(9, skipped: 6)]) == ["9 after 11"])
    }

    @Test("no diagnostic is dropped, and each stays in its place")
    func diagnostics() {
        let unavailable = diagnostic(.locationUnavailable)
        #expect(
            kept([location(1), unavailable, location(2), unavailable, location(3)]) == [
                "locationUnavailable", "locationUnavailable", "3 after 2",
            ])
        #expect(kept([location(1), unavailable]) == ["1", "locationUnavailable"], "the last one is still the newest")
        #expect(kept([location(1), diagnostic(.stationary)]) == ["1", "stationary"])
    }

    @Test(
        "after a change of authorization a program receives nothing from before",
        arguments: [
            LocationDiagnostic.authorizationDenied, .authorizationRestricted, .insufficientlyInUse, .accuracyLimited,
        ])
    func change(change: LocationDiagnostic) {
        #expect(kept([location(1), location(2), diagnostic(change)]) == ["\(change.rawValue) after 2"])
        #expect(kept([location(1), diagnostic(change), location(2)]) == ["\(change.rawValue) after 1", "2"])
    }

    @Test("an error ends the stream without the positions before it, and with the diagnostics")
    func error() {
        let replies = [location(1), diagnostic(.locationUnavailable), location(2)]
        #expect(
            kept(replies, error: VarlinkError(name: "org.locationd.Authorization.NotAuthorized")) == [
                "locationUnavailable"
            ])
        let stopping = VarlinkError(name: LocationInterface.ServiceStopping.name)
        #expect(kept(replies, error: stopping) == ["locationUnavailable", "2 after 1"])
    }

    @Test("headings are replaced by newer headings only")
    func headings() {
        let heading = Reply(heading: Heading(trueHeading: 90, timestamp: Timestamp("2026-11-21T08:30:00Z")!))
        #expect(kept([heading, location(1), heading, location(2), heading]) == ["2 after 1", "heading"])
    }

    @Test("frames are replaced by newer frames, as locations are")
    func frames() {
        let frame = TrackingFrame(
            coordinate: Coordinate(latitude: 1, longitude: 2)!, horizontalAccuracy: 5, span: 20,
            timestamp: Timestamp("2026-11-21T08:30:00Z")!)
        var waiting: [LocationInterface.Follow.Reply] = []
        for _ in 0..<20 { NewestPosition.keep(&waiting, .success(LocationInterface.Follow.Reply(frame: frame))) }
        #expect(waiting.count == 1)
        #expect(waiting.first?.skipped == 19)
        NewestPosition.keep(&waiting, .success(LocationInterface.Follow.Reply(diagnostic: .authorizationDenied)))
        #expect(waiting.map(\.diagnostic) == [.authorizationDenied])
        #expect(waiting.first?.skipped == 20)
    }
}
