import Glibc
import LocationModel
import SQLite

// Streets, each assembled from the ways of one name in one town, and their houses.

extension PlaceIndexWriter {
    /// A street in the course of its assembly.
    private struct Street {
        var name: String
        var others: String
        var town: String?
        var postcode: String?
        var importance: Int
        var source: SQLValue
        var bounds: PlaceBounds
        var ways: [(shape: PlaceShape, middle: PlaceShape.Point)] = []
        var houses: [(number: String, position: PlaceShape.Point, postcode: String?)] = []

        /// Returns the distance from a position to the box, in metres.
        func gap(to point: PlaceShape.Point) -> Double {
            let nearest = (
                latitude: min(max(point.latitude, bounds.south), bounds.north),
                longitude: min(max(point.longitude, bounds.west), bounds.east)
            )
            return MeanSphere.distance(from: (point.latitude, point.longitude), to: nearest)
        }

        /// The position to show: on the way nearest to its middle, or among its houses.
        var position: PlaceShape.Point {
            let center = ((bounds.west + bounds.east) / 2, (bounds.south + bounds.north) / 2)
            func distance(_ point: PlaceShape.Point) -> Double {
                hypot((point.longitude - center.0) * cos(center.1.radians), point.latitude - center.1)
            }
            let points = ways.isEmpty ? houses.map(\.position) : ways.flatMap { $0.shape.parts.joined() }
            return points.min { distance($0) < distance($1) } ?? center
        }
    }

    /// Assembles the streets, one name at a time.
    func assembleStreets(_ progress: (Double) throws(PlaceIndexError) -> Void) throws(PlaceIndexError) {
        try draft.run("CREATE INDEX way_key ON way (key)")
        try draft.run("CREATE INDEX house_key ON house (key)")
        try draft.run("CREATE TABLE key AS SELECT key FROM way UNION SELECT key FROM house")
        let count =
            try draft.rows("SELECT count(*) FROM key") { (row) throws(PlaceIndexError) in
                try row.integer(0, as: Int.self)
            }.first ?? 0
        var done = 0
        _ = try draft.rows("SELECT key FROM key") { (row) throws(PlaceIndexError) in
            let key = try row.text(0)
            if !key.isEmpty { try assemble(key) }
            done += 1
            if done % 256 == 0 { try progress(Double(done) / Double(max(1, count))) }
        }
    }

    private func assemble(_ key: String) throws(PlaceIndexError) {
        var streets: [Street] = []
        _ = try draft.rows(
            "SELECT name, others, importance, points, source, city, postcode FROM way WHERE key = ?", [.text(key)]
        ) { (row) throws(PlaceIndexError) in
            guard let shape = PlaceShape(bytes: try row.blob(3)), let middle = shape.middle(isArea: false) else {
                return
            }
            let city = try row.optionalText(5)
            let town = if let city { city } else { try areas.answer(at: middle).locality }
            // The ways are of the same town or, if the towns are unknown, close together.
            let same = streets.firstIndex { street in
                town == nil && street.town == nil
                    ? shape.parts.joined().contains { street.gap(to: $0) < 400 } : street.town == town
            }
            if let same {
                streets[same].ways.append((shape, middle))
                streets[same].bounds.join(shape.bounds)
                streets[same].importance = max(streets[same].importance, try row.integer(2))
            } else {
                streets.append(
                    Street(
                        name: try row.text(0), others: try row.text(1), town: town,
                        postcode: try row.optionalText(6), importance: try row.integer(2),
                        source: row.values[4], bounds: shape.bounds, ways: [(shape, middle)]))
            }
        }
        try addHouses(key, to: &streets)
        for street in merged(streets) { try write(street) }
    }

    /// Adds the houses to the nearest street, whatever town they name: at borders and in parts of towns the names
    /// differ.
    private func addHouses(_ key: String, to streets: inout [Street]) throws(PlaceIndexError) {
        var found = streets
        _ = try draft.rows(
            "SELECT name, number, latitude, longitude, city, postcode FROM house WHERE key = ?", [.text(key)]
        ) { (row) throws(PlaceIndexError) in
            let position = (longitude: try row.optionalReal(3) ?? 0, latitude: try row.optionalReal(2) ?? 0)
            let city = try row.optionalText(4)
            let postcode = try row.optionalText(5)
            let house = (number: try row.text(1), position: position, postcode: postcode)
            let gaps = found.map { $0.gap(to: position) + (city != nil && $0.town == city ? 0 : 100) }
            if let nearest = gaps.indices.min(by: { gaps[$0] < gaps[$1] }), gaps[nearest] < 800 {
                found[nearest].houses.append(house)
                if found[nearest].town == nil { found[nearest].town = city }
                if found[nearest].postcode == nil { found[nearest].postcode = postcode }
                if found[nearest].ways.isEmpty {
                    found[nearest].bounds.join(PlaceBounds(position))
                }
            } else {
                let town = if let city { city } else { try areas.answer(at: position).locality }
                found.append(
                    Street(
                        name: try row.text(0), others: "", town: town, postcode: postcode, importance: 120,
                        source: .null,
                        bounds: PlaceBounds(position),
                        houses: [house]))
            }
        }
        streets = found
    }

    /// Joins the streets of one town that became known by their houses only.
    private func merged(_ streets: [Street]) -> [Street] {
        var result: [Street] = []
        for street in streets {
            if let town = street.town, let same = result.firstIndex(where: { $0.town == town }) {
                result[same].ways += street.ways
                result[same].houses += street.houses
                result[same].bounds.join(street.bounds)
            } else {
                result.append(street)
            }
        }
        return result
    }

    private func write(_ street: Street) throws(PlaceIndexError) {
        let position = street.position
        try draft.run(
            """
            INSERT INTO place (kind, name, others, whole, source, latitude, longitude, importance, city, postcode, bounds)
                VALUES (?, ?, ?, '', ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                SQLValue(FoundPlace.Kind.street.number), .text(street.name), .text(street.others), street.source,
                .real(position.latitude), .real(position.longitude), SQLValue(street.importance),
                SQLValue(street.town), SQLValue(street.postcode), .text(street.bounds.text),
            ])
        let id =
            try draft.rows("SELECT last_insert_rowid()") { (row) throws(PlaceIndexError) in
                try row.integer(0, as: Int64.self)
            }.first ?? 0
        for way in street.ways {
            // The box of a long way would cover half of a town.
            for part in way.shape.parts {
                for start in stride(from: 0, to: max(1, part.count - 1), by: 24) {
                    let piece = PlaceShape(parts: [Array(part[start..<min(part.count, start + 25)])])
                    try draft.run("INSERT INTO course VALUES (?, ?)", [SQLValue(id), .blob(piece.bytes)])
                }
            }
        }
        for house in street.houses {
            try draft.run(
                "INSERT INTO address VALUES (?, ?, ?, ?, ?)",
                [
                    SQLValue(id), .text(house.number), .real(house.position.latitude), .real(house.position.longitude),
                    SQLValue(house.postcode),
                ])
        }
    }
}
