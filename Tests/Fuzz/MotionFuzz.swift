import LocationModel
import MotionEstimation

/// Random fixes for the motion filter, from a walk to a defective receiver, a few bytes each.
enum MotionFuzz {
    static func run(_ input: [UInt8]) throws {
        var choices = Choices(input)
        var filter = MotionFilter()
        var now = ContinuousClock.now
        var time: Int64 = 1_795_000_000_000_000_000
        var (latitude, longitude) = (
            choices.one(of: [48.0, 0, 89.9999, -90, 60]), choices.one(of: [11.0, 180, -179.9999])
        )
        var isLost = true

        while !choices.isEmpty {
            let step = choices.byte()
            now += .milliseconds(choices.one(of: [0, 1, 33, 100, 1000, 1000, 1000, 3000, 12_000, 3_600_000]))
            switch step % 8 {
            case 0:
                filter.sourceLost(at: now)
                isLost = true
            case 1:
                let heading = Double(choices.byte()) * 360 / 256
                filter.observe(Heading(trueHeading: heading, timestamp: Timestamp(nanosecondsSince1970: time)), at: now)
            default:
                let elapsed = choices.one(of: timeSteps)
                time = time.addingReportingOverflow(elapsed).partialValue
                latitude = min(max(latitude + choices.one(of: degreeSteps), -90), 90)
                longitude = (longitude + choices.one(of: degreeSteps) + 540).truncatingRemainder(dividingBy: 360) - 180
                guard let fix = location(latitude, longitude, time, &choices) else { continue }
                let before = filter.frame(at: now)
                let verdict = filter.observe(fix, at: now)
                if verdict == .used || verdict == .restarted { isLost = false }
                let after = filter.frame(at: now)
                if verdict == .restarted { try Finding.unless(after != nil, "there is no frame after a new beginning") }
                if verdict != .restarted, let before, let after { try check(from: before, to: after) }
            }
            for wait in [Duration.zero, .milliseconds(16), .seconds(2)] {
                guard let frame = filter.frame(at: now + wait) else { continue }
                try Finding.unless(!isLost, "a frame although the source is lost")
                try check(frame)
            }
        }
    }

    private static let timeSteps: [Int64] = [
        1_000_000_000, 1_000_000_000, 100_000_000, 0, -1_000_000_000, 5_000_000_000, 60_000_000_000,
        -86_400_000_000_000, 7_000_000_000_000_000_000, 1,
    ]
    private static let degreeSteps = [0, 1e-6, -1e-5, 1e-5, 1e-4, -1e-4, 1e-3, 0.1, -5, 90]

    private static func location(
        _ latitude: Double, _ longitude: Double, _ time: Int64, _ choices: inout Choices
    ) -> Location? {
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else { return nil }
        var location = Location(coordinate: coordinate, timestamp: Timestamp(nanosecondsSince1970: time))
        let sizes: [Double?] = [nil, 0, 1e-3, 1, 3, 10, 50, 1e3, 1e9, .greatestFiniteMagnitude]
        let flags = choices.byte()
        location.horizontalAccuracy = choices.one(of: sizes)
        if flags & 1 != 0 { location.speed = choices.one(of: sizes) }
        if flags & 2 != 0 { location.course = Double(choices.byte()) * 360 / 256 }
        if flags & 4 != 0 { location.speedAccuracy = choices.one(of: sizes) }
        if flags & 8 != 0 { location.courseAccuracy = choices.one(of: sizes) }
        if flags & 16 != 0 { location.sourceInformation = .init(isSimulated: flags & 32 != 0) }
        return location
    }

    private static func check(_ frame: TrackingFrame) throws {
        let numbers = [frame.horizontalAccuracy, frame.span, frame.age / .seconds(1), frame.speed ?? 0]
        try Finding.unless(numbers.allSatisfy { $0.isFinite && $0 >= 0 }, "a frame with \(numbers)")
        try Finding.unless((-90...90).contains(frame.coordinate.latitude), "a latitude off the earth")
        try Finding.unless((-180...180).contains(frame.coordinate.longitude), "a longitude off the earth")
        for angle in [frame.bearing, frame.heading].compactMap(\.self) {
            try Finding.unless((0..<360).contains(angle), "a direction of \(angle)°")
        }
    }

    /// Checks that a new fix is approached without a jump, as long as the position is known at all.
    private static func check(from before: TrackingFrame, to after: TrackingFrame) throws {
        let radius = max(before.horizontalAccuracy, after.horizontalAccuracy)
        guard radius < 10_000, abs(before.coordinate.latitude) < 85 else { return }
        let jump = before.coordinate.distance(to: after.coordinate)
        try Finding.unless(jump <= max(1, radius / 100), "a jump of \(jump) m, sure to \(radius) m")
    }
}
