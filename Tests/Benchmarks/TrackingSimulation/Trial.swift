import Glibc
import LocationModel
import LocationTracking

/// Runs the filter over simulated journeys, frame by frame, beside a display that holds the last fix.
public struct Trial: Sendable {
    /// Frames a second.
    public var rate: Double
    /// The receiver.
    public var receiver: SimulatedReceiver
    /// The duration of each journey in seconds; the first ten are not counted.
    public var seconds: Double

    /// A trial with frames at `rate`.
    public init(rate: Double, receiver: SimulatedReceiver = SimulatedReceiver(), seconds: Double = 300) {
        (self.rate, self.receiver, self.seconds) = (rate, receiver, seconds)
    }

    private static let warmup = 10.0

    /// Runs a scenario with all seeds.
    public func run(_ scenario: Scenario, seeds: Range<UInt64>) -> Measured {
        var measured = Measured()
        for seed in seeds {
            let journey = scenario.journey(seed: seed, seconds: seconds)
            run(journey, seed: seed, into: &measured)
            measured.journeys += 1
        }
        return measured
    }

    private func run(_ journey: Journey, seed: UInt64, into measured: inout Measured) {
        let field = Field(start: .now)
        let deliveries = receiver.deliveries(of: journey, in: field, seed: seed)
        var filter = MotionFilter()
        var next = 0
        var motion = FrameMotion(step: 1 / rate)
        var held: SIMD2<Double>?
        var stops = StopWatch(journey.stops)
        for index in 0..<Int(seconds * rate) {
            let time = Double(index) / rate
            while next < deliveries.count, deliveries[next].arrival <= time {
                let delivery = deliveries[next]
                _ = filter.observe(delivery.location, at: field.instant(at: delivery.arrival))
                if held != delivery.position { measured.noteHeldJump(held, delivery.position) }
                held = delivery.position
                next += 1
            }
            guard time >= Self.warmup, let held, let frame = filter.frame(at: field.instant(at: time)) else { continue }
            let position = field.position(of: frame.coordinate)
            let truth = journey.position(at: time)
            measured.note(
                error: length(position - truth), held: length(held - truth), radius: frame.horizontalAccuracy)
            motion.note(position, speed: length(journey.velocity(at: time)), into: &measured)
            stops.note(position, radius: frame.horizontalAccuracy, at: time, into: &measured)
        }
    }
}

func length(_ vector: SIMD2<Double>) -> Double { hypot(vector.x, vector.y) }

/// The movement of the display from frame to frame.
private struct FrameMotion {
    let step: Double
    private var last: [SIMD2<Double>] = []

    init(step: Double) {
        self.step = step
    }

    mutating func note(_ position: SIMD2<Double>, speed: Double, into measured: inout Measured) {
        last.append(position)
        if last.count > 4 { last.removeFirst() }
        if last.count >= 2 {
            let moved = length(last[last.count - 1] - last[last.count - 2])
            measured.noteStep(moved, beyond: max(moved - speed * step, 0))
        }
        if last.count == 4 {
            measured.jerks.append(length(last[3] - 3 * last[2] + 3 * last[1] - last[0]) / (step * step * step))
        }
    }
}

/// Measures the overshoot at a hard stop, beyond the position where the display settles and beyond the true one. The
/// former is almost free of the receiver's error, the latter counts when there is none.
private struct StopWatch {
    private static let settling = 2.5

    private let stops: [Journey.Stop]
    private var index = 0
    private var frames: [(along: Double, radius: Double)] = []

    init(_ stops: [Journey.Stop]) {
        self.stops = stops.filter { $0.standing > Self.settling }
    }

    mutating func note(_ position: SIMD2<Double>, radius: Double, at time: Double, into measured: inout Measured) {
        guard index < stops.count, time >= stops[index].time else { return }
        let stop = stops[index]
        frames.append((((position - stop.position) * stop.direction).sum(), radius))
        guard time >= stop.time + Self.settling else { return }
        let settled = frames[frames.count - 1].along
        measured.overshoots.append(frames.map { ($0.along - settled) / $0.radius }.max() ?? 0)
        measured.beyond.append(frames.map { $0.along / $0.radius }.max() ?? 0)
        frames = []
        index += 1
    }
}
