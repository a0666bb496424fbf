import SeededRandom
import LocationModel
import LocationPolicy

extension SeededGenerator {
    /// A random place between 75° south and north, uniform by area.
    mutating func place() -> Coordinate {
        Coordinate(
            clampingLatitude: .random(in: -75...75, using: &self),
            wrappingLongitude: .random(in: -180...180, using: &self))
    }
}

/// An offset on the plane around a place, in metres to the east and north.
struct Offset: Equatable {
    var east: Double
    var north: Double

    static func - (a: Offset, b: Offset) -> Offset { Offset(east: a.east - b.east, north: a.north - b.north) }
    static func + (a: Offset, b: Offset) -> Offset { Offset(east: a.east + b.east, north: a.north + b.north) }
    static func * (a: Offset, f: Double) -> Offset { Offset(east: a.east * f, north: a.north * f) }
    var length: Double { (east * east + north * north).squareRoot() }
}

extension Array where Element == Offset {
    var mean: Offset { reduce(Offset(east: 0, north: 0), +) * (1 / Double(count)) }

    var middleOfExtremes: Offset {
        func middle(_ values: [Double]) -> Double { ((values.min() ?? 0) + (values.max() ?? 0)) / 2 }
        return Offset(east: middle(map(\.east)), north: middle(map(\.north)))
    }
}

extension Array where Element == Double {
    var mean: Double { reduce(0, +) / Double(count) }
}

/// The tangent plane of the earth at a place: exact to a fraction of a percent within some 20 km.
struct LocalPlane {
    let origin: Coordinate
    private let metresPerDegreeEast: Double
    private let metresPerDegreeNorth: Double

    init(origin: Coordinate) {
        func metres(_ north: Double, _ east: Double) -> Double {
            let other = Coordinate(
                latitude: origin.latitude + north, longitude: wrapped(origin.longitude + east))!
            return origin.distance(to: other) / 0.01
        }
        self.origin = origin
        metresPerDegreeNorth = metres(0.01, 0)
        metresPerDegreeEast = metres(0, 0.01)
    }

    func coordinate(_ offset: Offset) -> Coordinate {
        Coordinate(
            latitude: origin.latitude + offset.north / metresPerDegreeNorth,
            longitude: wrapped(origin.longitude + offset.east / metresPerDegreeEast))!
    }

    func offset(of place: Coordinate) -> Offset {
        Offset(
            east: wrapped(place.longitude - origin.longitude) * metresPerDegreeEast,
            north: (place.latitude - origin.latitude) * metresPerDegreeNorth)
    }
}

private func wrapped(_ longitude: Double) -> Double {
    longitude - (longitude / 360).rounded() * 360
}

/// A client's reduced locations in 24 hours, with the true positions at those times.
struct ObservedDay {
    /// One delivery.
    struct Sighting {
        var location: Location
        /// The delivered and the true place, on the plane.
        var told: Offset
        var truth: Offset
    }

    private(set) var sightings: [Sighting] = []

    /// A day with one fix a minute, each with an error of some 5 m.
    init(
        around origin: Coordinate, generator: inout SeededGenerator,
        walking way: (_ minute: Int, inout SeededGenerator) -> Offset
    ) {
        let plane = LocalPlane(origin: origin)
        var reduction = AccuracyReduction(secret: .init(using: &generator))
        let start = ContinuousClock.now
        for minute in 0..<(24 * 60) {
            let truth = way(minute, &generator)
            let noise = Offset(
                east: .random(in: -5...5, using: &generator), north: .random(in: -5...5, using: &generator))
            var location = Location(
                coordinate: plane.coordinate(truth + noise),
                timestamp: Timestamp(nanosecondsSince1970: Int64(minute) * 60_000_000_000))
            location.horizontalAccuracy = 5
            guard let reduced = reduction.reduce(location, at: start + .seconds(60 * minute)) else { continue }
            sightings.append(
                Sighting(location: reduced, told: plane.offset(of: reduced.coordinate), truth: truth))
        }
    }

    /// A walk at 84 m a minute from one random point to the next, within 8 km in each direction.
    static func walk(generator: inout SeededGenerator) -> ObservedDay {
        var position = Offset(east: 0, north: 0)
        var target = position
        return ObservedDay(around: generator.place(), generator: &generator) { _, generator in
            let way = target - position
            if way.length < 84 {
                target = Offset(
                    east: .random(in: -8000...8000, using: &generator),
                    north: .random(in: -8000...8000, using: &generator))
            } else {
                position = position + way * (84 / way.length)
            }
            return position
        }
    }
}

extension Array where Element == ObservedDay.Sighting {
    /// The pairs of deliveries between which the cell changed.
    var changes: [(before: Element, after: Element)] {
        zip(self, dropFirst()).filter { $0.told != $1.told }.map { (before: $0, after: $1) }
    }
}
