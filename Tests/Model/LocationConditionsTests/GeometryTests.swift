import Glibc
import LocationModel
import SeededRandom
import Testing

@testable import LocationConditions

@Suite("Geometry of conditions")
struct GeometryTests {
    private let center = Coordinate(latitude: 48, longitude: 11)

    private func ring(_ points: [(Double, Double)]) -> [Coordinate] {
        points.map { Coordinate(clampingLatitude: $0.0, wrappingLongitude: $0.1) }
    }

    @Test(
        "A radius that is NaN, not positive or above 10,000 km is refused",
        arguments: [
            Double.nan, 0, -1, 0.5, 10_000_001, .infinity, -.infinity,
        ])
    func radiusIsRefused(radius: Double) {
        let error = #expect(throws: GeographicConditionError.self) {
            try CircularGeographicCondition(center: center, radius: radius)
        }
        #expect(error?.code == .invalidRadius)
    }

    @Test(
        "Coordinates that are NaN or out of range are refused",
        arguments: [
            (Double.nan, 0.0), (0, .nan), (90.1, 0), (-91, 0), (0, 180.1), (0, .infinity),
        ])
    func coordinateIsRefused(latitude: Double, longitude: Double) {
        let error = #expect(throws: GeographicConditionError.self) {
            try Coordinate(conditionLatitude: latitude, longitude: longitude)
        }
        #expect(error?.code == .invalidCoordinate)
    }

    @Test("A circle of 10,000 km is a hemisphere: its border is exact at the poles and across the antimeridian")
    func hugeCircle() throws {
        let circle = try CircularGeographicCondition(center: Coordinate(latitude: 90, longitude: 0), radius: 10_000_000)
        let equator = circle.signedDistance(from: Coordinate(latitude: 0, longitude: 180))
        // A quarter of a meridian is 10,001,965.729 m.
        #expect(abs(equator - 1_965.729) < 0.01)
        let fiji = try CircularGeographicCondition(center: Coordinate(latitude: 0, longitude: 179.999), radius: 500)
        #expect(fiji.signedDistance(from: Coordinate(latitude: 0, longitude: -179.999)) < 0)
        #expect(fiji.signedDistance(from: Coordinate(latitude: 0, longitude: -179.99)) > 0)
    }

    private static let badRings: [(points: [(Double, Double)], code: GeographicConditionError.Code)] = [
        ([], .tooFewPoints),
        ([(48, 11), (48, 12)], .tooFewPoints),
        ([(48, 11), (48, 11), (48, 11), (48, 12)], .tooFewPoints),
        ([(90, 0), (90, 90), (90, 180), (80, 0)], .tooFewPoints),
        ([(48, 11), (49, 12), (49, 11), (48, 12)], .selfCrossing),
        // There and back.
        ([(10, 11), (20, 11), (15, 11)], .selfCrossing),
        // The great circle between the first two bends north of the parallel.
        ([(48, 11), (48, 12), (49, 12), (48, 11.5), (49, 11)], .selfCrossing),
        ([(0, 0), (0, 120), (0, -120)], .tooLarge),
        ([(0, 0), (0, 90), (80, 45)], .tooLarge),
    ]

    @Test("Rings that do not enclose an area are refused with the reason", arguments: badRings.indices)
    func ringIsRefused(index: Int) {
        let (points, code) = Self.badRings[index]
        let error = #expect(throws: GeographicConditionError.self) {
            try PolygonGeographicCondition(ring: ring(points))
        }
        #expect(error?.code == code)
    }

    @Test("A ring that touches itself at a point is refused")
    func touchingRing() {
        let error = #expect(throws: GeographicConditionError.self) {
            try PolygonGeographicCondition(
                ring: ring([(48, 11), (48.5, 11.5), (48, 12), (49, 12), (48.5, 11.5), (49, 11)]))
        }
        #expect(error?.code == .selfCrossing)
    }

    @Test("Too many points are refused before they are examined")
    func tooManyPoints() {
        let points = Array(repeating: center, count: PolygonGeographicCondition.mostPoints + 1)
        let error = #expect(throws: GeographicConditionError.self) { try PolygonGeographicCondition(ring: points) }
        #expect(error?.code == .tooManyPoints)
    }

    /// A zigzag between two parallel lines that lean, so that the extents of all its edges overlap, and the way back beside it.
    private func zigzag(_ count: Int) -> [Coordinate] {
        let points = (0..<count - 2).map { index in
            let along = Double(index) * 0.000_02
            return index % 2 == 0 ? (48 + along, 12 - along) : (49 + along, 13 - along)
        }
        let end = Double(count) * 0.000_02
        return ring(points + [(47.9 + end, 11.9 - end), (47.9, 11.9)])
    }

    @Test("A zigzag whose edges all cross each other is refused, and the polygons of maps are not")
    func intricateRing() throws {
        let error = #expect(throws: GeographicConditionError.self) { try PolygonGeographicCondition(ring: zigzag(992)) }
        #expect(error?.message == GeographicConditionError.tooIntricate.message)
        #expect(try PolygonGeographicCondition(ring: zigzag(100)).ring.count == 100)
        // A coast with bays of all sizes around 49° N.
        let coast = (0..<1000).map { index in
            let angle = Double(index) / 1000 * 2 * .pi
            let radius = 1 + 0.2 * sin(7 * angle) + 0.05 * sin(61 * angle) + 0.01 * sin(331 * angle)
            return (49 + radius * sin(angle), 11 + 1.5 * radius * cos(angle))
        }
        #expect(try PolygonGeographicCondition(ring: ring(coast)).ring.count == 1000)
        // A comb, and hundreds of holes.
        let comb = (0..<500).flatMap { index in
            let x = 11 + Double(index) * 0.001
            return index % 2 == 0 ? [(48.0, x), (49.0, x)] : [(49.0, x), (48.0, x)]
        }
        let closed = comb.dropLast(2) + [(47.5, 11.5), (47.5, 11)]
        #expect(try PolygonGeographicCondition(ring: ring(Array(closed))).ring.count == 1000)
        let holes = (0..<330).map { index in
            let (y, x) = (48.05 + Double(index / 20) * 0.05, 11.02 + Double(index % 20) * 0.045)
            return ring([(y, x), (y + 0.02, x), (y, x + 0.02)])
        }
        let perforated = try PolygonGeographicCondition(
            ring: ring([(48, 11), (48, 12), (49, 12), (49, 11)]), holes: holes)
        #expect(perforated.holes.count == 330)
    }

    private static let badHoles: [(holes: [[(Double, Double)]], code: GeographicConditionError.Code)] = [
        ([[(50, 11.2), (50, 11.4), (50.1, 11.4)]], .holeOutside),
        ([[(48.5, 11.5), (48.5, 12.5), (48.6, 11.5)]], .ringsCross),
        ([[(48.5, 11.2), (48.5, 11.8), (48.8, 11.5)], [(48.55, 11.45), (48.55, 11.55), (48.6, 11.5)]], .ringsCross),
        ([[(48.55, 11.45), (48.55, 11.55), (48.6, 11.5)], [(48.5, 11.2), (48.5, 11.8), (48.8, 11.5)]], .ringsCross),
        ([[(48.5, 11.5), (48, 11), (48.5, 11.2)]], .ringsCross),
    ]

    @Test("Holes outside, crossing, touching or inside another hole are refused", arguments: badHoles.indices)
    func holeIsRefused(index: Int) {
        let (holes, code) = Self.badHoles[index]
        let error = #expect(throws: GeographicConditionError.self) {
            try PolygonGeographicCondition(
                ring: ring([(48, 11), (48, 12), (49, 12), (49, 11)]), holes: holes.map(ring))
        }
        #expect(error?.code == code)
    }

    @Test("Direction and repetition of the first point do not matter")
    func orientation() throws {
        let points = [(48.0, 11.0), (48, 12), (49, 12), (49, 11)]
        let polygon = try PolygonGeographicCondition(ring: ring(points))
        let clockwise = try PolygonGeographicCondition(ring: ring(points.reversed() + [points[3], points[3]]))
        for place in [Coordinate(latitude: 48.5, longitude: 11.5), Coordinate(latitude: 47, longitude: 11.5)] {
            #expect(abs(polygon.signedDistance(from: place) - clockwise.signedDistance(from: place)) < 1e-3)
        }
        #expect(polygon.signedDistance(from: Coordinate(latitude: 48.5, longitude: 11.5)) < 0)
        #expect(polygon.ring.count == 4 && clockwise.ring.count == 4)
    }

    @Test("A hole is outside, and its border counts")
    func hole() throws {
        let polygon = try PolygonGeographicCondition(
            ring: ring([(48, 11), (48, 12), (49, 12), (49, 11)]),
            holes: [ring([(48.4, 11.4), (48.4, 11.6), (48.6, 11.6), (48.6, 11.4)])])
        #expect(polygon.signedDistance(from: Coordinate(latitude: 48.5, longitude: 11.5)) > 7000)
        let between = polygon.signedDistance(from: Coordinate(latitude: 48.5, longitude: 11.39))
        #expect(between < -700 && between > -760)
    }

    @Test("A polygon around a pole contains it, and one across the antimeridian what is between")
    func poleAndAntimeridian() throws {
        for sign in [1.0, -1] {
            let cap = try PolygonGeographicCondition(
                ring: ring([(sign * 80, -180), (sign * 80, -90), (sign * 80, 0), (sign * 80, 90), (sign * 80, 180)]))
            let pole = Coordinate(clampingLatitude: sign * 90, wrappingLongitude: 0)
            #expect(cap.signedDistance(from: pole) < -700_000)
            #expect(cap.signedDistance(from: Coordinate(clampingLatitude: sign * 79, wrappingLongitude: 45)) > 0)
            #expect(cap.signedDistance(from: Coordinate(clampingLatitude: -sign * 89, wrappingLongitude: 45)) > 0)
        }
        let fiji = try PolygonGeographicCondition(ring: ring([(-19, 177), (-19, -178), (-15, -178), (-15, 177)]))
        #expect(fiji.signedDistance(from: Coordinate(latitude: -17, longitude: 180)) < 0)
        #expect(fiji.signedDistance(from: Coordinate(latitude: -17, longitude: -180)) < 0)
        #expect(fiji.signedDistance(from: Coordinate(latitude: -17, longitude: 0)) > 1e6)
    }

    @Test("The distance to a polygon's border is that to its nearest sampled point", arguments: UInt64(0)..<60)
    func polygonDistance(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let polygon = try RandomConditions.polygon(&random)
        let border = polygon.ring.indices.flatMap { index -> [Coordinate] in
            let a = UnitVector(at: polygon.ring[index])
            let b = UnitVector(at: polygon.ring[(index + 1) % polygon.ring.count])
            return (0..<400).map { (a + (b - a) * (Double($0) / 400)).normalized.coordinate }
        }
        for _ in 0..<5 {
            let size = polygon.size
            let place = polygon.cap.center.coordinate.destination(
                distance: random.uniform(0...(3 * size)), bearing: random.uniform(0...360))
            let sampled = border.map { place.distance(to: $0) }.min() ?? 0
            let distance = abs(polygon.signedDistance(from: place))
            let spacing = 2 * size * .pi / 400
            #expect(distance <= sampled * 1.0001 + 0.01)
            #expect(distance >= sampled - spacing)
        }
    }

    @Test("The cheap distance never exceeds the exact one and has its sign", arguments: UInt64(0)..<40)
    func cheapDistance(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let condition = try RandomConditions.condition(&random, near: nil)
            let place = RandomConditions.place(&random)
            let exact = condition.signedDistance(from: place)
            let cheap = condition.signedDistance(from: place, exactWithin: 100)
            #expect(abs(cheap) <= abs(exact) * (1 + 1e-9) + 1e-6)
            #expect((cheap < 0) == (exact < 0))
            let item = BorderItem(condition, slot: 0)
            #expect(item.extent.distance(from: UnitVector(at: place)) <= abs(exact) + 1e-6)
        }
    }

    @Test("An edge of 100 km is within a metre of the shortest path on the ellipsoid", arguments: UInt64(0)..<30)
    func edges(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let (from, bearing) = (RandomConditions.place(&random), random.uniform(0...360))
        let (a, b) = (UnitVector(at: from), UnitVector(at: from.destination(distance: 100_000, bearing: bearing)))
        for share in [0.25, 0.5, 0.75] {
            let place = from.destination(distance: 100_000 * share, bearing: bearing)
            let foot = UnitVector(at: place).nearest(onArcFrom: a, to: b)
            #expect(place.distance(to: foot.coordinate) < 1)
        }
    }
}
