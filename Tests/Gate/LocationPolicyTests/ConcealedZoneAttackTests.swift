import Glibc
import SeededRandom
import Testing

@testable import LocationPolicy

/// Attacks of an observer on the centre of a place whose surroundings are withheld.
///
/// The observer sees the last location before each of 200 passages of the zone and the first one after it, and knows how zones
/// are made, but not the secret. Distances are in metres around the place, whose radius is 300 m.
@Suite("Attacks on a concealed zone", .timeLimit(.minutes(10))) struct ConcealedZoneAttackTests {
    static let radius = 300.0
    /// The share of hits of a blind guess on the ring of possible places, with a margin for chance.
    static let blind = 0.17

    @Test("200 passages, on straight roads and on a grid of streets, do not reveal the centre better than the radius")
    func passages() {
        var generator = SeededGenerator(seed: 1)
        for (name, ways) in [("random roads", Way.straight), ("grid of streets", Way.street)] {
            let errors = errors(secrets: 100, using: &generator) { zone, generator in
                passages(200, of: zone, using: &generator) { ways(&$0) }
            }
            for (estimator, errors) in errors {
                report(name, estimator, errors)
                #expect(errors.median > Self.radius, "\(name), \(estimator)")
                // This one scatters, and sometimes hits like a blind guess.
                let least = estimator == "best crossing" ? 1 - Self.blind : 0.95
                #expect(errors.share { $0 > Self.radius } >= least, "\(name), \(estimator)")
            }
        }
    }

    @Test("neither does the whole border, which unlimited passages reveal")
    func wholeBorder() {
        var generator = SeededGenerator(seed: 2)
        let errors = errors(secrets: 100, using: &generator) { zone, _ in
            (0..<500).map { step in
                let direction = Double(step) / 500 * 2 * .pi
                let point = zone.center + SIMD2(sin(direction), cos(direction)) * zone.border(direction)
                return Sight(point: point, course: SIMD2(sin(direction), cos(direction)))
            }
        }
        for (estimator, errors) in errors where !estimator.hasSuffix("crossing") {
            report("whole border", estimator, errors)
            #expect(errors.share { $0 > Self.radius } == 1, "\(estimator)")
        }
    }

    @Test("with the scheme known, a guess of the direction is closer than the radius in one of seven cases only")
    func informedGuess() {
        var generator = SeededGenerator(seed: 3)
        let zones = (0..<1000).map { _ in ConcealedZoneTests.zone(using: &generator) }
        // Exact centre of the zone, likeliest distance, some direction; the nearest and the farthest point of the border.
        var (some, nearest, farthest): ([Double], [Double], [Double]) = ([], [], [])
        for zone in zones {
            func error(_ direction: Double) -> Double {
                (zone.center + SIMD2(sin(direction), cos(direction)) * (2.4 * Self.radius)).length
            }
            let directions = (0..<45).map { Double($0) / 45 * 2 * .pi }
            some.append(error(generator.uniform(0...(2 * .pi))))
            nearest.append(error(directions.min { zone.border($0) < zone.border($1) }!))
            farthest.append(error(directions.max { zone.border($0) < zone.border($1) }!))
        }
        for (name, errors) in [("some", some), ("nearest border", nearest), ("farthest border", farthest)] {
            report("ring guess", name, errors)
            #expect(errors.share { $0 <= Self.radius } < Self.blind, "\(name)")
            #expect(errors.median > 1.3 * Self.radius, "\(name)")
        }
    }

    /// The reason why the secret outlives the place: two zones around one centre, of two secrets or two radii, leave two
    /// candidates.
    @Test("two zones around the same place reveal more than one, as the documentation states")
    func twoZones() {
        var generator = SeededGenerator(seed: 7)
        let errors = (0..<300).map { _ -> Double in
            let centers = (0..<2).map { _ in ConcealedZoneTests.zone(using: &generator).center }
            let (middle, half) = ((centers[0] + centers[1]) / 2, (centers[1] - centers[0]) / 2)
            let height = max(0, (2.4 * Self.radius) * (2.4 * Self.radius) - half.length * half.length).squareRoot()
            let across = SIMD2(half.y, -half.x) / half.length
            return (middle + across * (generator.next() & 1 == 0 ? height : -height)).length
        }
        report("two zones", "crossing of the rings", errors)
        #expect(errors.share { $0 <= Self.radius } > 0.3)
    }

    @Test("a sharp circle is revealed by a few passages, so the attacks work")
    func sharpCircle() {
        var generator = SeededGenerator(seed: 4)
        var errors: [String: [Double]] = [:]
        for _ in 0..<20 {
            var sights: [Sight] = []
            while sights.count < 400 {
                sights +=
                    Way.straight(&generator)
                    .sights(around: SIMD2(0, 0), within: Self.radius, using: &generator) { $0.length < Self.radius }
                    ?? []
            }
            for (name, guess) in Estimate.all(sights) { errors[name, default: []].append(guess.length) }
        }
        for name in ["circle fit", "centroid of ends", "curve fit"] {
            #expect((errors[name] ?? []).median < 0.2 * Self.radius, "\(name)")
        }
    }

    @Test("journeys to the place by streets do not reveal it to those who do not know the scheme")
    func journeysByStreets() {
        var generator = SeededGenerator(seed: 5)
        let errors = errors(secrets: 60, using: &generator) { zone, generator in
            let (turn, block) = (generator.uniform(0...(2 * .pi)), generator.uniform(80...160))
            return (0..<200).compactMap { _ in
                Way.home(turn: turn, block: block, &generator).sights(of: zone, using: &generator)?.first
            }
        }
        for (estimator, errors) in errors {
            report("journeys home by streets", estimator, errors)
            guard estimator != "extrapolated centroid" else { continue }
            #expect(errors.median > Self.radius, "\(estimator)")
            #expect(errors.share { $0 > Self.radius } >= 1 - Self.blind, "\(estimator)")
        }
    }

    /// The limit of any zone: ways that all lead to the place cross there.
    @Test("straight journeys to the place reveal it, as the documentation states")
    func straightJourneys() {
        var generator = SeededGenerator(seed: 6)
        let errors = errors(secrets: 60, using: &generator) { zone, generator in
            (0..<200).compactMap { _ in
                let direction = generator.uniform(0...(2 * .pi))
                let course = SIMD2(sin(direction), cos(direction))
                return Way(points: [course * -9 * Self.radius, SIMD2(0, 0)]).sights(of: zone, using: &generator)?.first
            }
        }
        for (estimator, errors) in errors { report("straight journeys home", estimator, errors) }
        #expect((errors.first { $0.0 == "best crossing" }?.1 ?? []).median < 30)
    }

    // MARK: Observations

    private func passages(
        _ count: Int, of zone: ConcealedZone, using generator: inout SeededGenerator,
        along way: (inout SeededGenerator) -> Way
    ) -> [Sight] {
        var sights: [Sight] = []
        while sights.count < 2 * count {
            sights += way(&generator).sights(of: zone, using: &generator) ?? []
        }
        return sights
    }

    private func errors(
        secrets: Int, using generator: inout SeededGenerator,
        _ sights: (ConcealedZone, inout SeededGenerator) -> [Sight]
    ) -> [(String, [Double])] {
        var errors: [String: [Double]] = [:]
        for _ in 0..<secrets {
            let zone = ConcealedZoneTests.zone(radius: Self.radius, using: &generator)
            for (name, guess) in Estimate.all(sights(zone, &generator)) {
                errors[name, default: []].append(guess.length)
            }
        }
        return errors.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    private func report(_ scenario: String, _ estimator: String, _ errors: [Double]) {
        let sorted = errors.sorted()
        func metres(_ value: Double) -> Int { Int(value.rounded()) }
        print(
            "\(scenario), \(estimator): error min \(metres(sorted[0])) m, 5 % \(metres(sorted[sorted.count / 20])) m, median "
                + "\(metres(errors.median)) m; within \(Int(Self.radius)) m: "
                + "\(metres(100 * errors.share { $0 <= Self.radius })) %")
    }
}

/// A location at the edge of a gap, with the course over ground.
private struct Sight {
    var point: SIMD2<Double>
    var course: SIMD2<Double>
}

/// A way on the plane around the place, from point to point.
private struct Way {
    var points: [SIMD2<Double>]

    /// A straight road, of all that cross the surroundings; most pass far from the place.
    static func straight(_ generator: inout SeededGenerator) -> Way {
        let direction = generator.uniform(0...(2 * .pi))
        return along(direction, offset: generator.uniform(-2000...2000))
    }

    /// A street of a grid with blocks of 120 m.
    static func street(_ generator: inout SeededGenerator) -> Way {
        let direction = 0.3 + Double.pi / 2 * generator.uniform(0...4).rounded(.down)
        return along(direction, offset: (generator.uniform(-2000...2000) / 120).rounded() * 120 + 40)
    }

    private static func along(_ direction: Double, offset: Double) -> Way {
        let course = SIMD2(sin(direction), cos(direction))
        let foot = SIMD2(course.y, -course.x) * offset
        return Way(points: [foot - course * 3000, foot + course * 3000])
    }

    /// A journey to the place along the streets of a grid, with turns at random corners.
    static func home(turn: Double, block: Double, _ generator: inout SeededGenerator) -> Way {
        let axes = [SIMD2(sin(turn), cos(turn)), SIMD2(cos(turn), -sin(turn))]
        // Backwards from the place; towards one quarter, by one to four blocks at a time.
        let signs = axes.map { $0 * (generator.next() & 1 == 0 ? 1 : -1) }
        var (points, axis) = ([SIMD2(0.0, 0.0)], Int(generator.next() & 1))
        while points[points.count - 1].length < 2400 {
            let blocks = generator.uniform(1...5).rounded(.down)
            points.append(points[points.count - 1] + signs[axis] * block * blocks)
            axis = 1 - axis
        }
        return Way(points: points.reversed())
    }

    /// The sights of a passage of `zone`.
    func sights(of zone: ConcealedZone, using generator: inout SeededGenerator) -> [Sight]? {
        sights(around: zone.center, within: 4 * zone.place.radius, using: &generator) { zone.conceals($0) }
    }

    /// The last location before the first concealed one, and the first after the last, with fixes every 15 m that are wrong
    /// by some metres; one for a way that ends in the zone, `nil` for one that does not meet it.
    ///
    /// Nothing is concealed farther than `reach` from `center`.
    func sights(
        around center: SIMD2<Double>, within reach: Double, using generator: inout SeededGenerator,
        _ isConcealed: (SIMD2<Double>) -> Bool
    ) -> [Sight]? {
        func approach(_ points: [SIMD2<Double>]) -> Sight? {
            var last: Sight?
            var start = generator.uniform(0...15)
            for (from, to) in zip(points, points.dropFirst()) {
                let length = (to - from).length
                let course = (to - from) / length
                while start < length {
                    let here = from + course * start
                    let distance = (here - center).length - reach
                    if distance > 100 {
                        start += ((distance - 50) / 15).rounded(.down) * 15
                        continue
                    }
                    let fix = here + generator.normalVector() * 3
                    if isConcealed(fix) { return last }
                    last = Sight(point: fix, course: course)
                    start += 15
                }
                start -= length
            }
            return nil
        }
        guard let before = approach(points) else { return nil }
        return [before] + (approach(points.reversed()).map { [$0] } ?? [])
    }
}

/// Guesses of the centre from the sights.
private enum Estimate {
    static func all(_ sights: [Sight]) -> [(String, SIMD2<Double>)] {
        let points = sights.map(\.point)
        let circle = circle(points)
        let hull = hull(points)
        let mean = points.reduce(SIMD2(0, 0), +) / Double(points.count)
        return [
            ("centroid of ends", mean), ("circle fit", circle), ("enclosing circle", enclosing(hull)),
            ("convex hull", centroid(hull)), ("curve fit", curve(points, around: circle)),
            ("mean crossing", crossing(sights)), ("best crossing", crossing(sights, rounds: 4)),
            ("extrapolated centroid", circle + (mean - circle) * 2),
        ]
    }

    /// The centre of the circle with the least squares (I. Kåsa, 1976).
    private static func circle(_ points: [SIMD2<Double>]) -> SIMD2<Double> {
        let rows = points.map { [2 * $0.x, 2 * $0.y, 1] }
        let solution = leastSquares(rows, points.map { ($0 * $0).sum() })
        return SIMD2(solution[0], solution[1])
    }

    /// The centre of the smallest enclosing circle (M. Bădoiu and K. Clarkson, 2003).
    private static func enclosing(_ points: [SIMD2<Double>]) -> SIMD2<Double> {
        var center = points[0]
        for step in 1...300 {
            let farthest = points.max { ($0 - center).length < ($1 - center).length }!
            center += (farthest - center) / Double(step + 1)
        }
        return center
    }

    /// The centroid of the curve that fits the distances from `origin` best, by direction.
    private static func curve(_ points: [SIMD2<Double>], around origin: SIMD2<Double>) -> SIMD2<Double> {
        func terms(_ direction: Double) -> [Double] {
            [1] + (1...5).flatMap { [cos(Double($0) * direction), sin(Double($0) * direction)] }
        }
        let offsets = points.map { $0 - origin }
        let weights = leastSquares(offsets.map { terms(atan2($0.x, $0.y)) }, offsets.map(\.length))
        return origin
            + centroid(
                (0..<90).map { step in
                    let direction = -Double(step) / 90 * 2 * .pi
                    let distance = zip(weights, terms(direction)).reduce(0) { $0 + $1.0 * $1.1 }
                    return SIMD2(sin(direction), cos(direction)) * distance
                })
    }

    /// The point nearest to all lines through the sights; in each further round, to the better half of them.
    private static func crossing(_ sights: [Sight], rounds: Int = 0) -> SIMD2<Double> {
        let lines = sights.map { sight in
            let normal = SIMD2(sight.course.y, -sight.course.x)
            return (normal: normal, offset: (normal * sight.point).sum())
        }
        var kept = lines[...]
        var guess = SIMD2(0.0, 0.0)
        for round in 0...rounds {
            if round > 0 {
                let misses = lines.map { (miss: abs((guess * $0.normal).sum() - $0.offset), line: $0) }
                kept = misses.sorted { $0.miss < $1.miss }.map(\.line).prefix(max(3, lines.count / 2))
            }
            let solution = leastSquares(kept.map { [$0.normal.x, $0.normal.y] }, kept.map(\.offset))
            guess = SIMD2(solution[0], solution[1])
        }
        return guess
    }

    private static func hull(_ points: [SIMD2<Double>]) -> [SIMD2<Double>] {
        let sorted = points.sorted { ($0.x, $0.y) < ($1.x, $1.y) }
        func chain(_ points: [SIMD2<Double>]) -> [SIMD2<Double>] {
            var chain: [SIMD2<Double>] = []
            for point in points {
                while chain.count > 1 {
                    let (a, b) = (chain[chain.count - 1] - chain[chain.count - 2], point - chain[chain.count - 1])
                    if a.x * b.y - a.y * b.x > 0 { break }
                    chain.removeLast()
                }
                chain.append(point)
            }
            return chain.dropLast()
        }
        return chain(sorted) + chain(sorted.reversed())
    }

    /// The centroid of the area of a polygon.
    private static func centroid(_ polygon: [SIMD2<Double>]) -> SIMD2<Double> {
        var (sum, area) = (SIMD2(0.0, 0.0), 0.0)
        for (a, b) in zip(polygon, polygon.dropFirst() + polygon.prefix(1)) {
            let cross = a.x * b.y - b.x * a.y
            sum += (a + b) * cross
            area += 3 * cross
        }
        return sum / area
    }

    /// The weights of the columns for which the sum of squared differences from `values` is least (normal equations).
    private static func leastSquares(_ rows: [[Double]], _ values: [Double]) -> [Double] {
        let size = rows[0].count
        var matrix = [[Double]](repeating: [Double](repeating: 0, count: size + 1), count: size)
        for (row, value) in zip(rows, values) {
            for i in 0..<size {
                for j in 0..<size { matrix[i][j] += row[i] * row[j] }
                matrix[i][size] += row[i] * value
            }
        }
        for i in 0..<size {
            let pivot = (i..<size).max { abs(matrix[$0][i]) < abs(matrix[$1][i]) }!
            matrix.swapAt(i, pivot)
            for j in 0..<size where j != i {
                let factor = matrix[j][i] / matrix[i][i]
                for k in i...size { matrix[j][k] -= factor * matrix[i][k] }
            }
        }
        return (0..<size).map { matrix[$0][size] / matrix[$0][$0] }
    }
}

extension SIMD2<Double> {
    var length: Double { hypot(x, y) }
}

extension [Double] {
    var median: Double { isEmpty ? .nan : sorted()[count / 2] }
    func share(_ predicate: (Double) -> Bool) -> Double { Double(count(where: predicate)) / Double(count) }
}
