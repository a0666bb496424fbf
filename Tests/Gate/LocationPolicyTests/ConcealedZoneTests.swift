import Glibc
import LocationModel
import SeededRandom
import Testing

@testable import LocationPolicy

@Suite("Concealed zone", .timeLimit(.minutes(10))) struct ConcealedZoneTests {
    static func zone(radius: Double = 300, using generator: inout SeededGenerator) -> ConcealedZone {
        let place = NamedPlace(name: "home", center: generator.place(), radius: radius)!
        return ConcealedZone(place, secret: .init(using: &generator))
    }

    @Test("no location within the radius of the place counts as outside, anywhere on earth and whatever its error")
    func containsPlace() {
        var generator = SeededGenerator(seed: 1)
        let centers: [Coordinate] = [
            Coordinate(latitude: 90, longitude: 0), Coordinate(latitude: -90, longitude: 12),
            Coordinate(latitude: 89.99, longitude: 180), Coordinate(latitude: 0, longitude: -180),
            Coordinate(latitude: 52.5, longitude: 179.999),
        ]
        for round in 0..<600 {
            let center = round < 200 ? centers[round % centers.count] : generator.place()
            let radius = [50, 300, 5000, 50_000][round % 4]
            let place = NamedPlace(name: "home", center: center, radius: Double(radius))!
            let zone = ConcealedZone(place, secret: .init(using: &generator))
            for _ in 0..<20 {
                // As many at the border as within.
                let share = generator.uniform(0...1) < 0.5 ? 1 : generator.uniform(0...1)
                let there = center.destination(
                    distance: Double(radius) * share * (1 - 1e-9), bearing: generator.uniform(0...360))
                #expect(zone.placement(of: there, accuracy: 0) != .outside)
                // The measured position of someone inside is wrong by less than 2.5 times the stated accuracy.
                let accuracy = generator.uniform(1...500)
                let measured = there.destination(
                    distance: accuracy * 2.4 * generator.uniform(0...1), bearing: generator.uniform(0...360))
                #expect(zone.placement(of: measured, accuracy: accuracy) != .outside)
            }
        }
    }

    @Test("the distance to the border is never more than it is, and not much less")
    func distanceToBorder() {
        var generator = SeededGenerator(seed: 3)
        for round in 0..<200 {
            let zone = Self.zone(radius: [50, 300, 5000][round % 3], using: &generator)
            let there = zone.place.center.destination(
                distance: zone.place.radius * generator.uniform(0...9), bearing: generator.uniform(0...360))
            let center = zone.place.center.destination(
                distance: hypot(zone.center.x, zone.center.y),
                bearing: atan2(zone.center.x, zone.center.y) * 180 / .pi)
            let border = stride(from: 0.0, to: 2 * .pi, by: 0.001).map { direction in
                center.destination(distance: zone.border(direction), bearing: direction * 180 / .pi)
                    .distance(to: there)
            }.min()!
            let bound = zone.distanceToBorder(from: there)
            #expect(bound <= border + 0.002 * zone.place.radius)
            #expect(bound >= 0.75 * border - 0.002 * zone.place.radius)
        }
    }

    @Test("a location counts as inside only within the place, and as outside beyond 6.6 radii at the latest")
    func placements() {
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<100 {
            let zone = Self.zone(using: &generator)
            func placement(_ distance: Double, accuracy: Double? = 5) -> Placement {
                let there = zone.place.center.destination(
                    distance: distance, bearing: generator.uniform(0...360))
                return zone.placement(of: there, accuracy: accuracy)
            }
            #expect(placement(0) == .inside)
            #expect(placement(287) == .inside)
            #expect(placement(289) == .inDoubt)
            #expect(placement(299) == .inDoubt)
            #expect(placement(6.6 * 300 + 13) == .outside)
            #expect(placement(20_000_000) == .outside)
            // Inaccurate, of unknown accuracy, not a number: in doubt.
            #expect(placement(0, accuracy: 200) == .inDoubt)
            #expect(placement(2000, accuracy: nil) == .inDoubt)
            #expect(placement(2000, accuracy: .nan) == .inDoubt)
            #expect(placement(20_000, accuracy: nil) == .outside)
        }
    }

    @Test("the zone depends on the secret and the place alone; a place that is added again has the same zone")
    func deterministic() {
        var generator = SeededGenerator(seed: 3)
        let secret = AccuracyReduction.Secret(using: &generator)
        let other = AccuracyReduction.Secret(using: &generator)
        func center(_ latitude: Double, _ radius: Double, _ secret: AccuracyReduction.Secret) -> SIMD2<Double> {
            let center = Coordinate(latitude: latitude, longitude: 13.4)!
            return ConcealedZone(NamedPlace(name: "home", center: center, radius: radius)!, secret: secret).center
        }
        #expect(center(52.5, 300, secret) == center(52.5, 300, secret))
        #expect(center(52.50005, 300, secret) == center(52.5, 300, secret))
        #expect(center(52.5, 300, other) != center(52.5, 300, secret))
        // Otherwise the centres of zones of two sizes would lie on one line with the place.
        let (a, b) = (center(52.5, 300, secret), center(52.5, 200, secret))
        #expect(abs(a.x * b.y - a.y * b.x) > 1)
    }

    @Test("the border is smooth, between 3.6 and 4 radii from the centre of the zone")
    func border() {
        var generator = SeededGenerator(seed: 4)
        for _ in 0..<50 {
            let zone = Self.zone(radius: 100, using: &generator)
            for step in 0..<360 {
                let here = zone.border(Double(step) * .pi / 180)
                let next = zone.border(Double(step + 1) * .pi / 180)
                #expect((360...400).contains(here))
                #expect(abs(here - next) < 2)
            }
        }
    }

    @Test("a place needs a radius from 50 m to 50 km")
    func radii() {
        let center = Coordinate(latitude: 0, longitude: 0)
        for radius in [0, 49.9, -1, .nan, .infinity, 50_001, 10_000_000] {
            #expect(NamedPlace(name: "home", center: center, radius: radius) == nil)
        }
        #expect(NamedPlace(name: "home", center: center, radius: 50) != nil)
    }
}
