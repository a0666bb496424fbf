import Glibc

/// A simulated journey on a plane: the true position and motion at every moment.
public struct Journey: Sendable {
    /// A hard stop.
    public struct Stop: Sendable {
        /// The time of standstill, in seconds since the start.
        public var time: Double
        /// Metres to the east and north.
        public var position: SIMD2<Double>
        /// The direction of travel, as a unit vector.
        public var direction: SIMD2<Double>
        /// The duration of the standstill in seconds.
        public var standing: Double
    }

    static let step = 0.01

    private var positions: [SIMD2<Double>] = []
    private var velocities: [SIMD2<Double>] = []
    /// The hard stops, in order.
    public private(set) var stops: [Stop] = []
    private var position = SIMD2<Double>.zero
    private var speed: Double
    private var direction: Double

    /// Starts with this speed in m/s towards `direction`, in radians from north.
    public init(speed: Double, direction: Double) {
        self.speed = speed
        self.direction = direction
    }

    /// The duration in seconds.
    public var duration: Double { Double(positions.count - 1) * Self.step }

    /// The position in metres to the east and north.
    public func position(at time: Double) -> SIMD2<Double> { Self.value(of: positions, at: time) }

    /// The velocity in m/s to the east and north.
    public func velocity(at time: Double) -> SIMD2<Double> { Self.value(of: velocities, at: time) }

    private static func value(of values: [SIMD2<Double>], at time: Double) -> SIMD2<Double> {
        let place = min(max(time / step, 0), Double(values.count - 1))
        let index = min(Int(place), values.count - 2)
        let share = place - Double(index)
        return values[index] * (1 - share) + values[index + 1] * share
    }

    /// Continues for `seconds` with this acceleration along the path and this turn to the right, in radians a second.
    public mutating func go(_ seconds: Double, acceleration: Double = 0, turn: Double = 0) {
        for _ in 0..<max(Int((seconds / Self.step).rounded()), 1) {
            positions.append(position)
            velocities.append(velocity)
            position += velocity * Self.step
            speed = max(speed + acceleration * Self.step, 0)
            direction += turn * Self.step
        }
    }

    /// Changes the speed.
    public mutating func go(to speed: Double, acceleration: Double) {
        let change = speed - self.speed
        go(abs(change) / acceleration, acceleration: change < 0 ? -acceleration : acceleration)
        self.speed = speed
    }

    /// Turns by `angle` radians, to the right if positive, on a circle of this radius in metres.
    public mutating func turn(by angle: Double, radius: Double) {
        let rate = max(speed, 0.5) / radius
        go(abs(angle) / rate, turn: angle < 0 ? -rate : rate)
    }

    /// Brakes with `acceleration`, in m/s², and stands for `seconds`.
    public mutating func stop(acceleration: Double, for seconds: Double) {
        let direction = unitDirection
        go(to: 0, acceleration: acceleration)
        stops.append(
            Stop(time: Double(positions.count) * Self.step, position: position, direction: direction, standing: seconds)
        )
        go(seconds)
    }

    private var unitDirection: SIMD2<Double> { SIMD2(sin(direction), cos(direction)) }
    private var velocity: SIMD2<Double> { speed * unitDirection }
}
