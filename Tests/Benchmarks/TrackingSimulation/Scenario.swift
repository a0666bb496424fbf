import SeededRandom
import Glibc

/// A kind of journey; each seed gives another one.
public struct Scenario: Sendable {
    /// The aim for the error of the shown position.
    public enum Kind: Sendable {
        case driving, walking, standing
    }

    /// The name in the table.
    public var name: String
    /// The aim that applies.
    public var kind: Kind
    private let make: @Sendable (inout SeededGenerator, Double) -> Journey

    /// A journey of at least `seconds`.
    public func journey(seed: UInt64, seconds: Double) -> Journey {
        var random = SeededGenerator(seed: seed)
        return make(&random, seconds)
    }

    /// Straight on at 20 m/s.
    public static let straight = Scenario(name: "straight road, 20 m/s", kind: .driving) { random, seconds in
        var journey = Journey(speed: 20, direction: random.uniform(0...6.28))
        journey.go(seconds)
        return journey
    }

    /// Up to 14 m/s, bends, right-angled corners at 6 m/s, traffic lights with anything from easy to hard braking.
    public static let town = Scenario(name: "town, lights and corners", kind: .driving) { random, seconds in
        var journey = Journey(speed: 0, direction: random.uniform(0...6.28))
        while journey.duration < seconds {
            journey.go(to: random.uniform(9...14), acceleration: random.uniform(1.5...2.5))
            journey.go(random.uniform(3...15))
            journey.turn(by: random.uniform(-0.6...0.6), radius: random.uniform(60...150))
            journey.go(random.uniform(2...10))
            if random.uniform(0...1) < 0.5 {
                journey.go(to: 6, acceleration: 2.5)
                journey.turn(by: random.uniform(0...1) < 0.5 ? .pi / 2 : -.pi / 2, radius: 12)
            } else {
                journey.stop(acceleration: random.uniform(2...5), for: random.uniform(8...30))
            }
        }
        return journey
    }

    /// 40 m/s with wide bends, now and then slower.
    public static let motorway = Scenario(name: "motorway, 40 m/s", kind: .driving) { random, seconds in
        var journey = Journey(speed: 40, direction: random.uniform(0...6.28))
        while journey.duration < seconds {
            journey.go(random.uniform(5...30))
            journey.turn(by: random.uniform(-0.5...0.5), radius: random.uniform(800...2000))
            if random.uniform(0...1) < 0.3 {
                journey.go(to: random.uniform(22...30), acceleration: random.uniform(1...3))
                journey.go(random.uniform(5...20))
                journey.go(to: 40, acceleration: 1.2)
            }
        }
        return journey
    }

    /// From 12 to 7 m/s, half to all of the way round a circle of 15 m, and out again.
    public static let roundabouts = Scenario(name: "roundabouts", kind: .driving) { random, seconds in
        var journey = Journey(speed: 12, direction: random.uniform(0...6.28))
        while journey.duration < seconds {
            journey.go(random.uniform(3...12))
            journey.go(to: 7, acceleration: 2)
            journey.turn(by: 0.7, radius: 15)
            journey.turn(by: -random.uniform(3.0...6.2), radius: 15)
            journey.turn(by: 0.7, radius: 15)
            journey.go(to: 12, acceleration: 2)
        }
        return journey
    }

    /// Braking from 14 m/s with 6 m/s², repeatedly: telematics calls 3 to 4 m/s² hard, tyres give 8 on a dry road.
    public static let hardStops = Scenario(name: "hard stops, 14 m/s, 6 m/s²", kind: .driving) { random, seconds in
        var journey = Journey(speed: 0, direction: random.uniform(0...6.28))
        while journey.duration < seconds {
            journey.go(to: 14, acceleration: 2)
            journey.go(random.uniform(5...10))
            journey.stop(acceleration: 6, for: random.uniform(9...12))
        }
        return journey
    }

    /// 1.2 to 1.5 m/s with corners, and pauses.
    public static let walk = Scenario(name: "walk, corners and pauses", kind: .walking) { random, seconds in
        var journey = Journey(speed: 0, direction: random.uniform(0...6.28))
        while journey.duration < seconds {
            journey.go(to: random.uniform(1.2...1.5), acceleration: 1)
            for _ in 0..<3 {
                journey.go(random.uniform(10...60), turn: random.uniform(-0.02...0.02))
                journey.turn(by: random.uniform(-1.7...1.7), radius: 1)
            }
            journey.go(to: 0, acceleration: 1)
            journey.go(random.uniform(3...20))
        }
        return journey
    }

    /// 1.4 m/s without pauses.
    public static let stroll = Scenario(name: "walk, never pausing", kind: .walking) { random, seconds in
        var journey = Journey(speed: 1.4, direction: random.uniform(0...6.28))
        while journey.duration < seconds {
            journey.go(random.uniform(10...60), turn: random.uniform(-0.02...0.02))
            journey.turn(by: random.uniform(-1.7...1.7), radius: 1)
        }
        return journey
    }

    /// At one place.
    public static let standing = Scenario(name: "standing still", kind: .standing) { _, seconds in
        var journey = Journey(speed: 0, direction: 0)
        journey.go(seconds)
        return journey
    }

    /// All scenarios.
    public static let all = [straight, town, motorway, roundabouts, hardStops, walk, stroll, standing]
}
