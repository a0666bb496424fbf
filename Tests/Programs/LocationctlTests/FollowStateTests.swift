import CommandLineSupport
import LocationClient
import LocationInterface
import LocationModel
import Testing

@testable import locationctl

@Suite(.timeLimit(.minutes(10))) struct FollowStateTests {
    private func following(_ mode: UserTracking.Mode = .follow) -> Journey {
        var journey = Journey(mode: mode)
        _ = journey.go(from: .park, seconds: 3, speed: 1.4, towards: 90)
        return journey
    }

    private func status(_ journey: Journey) -> String { StatusLine.of(journey.state, at: journey.now).text }

    @Test("a doubtful receiver is named in place of the fix, until it is trusted again")
    func doubt() {
        var journey = following()
        journey.state.receiver = .init(isCurrent: true, mode: .fix3D)
        journey.state.receiver?.doubts = [.init(sign: .jump, message: "Its position jumped by 1000 m in 1 s.", age: 1)]
        #expect(status(journey) == "Doubtful. Its position jumped by 1000 m in 1 s.")
        journey.state.receiver?.doubts = nil
        #expect(status(journey).hasPrefix("Fix now"))
    }

    @Test(
        "the trail and its length continue, whatever the receiver's clock says",
        arguments: [-30, -619_315_200, 599_594_400, 0] as [Int64])
    func clockSteps(step: Int64) {
        var journey = Journey()
        let plane = TangentPlane(at: .park)
        for second in 0..<60 {
            let later = second < 20 ? 0 : second < 40 ? step : step == 0 ? 0 : Int64(second)
            journey.frame(
                .test(
                    at: plane.coordinate(at: Metres(east: Double(second) * 2, north: 0)), accuracy: 3,
                    timestamp: Timestamp(secondsSince1970: 1_795_000_000 + later)))
            journey.wait(.seconds(1))
        }
        #expect(journey.state.trail.points.count { $0.isFirst } == 1)
        #expect(journey.state.trail.points.count > 50)
        #expect((112...118).contains(journey.state.trail.distance))
    }

    @Test(
        "a receiver that is elsewhere for a second adds no way there and back, at any rate of frames",
        arguments: [1, 10, 60])
    func spike(rate: Int) {
        var journey = Journey()
        let plane = TangentPlane(at: .park)
        for number in 0..<(60 * rate) {
            let second = Double(number) / Double(rate)
            let isElsewhere = (30..<31).contains(second)
            var frame = TrackingFrame.test(
                at: plane.coordinate(at: Metres(east: second * 2, north: isElsewhere ? 5000 : 0)), accuracy: 3)
            frame.speed = 2
            journey.frame(frame)
            journey.wait(.seconds(1 / Double(rate)))
        }
        // The ways to and from that second are unknown.
        #expect((104...118).contains(journey.state.trail.distance), "\(journey.state.trail.distance)")
    }

    @Test func buttonAndPan() {
        var journey = following()
        journey.press("f")
        #expect(journey.state.tracking.mode == .none)
        journey.press("f")
        #expect(journey.state.tracking.mode == .follow)
        #expect(journey.state.camera?.centre == journey.state.frame?.coordinate)
        for key in [Key.up, .down, .left, .right] {
            var journey = journey
            journey.press(key)
            #expect(journey.state.tracking.mode == .none)
            #expect(journey.state.camera?.centre != journey.state.frame?.coordinate)
            #expect(journey.state.notice?.text == "You moved the map; f follows again.")
        }
    }

    @Test func panFollowsScreenDirection() throws {
        var journey = following(.followWithCourse)
        #expect(journey.state.camera?.bearing == 90)
        let place = try #require(journey.state.frame?.coordinate)
        journey.press(.up)
        // To the east is up; and the map stays as it is turned.
        let centre = try #require(journey.state.camera?.centre)
        #expect(centre.longitude > place.longitude)
        #expect(abs(centre.latitude - place.latitude) < 1e-6)
        #expect(journey.state.camera?.bearing == 90)
        // Frames move the user now, not the map.
        _ = journey.go(from: place, seconds: 3, speed: 1.4, towards: 90)
        #expect(journey.state.camera?.centre == centre)
        journey.press("n")
        #expect(journey.state.camera?.bearing == 0)
        #expect(journey.state.tracking.mode == .none)
    }

    @Test func courseUpAndNorthUp() {
        var journey = following()
        journey.press("c")
        #expect(journey.state.tracking.mode == .followWithCourse)
        #expect(journey.state.camera?.bearing == 90)
        journey.press("n")
        #expect(journey.state.tracking.mode == .follow)
        #expect(journey.state.camera?.bearing == 0)
    }

    @Test func zoomKeepsTheMode() throws {
        for mode in [UserTracking.Mode.none, .follow, .followWithCourse] {
            var journey = following(mode)
            let span = try #require(journey.state.camera?.span)
            journey.press("++")
            #expect(abs(try #require(journey.state.camera?.span) - span / 2) < 1e-6)
            // It stays as it was zoomed, until it is to be left alone again.
            _ = journey.go(from: .park, seconds: 3, speed: 1.4, towards: 90)
            #expect(abs(try #require(journey.state.camera?.span) - span / 2) < 1e-6)
            journey.press("---")
            #expect(try #require(journey.state.camera?.span) > span)
            journey.press("0")
            #expect(try #require(journey.state.camera?.span) == span)
            #expect(journey.state.tracking.mode == mode)
            for _ in 0..<100 { journey.press("+") }
            #expect(try #require(journey.state.camera?.span) == 10)
            for _ in 0..<100 { journey.press("-") }
            #expect(try #require(journey.state.camera?.span) == 1e6)
        }
    }

    @Test func keysBeforeThereIsAnything() {
        var journey = Journey()
        for key in "fcn+-0?xX!q".unicodeScalars { journey.press(.character(key)) }
        for key in [Key.up, .down, .left, .right] { journey.press(key) }
        #expect(journey.state.camera == nil)
        #expect(journey.press(.character("q")) == .quit)
        #expect(journey.press(.character("r")) == .toggleRecording)
        #expect(journey.press(.character("Q")) == nil)
    }

    @Test func headingUpStartsWithFirstHeading() {
        var journey = Journey(mode: .followWithHeading)
        var frame = TrackingFrame.test()
        frame.heading = 30
        journey.frame(frame)
        #expect(journey.state.tracking.mode == .followWithHeading)
        #expect(journey.state.camera?.bearing == 30)
        // A little trembling of the compass turns nothing.
        frame.heading = 31
        journey.frame(frame)
        #expect(journey.state.camera?.bearing == 30)
        frame.heading = nil
        journey.frame(frame)
        #expect(journey.state.tracking.mode == .follow)
        #expect(journey.state.camera?.bearing == 0)
        #expect(journey.state.notice?.text == "No heading any more: north is up.")
    }

    @Test func noticesGo() {
        var journey = following()
        journey.press("f")
        journey.wait(.seconds(5))
        #expect(journey.state.notice != nil)
        journey.wait(.seconds(1))
        #expect(journey.state.notice == nil)
    }

    @Test func whatIsSaidInTheLine() {
        var journey = Journey()
        #expect(status(journey) == "Waiting for the location service.")
        journey.receive(.locationUnavailable)
        journey.wait(.seconds(75))
        #expect(status(journey) == "No fix yet. Waiting for one (1:15).")
        var frame = TrackingFrame.test()
        journey.frame(frame)
        #expect(status(journey) == "Fix now.")
        frame.isPredicted = true
        frame.age = .seconds(0.9)
        journey.frame(frame)
        #expect(status(journey) == "Fix now, predicted in between.")
        frame.age = .seconds(2.5)
        journey.frame(frame)
        #expect(status(journey) == "Fix 2 s ago, predicted since then.")
        // Frames that stop coming do not make a fix newer.
        journey.wait(.seconds(10))
        #expect(status(journey) == "Fix 12 s ago.")
        journey.receive(.locationUnavailable)
        journey.wait(.seconds(4))
        #expect(status(journey) == "No fix for 0:04; this is where you were.")
        journey.receive(.insufficientlyInUse)
        #expect(status(journey) == "This program may use your location only while it is in use.")
        journey.receive(.accuracyLimited)
        #expect(status(journey) == "This program receives only your approximate location.")
        journey.frame(.test(accuracy: 3500, span: 20_000))
        #expect(status(journey) == "This program receives only your approximate location.")
        journey.frame(.test())
        #expect(status(journey) == "Fix now.")
        journey.loseService()
        journey.wait(.seconds(2))
        #expect(status(journey) == "The location service has stopped. Waiting for it (0:02).")
    }

    @Test func roughPlacesAreNoTrail() {
        var journey = following()
        let before = journey.state.trail
        journey.receive(.accuracyLimited)
        for longitude in [13.4, 13.5, 13.6] {
            journey.wait(.seconds(900))
            journey.frame(.test(at: Coordinate(latitude: 52.5, longitude: longitude)!, accuracy: 3500, span: 20_000))
        }
        #expect(journey.state.trail.distance == before.distance)
        #expect(journey.state.trail.points == before.points)
        #expect(journey.state.isReduced)
    }
}
