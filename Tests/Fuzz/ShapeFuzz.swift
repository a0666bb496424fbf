import FoundationEssentials
import LocationConditions
import LocationInterface
import LocationModel

/// The shape of a condition as a program sends it, and fixes around it.
enum ShapeFuzz {
    static func run(_ input: [UInt8]) throws {
        guard let sent = try? JSONDecoder().decode(MonitorInterface.Condition.self, from: Data(input)),
            let condition = try? GeographicCondition(sent)
        else { return }
        // What is sent back is the same shape.
        let again = try? GeographicCondition(MonitorInterface.Condition(condition))
        try Finding.unless(again == condition, "a shape that was accepted is refused or another one")
        let start = ContinuousClock.now
        var set = ConditionSet(start: start)
        let id = set.add(condition)
        var points = [Coordinate(latitude: 90, longitude: 0), Coordinate(latitude: 0, longitude: 180)].compactMap(
            \.self)
        if let circle = sent.circle {
            points += [Coordinate(latitude: circle.latitude, longitude: circle.longitude)].compactMap(\.self)
        }
        points += (sent.polygon?.ring ?? []).prefix(4).compactMap {
            Coordinate(latitude: $0.latitude, longitude: $0.longitude)
        }
        for (index, point) in points.enumerated() {
            let distance = condition.signedDistance(from: point)
            try Finding.unless(distance.isFinite, "a distance is not a number")
            for second in 0..<3 {
                _ = set.observe(
                    ConditionFix(
                        coordinate: point, accuracy: 1, time: start + .seconds(1000 * index + 100 * second)))
            }
            let expected: ConditionState = distance < 0 ? .satisfied : .unsatisfied
            try Finding.unless(
                abs(distance) < 10 || set.state(id) == expected, "the state is not that of the side of the border")
            try Finding.unless(set.nearestBorders() != nil, "there is no nearest border")
        }
    }
}
