/// What is promised of follow mode.
public enum Aim {
    /// How large the error may be by that of holding the last fix, as root mean square.
    public static func ratio(_ kind: Scenario.Kind) -> Double {
        switch kind {
        case .driving: 0.5
        case .walking: 0.8
        case .standing: 1
        }
    }

    /// The share of frames that have the truth within the stated radius.
    public static let coverage = 0.63...0.73
    /// How many journeys it takes to judge that. A receiver's error lasts, so a journey of 300 s says as much of it as ten
    /// independent fixes: with 200 journeys the share is still off by 1 to 2 %, with 1000 by less than 1 %.
    public static let journeysForCoverage = 500
    /// How far beyond the place of a hard stop, by the stated radius: in 99 of 100, since what is shown settles with the
    /// receiver's error; in all when the positions are exact.
    public static let overshoot = 1.0
    /// How long the way may be that is shown of someone who stands, by that of the last fixes.
    public static let wander = 1.0
    /// The third difference of what is shown, in m/s³: that of a correction by 20 m. Holding the last fix has a thousand
    /// times as much.
    public static let jerk = 2500.0
    /// The most beyond the user's own way from one frame to the next at 60 Hz, in metres.
    public static let jump = 0.5
    /// How much further than the last fix a frame may be from the next one, at the 99th percentile, in metres: half of what
    /// receivers round positions to (NMEA's 0.0001′ is 0.19 m).
    public static let rounding = 0.09
    /// What a frame may cost, in nanoseconds.
    public static let cost = 10_000.0
}

extension Measured {
    /// The aims that were missed, in words; empty when all is well.
    public func missed(_ kind: Scenario.Kind, rate: Double) -> [String] {
        var missed: [String] = []
        if !(rmsRatio <= Aim.ratio(kind)) { missed.append("error") }
        if journeys >= Aim.journeysForCoverage, !Aim.coverage.contains(coverage) { missed.append("radius") }
        if !(overshoots.quantile(0.99) <= Aim.overshoot) { missed.append("overshoot") }
        if kind == .standing, !(wander <= Aim.wander) { missed.append("wander") }
        if !(jerks.allSatisfy { $0 <= Aim.jerk }) { missed.append("jerk") }
        if !(largestJump <= Aim.jump * 60 / rate) { missed.append("jump") }
        return missed
    }
}
