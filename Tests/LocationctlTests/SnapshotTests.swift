import LocationClient
import LocationInterface
import LocationModel
import Testing

@testable import locationctl

@Suite struct SnapshotTests {
    /// A minute one way, then less exactly another.
    static func walk(mode: UserTracking.Mode = .follow) -> Journey {
        var journey = Journey(mode: mode)
        let corner = journey.go(from: .park, seconds: 60, speed: 1.4, towards: 68)
        _ = journey.go(from: corner, seconds: 40, speed: 1.4, towards: 150, accuracy: 12)
        journey.state.satellites = .init(used: 9, seen: 11)
        return journey
    }

    @Test func look() {
        print("@northUp"); print(Self.walk().text(80, 24))
        print("@ascii"); print(Self.walk().text(64, 20, .ascii))
        print("@large"); print(Self.walk(mode: .followWithCourse).text(112, 30))
        print("@small"); print(Self.walk(mode: .followWithCourse).text(40, 12))
        print("@tiny"); print(Self.walk().text(24, 7))
        var panned = Self.walk()
        panned.press(.left)
        panned.press(.left)
        panned.press(.left)
        panned.press("?")
        print("@panned"); print(panned.text(80, 20))
        var lost = Self.walk()
        lost.tell(.locationUnavailable)
        lost.wait(.seconds(12))
        print("@lost"); print(lost.text(64, 16))
        var reduced = Journey()
        reduced.tell(.accuracyLimited)
        reduced.frame(.test(accuracy: 3500, span: 12_000))
        print("@reduced"); print(reduced.text(72, 20))
    }
}
