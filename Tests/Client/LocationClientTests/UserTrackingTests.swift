import LocationInterface
import LocationModel
import Testing

@testable import LocationClient

@Suite("User tracking", .timeLimit(.minutes(10)))
struct UserTrackingTests {
    private typealias Mode = UserTracking.Mode
    private typealias Gesture = UserTracking.Gesture

    private func frame(heading: Double? = nil, bearing: Double? = nil) -> TrackingFrame {
        var frame = TrackingFrame(
            coordinate: Coordinate(latitude: 48, longitude: 11), horizontalAccuracy: 5, span: 200,
            timestamp: Timestamp(nanosecondsSince1970: 0))
        (frame.heading, frame.bearing) = (heading, bearing)
        return frame
    }

    private func update(heading: Double? = nil) -> FollowUpdate { FollowUpdate(.init(frame: frame(heading: heading))) }

    private func update(_ diagnostic: LocationInterface.Diagnostic) -> FollowUpdate {
        FollowUpdate(.init(diagnostic: diagnostic))
    }

    /// Tracking in a mode, with a compass or without.
    private func tracking(_ mode: Mode, compass: Bool) -> UserTracking {
        var tracking = UserTracking()
        _ = tracking.receive(update(heading: compass ? 90 : nil))
        _ = tracking.select(mode)
        #expect(tracking.mode == mode)
        return tracking
    }

    /// Every gesture in every mode: what it becomes with a compass and without.
    @Test(
        arguments: [
            (Mode.none, Gesture.pan, Mode.none, Mode.none),
            (.none, .zoom, .none, Mode.none),
            (.none, .rotate, .none, Mode.none),
            (.none, .button, .follow, .follow),
            (.follow, .pan, .none, Mode.none),
            (.follow, .zoom, .follow, .follow),
            (.follow, .rotate, .follow, .follow),
            (.follow, .button, .followWithHeading, Mode.none),
            (.followWithHeading, .pan, .none, nil),
            (.followWithHeading, .zoom, .followWithHeading, nil),
            (.followWithHeading, .rotate, .follow, nil),
            (.followWithHeading, .button, .none, nil),
            (.followWithCourse, .pan, .none, Mode.none),
            (.followWithCourse, .zoom, .followWithCourse, .followWithCourse),
            (.followWithCourse, .rotate, .follow, .follow),
            (.followWithCourse, .button, .none, Mode.none),
        ] as [(Mode, Gesture, Mode, Mode?)])
    private func gestures(mode: Mode, gesture: Gesture, withCompass: Mode, without: Mode?) {
        for (compass, expected) in [(true, withCompass), (false, without)] {
            guard let expected else { continue }
            var tracking = tracking(mode, compass: compass)
            let change = UserTracking.Event.modeChanged(from: mode, to: expected, reason: .gesture(gesture))
            #expect(tracking.receive(gesture) == (mode == expected ? [] : [change]))
            #expect(tracking.mode == expected)
        }
    }

    @Test func everyCaseIsInTheTable() {
        #expect(Mode.allCases.count * Gesture.allCases.count == 16)
    }

    @Test func losingHeadingFallsBackToFollow() {
        var tracking = tracking(.followWithHeading, compass: true)
        #expect(tracking.receive(update(heading: 91)) == [])
        #expect(
            tracking.receive(update(heading: nil))
                == [.modeChanged(from: .followWithHeading, to: .follow, reason: .headingLost)])
        // And it stays, even when the compass is back: the map does not turn by itself.
        #expect(tracking.receive(update(heading: 91)) == [])
        #expect(tracking.mode == .follow)
    }

    @Test(arguments: Mode.allCases)
    private func losingLocationKeepsModeAndReportsIt(mode: Mode) {
        var tracking = tracking(mode, compass: true)
        #expect(tracking.receive(update(.locationUnavailable)) == [.locationLost])
        #expect(tracking.receive(update(.insufficientlyInUse)) == [], "once")
        #expect(tracking.receive(.connectionLost) == [])
        #expect(tracking.mode == mode)
        #expect(tracking.receive(update(heading: 90)) == [.locationFound])
        #expect(tracking.mode == mode)
    }

    @Test func whatIsKnownRoughlyIsKnown() {
        var tracking = tracking(.follow, compass: false)
        #expect(tracking.receive(update(.accuracyLimited)) == [])
        #expect(tracking.isLocationAvailable)
    }

    @Test func headingModeWaitsForTheFirstHeading() {
        var tracking = UserTracking(mode: .followWithHeading)
        #expect(tracking.mode == .followWithHeading)
        #expect(tracking.receive(update()) == [.locationFound], "a receiver is often faster than a compass")
        #expect(tracking.mode == .followWithHeading)
        #expect(tracking.mapBearing(for: frame()) == 0, "as with follow")
        #expect(tracking.mapBearing(for: frame(bearing: 12.5)) == 12.5, "the course until then")
        #expect(tracking.receive(update(heading: 90)) == [])
        #expect(tracking.mapBearing(for: frame(heading: 90)) == 90)
        #expect(tracking.select(.followWithHeading) == [])
    }

    @Test func headingModeOutlastsALostLocation() {
        var tracking = tracking(.followWithHeading, compass: true)
        #expect(tracking.receive(.connectionLost) == [.locationLost])
        #expect(!tracking.isHeadingAvailable)
        #expect(tracking.receive(update()) == [.locationFound])
        #expect(tracking.receive(update(heading: 90)) == [])
        #expect(tracking.mode == .followWithHeading)
    }

    @Test(arguments: [
        (Mode.none, 0.0), (.follow, 0), (.followWithHeading, 271.5), (.followWithCourse, 12.5),
    ])
    private func up(mode: Mode, degrees: Double) {
        let tracking = tracking(mode, compass: true)
        #expect(tracking.mapBearing(for: frame(heading: 271.5, bearing: 12.5)) == degrees)
        #expect(tracking.mapBearing(for: frame()) == 0)
    }
}
