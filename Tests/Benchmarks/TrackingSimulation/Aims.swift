/// The aims of follow mode.
public enum Aim {
    /// The largest ratio of the error to that of holding the last fix, as root mean square.
    public static func ratio(_ kind: Scenario.Kind) -> Double {
        switch kind {
        case .driving: 0.5
        case .walking: 0.8
        case .standing: 1
        }
    }

    /// The share of frames whose radius contains the true position.
    public static let coverage = 0.63...0.73
    /// The number of journeys needed to judge that. A receiver's error lasts, so a journey of 300 s says as much as ten
    /// independent fixes: with 200 journeys the share is still off by 1 to 2 %, with 1000 by less than 1 %.
    public static let journeysForCoverage = 500
    /// The overshoot at a hard stop, as a multiple of the stated radius: in 99 of 100 stops, since the shown position
    /// settles with the receiver's error; in all when positions are exact.
    public static let overshoot = 1.0
    /// The length of the path shown at standstill, as a multiple of that of the last fixes.
    public static let wander = 1.0
    /// The third difference of the shown position, in m/s³: that of a correction by 20 m. Holding the last fix has a
    /// thousand times as much.
    public static let jerk = 2500.0
    /// The largest movement between two frames at 60 Hz beyond the user's own, in metres.
    public static let jump = 0.5
    /// The largest excess of a frame's distance from the next fix over that of the last fix, at the 99th percentile, in
    /// metres: half of the rounding of receivers' positions (NMEA's 0.0001′ is 0.19 m).
    public static let rounding = 0.09
    /// The cost of a frame, in nanoseconds.
    public static let cost = 10_000.0
}

extension Measured {
    /// The missed aims in words; empty if there are none.
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
