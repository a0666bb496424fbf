import Glibc
import LocationModel
import SQLite

/// Looks up the administrative areas and the settlement of a position, while an index is written.
final class AreaLookup {
    /// The areas around a position.
    struct Answer {
        var locality: String?
        var subLocality: String?
        var region: String?
        var country: String?
    }

    private let database: SQLDatabase<PlaceIndexError>
    /// The areas used last, because positions of one neighbourhood need the same ones.
    private var cache: [Int64: PlaceShape] = [:]

    init(database: SQLDatabase<PlaceIndexError>) { self.database = database }

    static func create(_ database: SQLDatabase<PlaceIndexError>) throws(PlaceIndexError) {
        try database.run(
            "CREATE TABLE area (id INTEGER PRIMARY KEY, level INTEGER, name TEXT, code TEXT, points BLOB)")
        try database.run("CREATE VIRTUAL TABLE area_box USING rtree_i32 (id, west, east, south, north)")
        try database.run(
            """
            CREATE TABLE settlement (cell INTEGER, id INTEGER, name TEXT, importance INTEGER, latitude REAL,
                longitude REAL, PRIMARY KEY (cell, id)) WITHOUT ROWID
            """)
    }

    func add(_ shape: PlaceShape, level: Int, name: String, code: String?) throws(PlaceIndexError) {
        let bounds = shape.bounds
        try database.run(
            "INSERT INTO area (level, name, code, points) VALUES (?, ?, ?, ?)",
            [SQLValue(level), .text(name), SQLValue(code), .blob(shape.bytes)])
        try database.run(
            "INSERT INTO area_box VALUES (last_insert_rowid(), ?, ?, ?, ?)",
            [bounds.west, bounds.east, bounds.south, bounds.north].map { SQLValue(PlaceShape.fixed($0)) })
    }

    func addSettlement(_ name: String, importance: Int, at point: PlaceShape.Point) throws(PlaceIndexError) {
        let cell = PlaceGrid.cell(latitude: point.latitude, longitude: point.longitude)
        try database.run(
            """
            INSERT INTO settlement VALUES (?, (SELECT count(*) FROM (SELECT 1 FROM settlement WHERE cell = ?)), ?, ?, ?, ?)
            """,
            [
                SQLValue(cell), SQLValue(cell), .text(name), SQLValue(importance), .real(point.latitude),
                .real(point.longitude),
            ])
    }

    func areas(containing point: PlaceShape.Point) throws(PlaceIndexError) -> [(
        level: Int, name: String, code: String?
    )] {
        let (x, y) = (SQLValue(PlaceShape.fixed(point.longitude)), SQLValue(PlaceShape.fixed(point.latitude)))
        let candidates = try database.rows(
            """
            SELECT area.id, level, name, code FROM area_box JOIN area USING (id)
            WHERE west <= ? AND east >= ? AND south <= ? AND north >= ?
            """, [x, x, y, y]
        ) { (row) throws(PlaceIndexError) in
            (
                id: try row.integer(0, as: Int64.self), level: try row.integer(1, as: Int.self), name: try row.text(2),
                code: try row.optionalText(3)
            )
        }
        var found: [(level: Int, name: String, code: String?)] = []
        for candidate in candidates {
            let shape = try shape(candidate.id)
            if shape.contains(latitude: point.latitude, longitude: point.longitude) {
                found.append((candidate.level, candidate.name, candidate.code))
            }
        }
        return found
    }

    /// Returns the areas around a position. Without a town among them, the settlement is the nearest one within the
    /// reach of its size.
    func answer(at point: PlaceShape.Point) throws(PlaceIndexError) -> Answer {
        var answer = Answer(areas: try areas(containing: point))
        if answer.locality == nil { answer.locality = try nearestSettlement(to: point) }
        return answer
    }

    private func shape(_ id: Int64) throws(PlaceIndexError) -> PlaceShape {
        if let shape = cache[id] { return shape }
        let shapes = try database.rows("SELECT points FROM area WHERE id = ?", [SQLValue(id)]) {
            (row) throws(PlaceIndexError) in PlaceShape(bytes: try row.blob(0))
        }
        if cache.count >= 64 { cache.removeAll(keepingCapacity: true) }
        let shape = (shapes.first ?? nil) ?? PlaceShape(parts: [])
        cache[id] = shape
        return shape
    }

    private func nearestSettlement(to point: PlaceShape.Point) throws(PlaceIndexError) -> String? {
        let center = Coordinate(clampingLatitude: point.latitude, wrappingLongitude: point.longitude)
        var best: (name: String, share: Double)?
        for range in PlaceGrid.ranges(around: center, radius: 8000) {
            let rows = try database.rows(
                "SELECT name, importance, latitude, longitude FROM settlement WHERE cell BETWEEN ? AND ?",
                [SQLValue(range.lowerBound), SQLValue(range.upperBound)]
            ) { (row) throws(PlaceIndexError) in
                (
                    try row.text(0), try row.integer(1, as: Int.self),
                    (latitude: try row.optionalReal(2) ?? 0, longitude: try row.optionalReal(3) ?? 0)
                )
            }
            for (name, importance, position) in rows {
                let share =
                    MeanSphere.distance(from: (point.latitude, point.longitude), to: position)
                    / reach(importance: importance)
                if share < min(best?.share ?? .infinity, 1.5) { best = (name, share) }
            }
        }
        return best?.name
    }
}

extension AreaLookup.Answer {
    /// Assigns OpenStreetMap's levels: the town is level 8, or 7 if there is no 8; 9 and 10 are its parts; the state is
    /// level 4, or else 3, 5 or 6.
    init(areas: [(level: Int, name: String, code: String?)]) {
        func name(_ levels: Int...) -> String? {
            levels.lazy.compactMap { level in areas.first { $0.level == level }?.name }.first
        }
        locality = name(8, 7)
        subLocality = name(10, 9)
        region = name(4, 3, 5, 6)
        country = areas.first { $0.level == 2 }?.code
    }
}

/// Returns the distance up to which people name a settlement as their own, in metres: 1.5 km for a village, 15 km for a
/// million people.
func reach(importance: Int) -> Double { 600 * pow(10, Double(importance) / 430) }
