import Glibc
package import LocationConditions
import LocationModel
import SeededRandom

/// A simulated day: the true place in every second, and the conditions of the programs.
package struct Day: Sendable {
    /// The name in the table.
    package var name: String
    /// The conditions.
    package var conditions: [GeographicCondition] = []
    /// The true places, in metres, a second each.
    package private(set) var places: [SIMD2<Double>]
    private static let acceleration = 2.0

    /// A day that begins at `start`.
    init(_ name: String, at start: SIMD2<Double>) {
        self.name = name
        places = [start]
    }

    private var here: SIMD2<Double> { places[places.count - 1] }

    mutating func stay(_ seconds: Double) {
        places += Array(repeating: here, count: Int(seconds))
    }

    /// Drives in a straight line, from a standstill to a standstill.
    mutating func go(to target: SIMD2<Double>, speed: Double) {
        let (start, way) = (here, target - here)
        let distance = hypot(way.x, way.y)
        guard distance > 0.1 else { return }
        let top = min(speed, (distance * Self.acceleration).squareRoot())
        let ramp = top / Self.acceleration
        let cruise = distance / top - ramp
        let total = cruise + 2 * ramp
        for second in 1...Int(total.rounded(.up)) {
            let time = min(Double(second), total)
            let rest = total - time
            let covered =
                time < ramp
                ? Self.acceleration / 2 * time * time
                : rest < ramp ? distance - Self.acceleration / 2 * rest * rest : top * (time - ramp / 2)
            places.append(start + way * (covered / distance))
        }
    }

    mutating func fill() {
        if places.count < 86_400 { stay(Double(86_400 - places.count)) }
        places = Array(places.prefix(86_400))
    }

    mutating func addCircle(_ center: SIMD2<Double>, _ radius: Double) {
        if let circle = try? CircularGeographicCondition(center: Field.coordinate(center), radius: radius) {
            conditions.append(.circle(circle))
        }
    }

    mutating func addPolygon(_ points: [SIMD2<Double>]) {
        if let polygon = try? PolygonGeographicCondition(ring: points.map(Field.coordinate)) {
            conditions.append(.polygon(polygon))
        }
    }

    /// Home, walk, motorway, office, lunch, sports and back, with a town as a polygon.
    package static func commuter(seed: UInt64) -> Day {
        var random = SeededGenerator(seed: seed)
        func near(_ x: Double, _ y: Double) -> SIMD2<Double> {
            SIMD2(x + random.uniform(-20...20), y + random.uniform(-20...20))
        }
        var day = Day("commuter", at: near(0, 0))
        day.addCircle(SIMD2(0, 0), 150)
        day.addCircle(SIMD2(25_000, 3000), 100)
        day.addCircle(SIMD2(25_600, 3300), 100)
        day.addCircle(SIMD2(10_000, -2000), 200)
        for index in 0..<10 { day.addCircle(SIMD2(Double(index) * 3000, 1500 + 300 * random.uniform(0...1)), 200) }
        day.addPolygon([SIMD2(20_000, -2000), SIMD2(30_000, -2000), SIMD2(31_000, 8000), SIMD2(20_000, 7000)])
        day.stay(7 * 3600 + random.uniform(0...1800))
        day.go(to: near(300, 100), speed: 1.4)
        day.go(to: SIMD2(2000, 500), speed: 14)
        day.go(to: SIMD2(22_000, 2500), speed: 36)
        day.go(to: near(24_900, 3200), speed: 14)
        day.go(to: near(25_000, 3000), speed: 1.4)
        day.stay(4 * 3600)
        day.go(to: near(25_600, 3300), speed: 1.4)
        day.stay(2400)
        day.go(to: near(25_000, 3000), speed: 1.4)
        day.stay(4 * 3600)
        day.go(to: SIMD2(22_000, 2500), speed: 14)
        day.go(to: near(10_000, -2000), speed: 30)
        day.stay(5400)
        day.go(to: SIMD2(2000, 500), speed: 25)
        day.go(to: near(0, 0), speed: 14)
        day.fill()
        return day
    }

    /// 80 stops in a town, of which 20 and the depot have conditions.
    package static func deliveryVan(seed: UInt64) -> Day {
        var random = SeededGenerator(seed: seed)
        var day = Day("delivery van", at: .zero)
        day.addCircle(.zero, 200)
        day.stay(6 * 3600)
        for stop in 0..<80 {
            let target = SIMD2(random.uniform(-8000...8000), random.uniform(-8000...8000))
            if stop.isMultiple(of: 4) { day.addCircle(target, 100) }
            day.go(to: target, speed: random.uniform(9...20))
            day.stay(random.uniform(60...240))
        }
        day.go(to: .zero, speed: 14)
        day.fill()
        return day
    }

    /// At home, with a condition around it and others in town.
    package static func home(seed: UInt64) -> Day {
        var random = SeededGenerator(seed: seed)
        var day = Day("at home all day", at: SIMD2(random.uniform(-20...20), 0))
        day.addCircle(.zero, 150)
        for _ in 0..<10 { day.addCircle(SIMD2(random.uniform(1000...8000), random.uniform(-8000...8000)), 150) }
        day.fill()
        return day
    }

    /// Out of a harbour, past marks, at anchor, and back.
    package static func sailing(seed: UInt64) -> Day {
        var random = SeededGenerator(seed: seed)
        var day = Day("sailing", at: .zero)
        day.addCircle(.zero, 300)
        let anchorage = SIMD2(18_000.0, 9000)
        day.addCircle(anchorage, 80)
        for index in 1..<6 { day.addCircle(SIMD2(Double(index) * 3000, Double(index) * 1500), 200) }
        day.addPolygon([SIMD2(6000, -5000), SIMD2(9000, -5000), SIMD2(9000, 20_000), SIMD2(6000, 20_000)])
        day.stay(8 * 3600)
        var place = SIMD2(0.0, 0)
        for leg in 1...12 {
            place = anchorage * (Double(leg) / 12)
            let aside = leg == 12 ? 0 : (leg.isMultiple(of: 2) ? 1.0 : -1.0) * random.uniform(300...900)
            day.go(to: place + SIMD2(-aside / 2, aside), speed: random.uniform(2...4))
        }
        for _ in 0..<40 {
            day.go(to: anchorage + SIMD2(random.uniform(-20...20), random.uniform(-20...20)), speed: 0.3)
            day.stay(random.uniform(60...300))
        }
        day.go(to: .zero, speed: 3.5)
        day.fill()
        return day
    }

    /// All kinds of days.
    package static let all: [@Sendable (UInt64) -> Day] = [commuter, deliveryVan, home, sailing]
}
