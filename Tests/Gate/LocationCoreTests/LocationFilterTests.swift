import LocationModel
import Testing

@testable import LocationCore

/// Rows of what comes and what becomes of it: seconds, metres north, and for `accuracy` the 68 % radius.
@Suite("What a subscription leaves out", .timeLimit(.minutes(10)))
struct LocationFilterTests {
    private typealias Parameters = SubscriptionOptions

    private func location(_ seconds: Double, _ metres: Double, accuracy: Double? = 5) -> Location {
        // A degree of the meridian is 111,111 m at about 45°; what is left of that does not matter here.
        var location = Location(
            coordinate: Coordinate(latitude: 45 + metres / 111_132, longitude: 7)!,
            timestamp: Timestamp(nanosecondsSince1970: 1_795_000_000_000_000_000).advanced(by: .seconds(seconds)))
        location.horizontalAccuracy = accuracy
        return location
    }

    /// The seconds at which something is delivered, of these (seconds, metres).
    private func delivered(_ parameters: Parameters, _ way: [(Double, Double)]) -> [Double] {
        var filter = LocationFilter(parameters)
        var isAwaited = true
        return way.compactMap { seconds, metres in
            let location = location(seconds, metres)
            guard filter.judge(location, isAwaited: isAwaited) == .deliver else { return nil }
            filter.delivered(location)
            isAwaited = false
            return seconds
        }
    }

    private func parameters(_ set: (inout Parameters) -> Void) -> Parameters {
        var parameters = Parameters()
        set(&parameters)
        return parameters
    }

    @Test("the distance filter measures from the last delivered location")
    func distanceIsMeasuredFromLastDelivery() {
        // In steps of 40 m none is 100 m from the one before.
        let way = (0...6).map { (Double($0), Double($0) * 40) }
        #expect(delivered(parameters { $0.distanceFilter = 100 }, way) == [0, 3, 6])
    }

    @Test("the minimum interval counts from the last delivered location")
    func intervalIsMeasuredFromLastDelivery() {
        let way = (0...8).map { (Double($0) * 0.5, 0.0) }
        #expect(delivered(parameters { $0.minimumInterval = 2 }, way) == [0, 2, 4])
        #expect(delivered(parameters { $0.minimumInterval = 0 }, way).count == way.count)
    }

    @Test("a location that the last delivered one predicts is left out, for the longest interval at most")
    func predictedIsLeftOut() {
        func delivered(_ thinning: Thinning, _ way: [(Double, Double, Double?)]) -> [Double] {
            var filter = LocationFilter(parameters { $0.thinning = thinning })
            return way.compactMap { seconds, metres, speed in
                var fix = location(seconds, metres)
                (fix.speed, fix.course) = (speed, 0)
                guard filter.judge(fix, isAwaited: false) == .deliver else { return nil }
                filter.delivered(fix)
                return seconds
            }
        }
        // At 20 m/s, then slower without having said so.
        let drive: [(Double, Double, Double?)] = (0...10).map { (Double($0), Double($0) * 20, 20) }
        #expect(delivered(Thinning(), drive) == [0])
        #expect(delivered(Thinning(maximumInterval: 4), drive) == [0, 4, 8])
        #expect(delivered(Thinning(), drive + [(11, 225, 5), (12, 232, 5), (13, 245, 5)]) == [0, 13])
        #expect(delivered(Thinning(), [(0, 0, nil), (1, 8, nil), (2, 16, nil), (3, 24, nil)]) == [0, 2])
        // The first, and one after a diagnostic.
        var filter = LocationFilter(parameters { $0.thinning = Thinning() })
        filter.delivered(location(0, 0))
        #expect(filter.judge(location(1, 0), isAwaited: true) == .deliver)
        #expect(filter.judge(location(1, 0), isAwaited: false) == .reject)
    }

    @Test("a location has to pass both filters")
    func bothHaveToPass() {
        let set = parameters {
            $0.distanceFilter = 100
            $0.minimumInterval = 10
        }
        #expect(
            delivered(set, [(0, 0), (5, 200), (10, 50), (11, 200), (15, 400), (30, 250), (31, 320)]) == [0, 11, 31])
    }

    @Test("a clock that was set back does not stop deliveries")
    func clockSetBackDoesNotStopDeliveries() {
        #expect(
            delivered(parameters { $0.minimumInterval = 10 }, [(0, 0), (-31_536_000, 0), (-31_535_995, 0)])
                == [0, -31_536_000])
    }

    @Test("the desired accuracy also applies after a diagnostic")
    func accuracyAppliesAfterDiagnostic() {
        var filter = LocationFilter(parameters { $0.desiredAccuracy = 10 })
        #expect(filter.judge(location(0, 0, accuracy: 10.5), isAwaited: true) == .reject)
        #expect(filter.judge(location(0, 0, accuracy: 10), isAwaited: true) == .deliver)
        #expect(filter.judge(location(0, 0, accuracy: nil), isAwaited: true) == .deliver)
    }

    @Test("the first location after a diagnostic passes the distance filter")
    func firstLocationAfterDiagnosticPassesDistanceFilter() {
        var filter = LocationFilter(parameters { $0.distanceFilter = 100 })
        filter.delivered(location(0, 0))
        #expect(filter.judge(location(1, 1), isAwaited: false) == .reject)
        #expect(filter.judge(location(1, 1), isAwaited: true) == .deliver)
    }

    @Test("significant changes are 500 m or five minutes apart")
    func significantChangesAreFarOrLongApart() {
        let set = parameters { $0.significantChanges = true }
        #expect(
            delivered(set, [(0, 0), (60, 499), (61, 501), (360, 502), (361, 502), (400, -100)]) == [0, 61, 361, 400])
    }

    @Test("a pause begins after two minutes in one place and ends when the user leaves it")
    func pauseBeginsAfterTwoMinutesAndEndsOnLeaving() {
        var filter = LocationFilter(parameters { $0.pausesAutomatically = true })
        func judge(_ seconds: Double, _ metres: Double, accuracy: Double? = 5) -> LocationFilter.Outcome {
            let location = location(seconds, metres, accuracy: accuracy)
            let outcome = filter.judge(location, isAwaited: false)
            if outcome == .deliver { filter.delivered(location) }
            return outcome
        }
        #expect(judge(0, 0) == .deliver)
        #expect(judge(60, 19) == .deliver)
        #expect(judge(119.9, -19) == .deliver)
        #expect(judge(120, 5) == .pause)
        #expect(judge(500, 12) == .pause)
        #expect(judge(501, 21) == .deliver, "left")
        #expect(judge(620, 21) == .deliver, "two minutes from there")
        #expect(judge(621, 21) == .pause)
        // 40 m are within what a receiver says that is sure of 20 m.
        #expect(judge(622, 60, accuracy: 20) == .pause)
        #expect(judge(623, 60, accuracy: 5) == .deliver)
        // A clock that is set back begins anew, and does not pause for as long as it was set back.
        #expect(judge(-1000, 60) == .deliver)
        #expect(judge(-880, 60) == .pause)
    }

    @Test("the locations of a walker never pause")
    func walkingNeverPauses() {
        let way = (0...900).map { (Double($0), Double($0) * 0.5) }
        #expect(delivered(parameters { $0.pausesAutomatically = true }, way).count == way.count)
    }

    @Test(
        "headings pass if they differ enough from the last delivered one",
        arguments: [
            (0.0, [(10, true), (10, true), (11, true)]),
            (5.0, [(358, true), (2, false), (3, true), (359, false), (358, true)]),
            (180.0, [(0, true), (179, false), (180, true), (1, false), (0, true)]),
        ])
    func headings(difference: Double, rows: [(Double, Bool)]) {
        var filter = HeadingFilter(difference: difference)
        for (degrees, isDelivered) in rows {
            let heading = Heading(trueHeading: degrees, timestamp: Timestamp(nanosecondsSince1970: 0))
            #expect(filter.passes(heading) == isDelivered, "\(degrees)")
            if isDelivered { filter.delivered(heading) }
        }
    }
}
