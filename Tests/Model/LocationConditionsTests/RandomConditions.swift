import LocationModel
import SeededRandom

@testable import LocationConditions

/// Random places and conditions, often at a pole or the antimeridian.
enum RandomConditions {
    static func place(_ random: inout SeededGenerator) -> Coordinate {
        switch random.uniform(0...4) {
        case ..<1:
            Coordinate(clampingLatitude: 90 - random.uniform(0...0.05), wrappingLongitude: random.uniform(-180...180))
        case ..<2:
            Coordinate(clampingLatitude: -90 + random.uniform(0...5), wrappingLongitude: random.uniform(-180...180))
        case ..<3:
            Coordinate(
                clampingLatitude: random.uniform(-80...80), wrappingLongitude: 180 + random.uniform(-0.05...0.05))
        default: Coordinate(clampingLatitude: random.uniform(-90...90), wrappingLongitude: random.uniform(-180...180))
        }
    }

    static func polygon(_ random: inout SeededGenerator, near: Coordinate? = nil) throws -> PolygonGeographicCondition {
        let center = near ?? place(&random)
        let size = pow10(random.uniform(2...6))
        let count = Int(random.uniform(3...12))
        // A star around the centre does not cross itself.
        let ring = (0..<count).map { index in
            center.destination(
                distance: size * random.uniform(0.6...1),
                bearing: (Double(index) + random.uniform(-0.2...0.2)) * 360 / Double(count))
        }
        return try PolygonGeographicCondition(ring: random.uniform(0...1) < 0.5 ? ring : ring.reversed())
    }

    static func condition(_ random: inout SeededGenerator, near: Coordinate?) throws -> GeographicCondition {
        if random.uniform(0...1) < 0.15 { return .polygon(try polygon(&random, near: near)) }
        let radius = random.uniform(0...1) < 0.1 ? pow10(random.uniform(4...7)) : pow10(random.uniform(1...4))
        return .circle(try CircularGeographicCondition(center: near ?? place(&random), radius: radius))
    }

    private static func pow10(_ exponent: Double) -> Double {
        var value = 1.0
        for _ in 0..<Int(exponent) { value *= 10 }
        return value
            * (1 + 9 * (exponent - exponent.rounded(.down)))
            .clamped(to: 1...9.9)
    }
}

extension Double {
    fileprivate func clamped(to range: ClosedRange<Double>) -> Double {
        min(max(self, range.lowerBound), range.upperBound)
    }
}
