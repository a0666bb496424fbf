import Glibc
package import LocationConditions
import LocationModel
import SeededRandom

/// A condition that is observed by a receiver that is always on, while someone moves along a straight line.
package struct Crossing: Sendable {
    /// The name in the table.
    package var name: String
    /// The radius of the condition in metres; its centre is the origin.
    package var radius = 100.0
    /// The place at the time 0, in metres, and the speed to the east in m/s.
    package var from: SIMD2<Double>
    /// The speed to the east in m/s.
    package var speed: Double
    /// The duration in seconds.
    package var duration: Double
    /// The time without fixes, in seconds.
    package var gap: ClosedRange<Double>?
    /// The standard deviation of the error along each axis in metres, the ratio of the stated accuracy to it, and the
    /// interval between fixes in seconds.
    package var sigma = 3.0
    /// The ratio of the stated accuracy to the true one.
    package var statedScale = 1.0
    /// The interval between fixes in seconds.
    package var interval = 1.0

    /// A crossing.
    package init(_ name: String, from: SIMD2<Double>, speed: Double, duration: Double) {
        self.name = name
        self.from = from
        self.speed = speed
        self.duration = duration
    }

    /// The changes after the first determination.
    package struct Outcome: Sendable {
        /// Entries and exits.
        package var states: [ConditionState] = []
        /// Those that were reported while the true position was on the other side.
        package var early = 0
        /// The delays from the border's true crossing, in seconds.
        package var delays: [Double] = []
        /// The state at the end.
        package var last = ConditionState.unknown
    }

    /// Runs it with an error and a phase of the fixes that depend on the seed.
    package func run(seed: UInt64) -> Outcome {
        var random = SeededGenerator(seed: seed)
        var noise = ReceiverNoise(seed: seed, sigma: sigma)
        noise.statedScale = statedScale
        let phase = random.uniform(0...interval)
        let angle = random.uniform(0...(2 * .pi))
        func place(_ time: Double) -> SIMD2<Double> { from + SIMD2(speed * time, 0) }
        func turned(_ point: SIMD2<Double>) -> SIMD2<Double> {
            SIMD2(point.x * cos(angle) - point.y * sin(angle), point.x * sin(angle) + point.y * cos(angle))
        }
        guard let circle = try? CircularGeographicCondition(center: Field.origin, radius: radius) else {
            return Outcome()
        }
        let start = ContinuousClock.now
        var conditions = ConditionSet(start: start)
        // Someone who begins to move has been at the place for a while.
        let began: ConditionState =
            speed == 0 ? .unknown : hypot(from.x, from.y) < radius ? .satisfied : .unsatisfied
        _ = conditions.add(.circle(circle), assuming: began)
        var outcome = Outcome()
        outcome.last = began
        for time in stride(from: phase, through: duration, by: interval) {
            let error = noise.next(after: interval)
            if let gap, gap.contains(time) { continue }
            let truth = place(time)
            let fix = ConditionFix(
                coordinate: Field.coordinate(turned(truth) + error), accuracy: noise.accuracy,
                time: start + .seconds(time))
            for event in conditions.observe(fix) {
                outcome.last = event.state
                outcome.states.append(event.state)
                let isInside = hypot(truth.x, truth.y) < radius
                // A passage that has ended is reported late, not early.
                let wasInside = speed > 0 && hypot(from.x, from.y) >= radius && truth.x > 0
                let isOnBorder = abs(hypot(truth.x, truth.y) - radius) < 1e-6
                if !isOnBorder, event.state == .satisfied ? !(isInside || wasInside) : isInside { outcome.early += 1 }
                if speed > 0 {
                    let half = max(0, radius * radius - from.y * from.y).squareRoot()
                    let crossed = (event.state == .satisfied ? -half - from.x : half - from.x) / speed
                    outcome.delays.append(time - crossed)
                }
            }
        }
        return outcome
    }
}
