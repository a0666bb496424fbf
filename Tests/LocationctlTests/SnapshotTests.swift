import LocationClient
import LocationModel
import Testing

@testable import locationctl

@Suite struct SnapshotTests {
    @Test func look() {
        var journey = Journey()
        print(journey.text(80, 24))
        let corner = journey.go(from: .park, seconds: 60, speed: 1.4, towards: 68)
        _ = journey.go(from: corner, seconds: 40, speed: 1.4, towards: 150, accuracy: 12)
        journey.state.satellites = .init(used: 9, seen: 11)
        print(journey.text(80, 24))
        print(journey.text(80, 24, .ascii))
        print(journey.text(120, 40))
        print(journey.text(40, 12))
        print(journey.text(24, 7))
        journey.press("c?")
        print(journey.text(80, 24))
        print(journey.text(40, 12))
    }
}
