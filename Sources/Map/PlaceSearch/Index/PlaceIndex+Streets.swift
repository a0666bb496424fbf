import Glibc
import LocationModel
import SQLite

// House numbers, courses of streets, and areas.

extension PlaceIndex {
    /// A house.
    struct House {
        var id: Int64
        var street: Int64
        var number: String
        var position: MeanSphere.Position
        var postcode: String?
    }

    /// The crossing of two streets.
    struct Crossing {
        /// The name of the other street.
        var name: String
        /// The number of the other street.
        var other: Int64
        var position: MeanSphere.Position

        /// The distance within which common points belong to one crossing, in metres.
        static let reach = 150.0
        /// The greatest distance of two streets that cross without a common point, in metres.
        static let gap = 30.0
    }

    /// Returns the crossing of two streets nearest to a position, or the first one; `nil` if they do not meet.
    func crossing(
        of street: Int64, and other: Int64, called name: String, near center: Coordinate?
    ) throws(PlaceIndexError) -> Crossing? {
        let (one, two) = (try courses(of: street), try courses(of: other))
        let known = Set(one.map { Point($0) })
        var common = two.filter { known.contains(Point($0)) }
        if common.isEmpty {
            common = nearestPoint(of: one, to: two).map { [$0] } ?? []
        }
        let nearest = center.flatMap { center in
            common.min {
                MeanSphere.distance(from: center.degrees, to: $0) < MeanSphere.distance(from: center.degrees, to: $1)
            }
        }
        guard let first = nearest ?? common.first else { return nil }
        // Streets with two carriageways meet in four points.
        let points = common.filter { MeanSphere.distance(from: first, to: $0) <= Crossing.reach }
        let count = Double(points.count)
        return Crossing(
            name: name, other: other,
            position: (
                points.map(\.latitude).reduce(0, +) / count, points.map(\.longitude).reduce(0, +) / count
            ))
    }

    /// Returns the point of a course nearest to another one; `nil` if they are farther apart than the gap of a crossing.
    private func nearestPoint(
        of one: [MeanSphere.Position], to two: [MeanSphere.Position]
    ) -> MeanSphere.Position? {
        var (least, nearest): (Double, MeanSphere.Position?) = (Crossing.gap, nil)
        // Only points at about the same latitude are compared: both may have thousands.
        let height = Crossing.gap / MeanSphere.radius * 180 / .pi
        let two = two.sorted { $0.latitude < $1.latitude }
        var start = 0
        for a in one.sorted(by: { $0.latitude < $1.latitude }) {
            while start < two.count, two[start].latitude < a.latitude - height { start += 1 }
            for b in two[start...].prefix(while: { $0.latitude <= a.latitude + height }) {
                let distance = MeanSphere.distance(from: a, to: b)
                if distance < least { (least, nearest) = (distance, a) }
            }
        }
        return nearest
    }

    private struct Point: Hashable {
        let latitude: Int
        let longitude: Int

        init(_ point: (latitude: Double, longitude: Double)) {
            latitude = PlaceShape.fixed(point.latitude)
            longitude = PlaceShape.fixed(point.longitude)
        }
    }

    /// Returns the points of a street.
    private func courses(of street: Int64) throws(PlaceIndexError) -> [(latitude: Double, longitude: Double)] {
        try shapes(of: street).flatMap { $0.parts.joined().map { (latitude: $0.latitude, longitude: $0.longitude) } }
    }

    /// Returns the ways of a street.
    private func shapes(of street: Int64) throws(PlaceIndexError) -> [PlaceShape] {
        try database.rows("SELECT points FROM course WHERE street = ? LIMIT 1000", [SQLValue(street)]) {
            (row) throws(PlaceIndexError) in PlaceShape(bytes: try row.blob(0))
        }.compactMap { $0 }
    }

    /// Returns the point on the course of a street that is nearest to a position; `nil` without a course.
    func nearestPoint(ofStreet street: Int64, to center: Coordinate) throws(PlaceIndexError) -> MeanSphere.Position? {
        try shapes(of: street)
            .compactMap { $0.nearest(toLatitude: center.latitude, longitude: center.longitude) }
            .min { $0.distance < $1.distance }.map { ($0.point.latitude, $0.point.longitude) }
    }

    /// Returns the house in a street whose number is nearest to the one that is searched for: the same, one of a range, or the
    /// number with another letter; `nil` if there is none.
    func house(
        _ number: HouseNumber, in street: Int64
    ) throws(PlaceIndexError) -> (house: House, mismatch: Int)? {
        func best(_ houses: [House]) -> (house: House, mismatch: Int)? {
            houses.lazy.compactMap { house in
                HouseNumber(house.number).flatMap { number.mismatch(with: $0) }.map { (house: house, mismatch: $0) }
            }.min { ($0.mismatch, $0.house.number.utf8.count) < ($1.mismatch, $1.house.number.utf8.count) }
        }
        // Nearly all begin with the digits, and are found by the index of the table.
        let likely = try database.rows(
            """
            SELECT id, street, number, latitude, longitude, postcode FROM address
            WHERE street = ? AND number >= ? AND number < ? LIMIT 1000
            """, [SQLValue(street), .text(number.digits), .text(number.digits + "\u{10FFFF}")], read: house)
        if let found = best(likely) { return found }
        return best(
            try database.rows(
                "SELECT id, street, number, latitude, longitude, postcode FROM address WHERE street = ? LIMIT 3000",
                [SQLValue(street)], read: house))
    }

    /// Returns the houses within `radius` metres, the nearest first.
    func houses(
        near center: Coordinate, radius: Double
    ) throws(PlaceIndexError) -> [(house: House, distance: Double)] {
        var found: [(house: House, distance: Double)] = []
        for range in PlaceGrid.ranges(around: center, radius: radius) {
            found += try database.rows(
                """
                SELECT address.id, street, number, latitude, longitude, postcode
                FROM spot JOIN address ON address.id = item WHERE kind = ? AND cell BETWEEN ? AND ? LIMIT 2000
                """, [SQLValue(Spot.address), SQLValue(range.lowerBound), SQLValue(range.upperBound)]
            ) { (row) throws(PlaceIndexError) in
                let house = try house(row)
                return (house, MeanSphere.distance(from: center.degrees, to: house.position))
            }
        }
        return found.filter { $0.distance <= radius }.sorted { $0.distance < $1.distance }
    }

    /// Returns the streets within `radius` metres, each once, the nearest first.
    func streets(
        near center: Coordinate, radius: Double
    ) throws(PlaceIndexError) -> [(street: Int64, distance: Double)] {
        let (dy, dx) = (
            radius / WGS84.shortestDegree, radius / WGS84.shortestDegree / max(0.01, cos(center.latitude.radians))
        )
        let box = [center.longitude - dx, center.longitude + dx, center.latitude - dy, center.latitude + dy]
            .map { Int64(min(max($0, -214), 214) * 1e7) }
        let pieces = try database.rows(
            """
            SELECT street, points FROM course_box JOIN course USING (id)
            WHERE east >= ? AND west <= ? AND north >= ? AND south <= ? LIMIT 1000
            """, box.map { SQLValue($0) }
        ) { (row) throws(PlaceIndexError) in (try row.integer(0, as: Int64.self), PlaceShape(bytes: try row.blob(1))) }
        var best: [Int64: Double] = [:]
        for (street, shape) in pieces {
            guard let shape else { continue }
            let distance = shape.distance(toLatitude: center.latitude, longitude: center.longitude)
            if distance <= min(radius, best[street] ?? .infinity) { best[street] = distance }
        }
        return best.map { ($0.key, $0.value) }.sorted { $0.distance < $1.distance }
    }

    /// Returns the administrative areas around a position.
    func areas(at center: Coordinate) throws(PlaceIndexError) -> [(level: Int, name: String, code: String?)] {
        let (x, y) = (Int64(center.longitude * 1e7), Int64(center.latitude * 1e7))
        return try database.rows(
            """
            SELECT level, name, code, points FROM area_box JOIN area USING (id)
            WHERE west <= ? AND east >= ? AND south <= ? AND north >= ? LIMIT 200
            """, [x, x, y, y].map { SQLValue($0) }
        ) { (row) throws(PlaceIndexError) -> (level: Int, name: String, code: String?)? in
            let shape = PlaceShape(bytes: try row.blob(3))
            guard shape?.contains(latitude: center.latitude, longitude: center.longitude) == true else { return nil }
            return (try row.integer(0), try row.words(1), try row.optionalWords(2))
        }.compactMap { $0 }
    }

    private func house(_ row: SQLRow<PlaceIndexError>) throws(PlaceIndexError) -> House {
        House(
            id: try row.integer(0), street: try row.integer(1), number: try row.words(2),
            position: (try row.degrees(3, limit: 90), try row.degrees(4, limit: 180)),
            postcode: try row.optionalWords(5))
    }
}
