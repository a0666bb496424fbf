import CSQLite
import LocationModel
import SQLite

/// A place index, open for reading.
final class PlaceIndex {
    /// A place of the index that may match.
    struct Candidate {
        var id: Int64
        var kind: FoundPlace.Kind
        var wheelchair: WheelchairAccess?
        var category: Int64?
        var name: String
        var source: Int64?
        var position: MeanSphere.Position
        var importance: Int
        var context: Int64
        /// The folded name that matched if it is not the first one; "" if several of its words matched.
        var alias: String?
    }

    /// A place and its distance from the centre of the search, in metres.
    typealias Neighbour = (candidate: Candidate, distance: Double)

    /// All places of one kind of spot within a circle.
    struct Neighbourhood {
        let center: Coordinate
        /// The radius, in metres.
        let radius: Double
        /// The places, the nearest to the centre first.
        let spots: [Neighbour]

        /// Returns the `count` places nearest to another position; `nil` if the circle may lack some.
        func nearest(to position: Coordinate, count: Int) -> [Neighbour]? {
            let reach = radius - center.distance(to: position)
            guard reach > 0 else { return nil }
            let near = spots.map {
                (
                    $0.candidate,
                    MeanSphere.distance(from: (position.latitude, position.longitude), to: $0.candidate.position)
                )
            }
            .sorted { $0.1 < $1.1 }.prefix(count)
            guard near.count == count, let last = near.last, last.1 <= reach else { return nil }
            return Array(near)
        }
    }

    let path: String
    let database: SQLDatabase<PlaceIndexError>
    /// The names of categories by number in this file, which another release may have written.
    let categories: [Int64: String]
    private let categoryNumbers: [String: Int64]
    private let squares: PlaceSquares
    /// The box around all places.
    private let bounds: PlaceBounds
    /// True if the file has streets, as the world's has not.
    let hasStreets: Bool
    /// The kinds of spots in the file.
    private let spots: Set<Int64>
    private var contexts: [Int64: PlaceAddress] = [:]
    /// The places of the expressions of this call and of the one before: the readings of a text ask for the same words, and so
    /// do those of the next letter typed.
    private var (matches, earlierMatches): ([Match: [Candidate]], [Match: [Candidate]]) = ([:], [:])
    /// The greatest number of expressions of a call whose places are kept.
    private static let mostMatches = 40

    /// An expression, and the number of places it was asked for.
    private struct Match: Hashable {
        var expression: String
        var limit: Int
    }

    /// An index may come from another machine. The largest value is the outline of a country.
    private static let limits = ForeignFileLimits(length: 16 << 20, queryTime: .seconds(2))
    private static let maximumCategories = 1000

    init(path: String) throws(PlaceIndexError) {
        self.path = path
        // An installed index is not written to.
        let database = try SQLDatabase<PlaceIndexError>(foreignFile: path, limits: Self.limits)
        self.database = database
        let damaged = PlaceIndexError(path: path, reason: "it is a damaged index of places; \(PlaceIndexError.remedy)")
        func number(_ pragma: SQLText) throws(PlaceIndexError) -> Int64? {
            try database.rows(pragma) { (row) throws(PlaceIndexError) in try row.integer(0, as: Int64.self) }.first
        }
        guard try number("PRAGMA application_id") == PlaceIndexSchema.applicationID else {
            throw PlaceIndexError(path: path, reason: "it is not an index of places")
        }
        guard let version = try number("PRAGMA user_version"), PlaceIndexSchema.versions.contains(version) else {
            throw PlaceIndexError(
                path: path, reason: "it is an index of places of another release; \(PlaceIndexError.remedy)")
        }
        guard try PlaceIndexSchema.isPlain(database) else { throw damaged }
        // A missing table or column would otherwise be noticed by a query, and be taken for that query's error.
        do throws(PlaceIndexError) {
            for probe in PlaceIndexSchema.probes { try database.run(probe) }
        } catch {
            throw error.subject == .query ? damaged : error
        }
        let sides = try database.rows("SELECT value FROM meta WHERE name = 'squareSide'") {
            (row) throws(PlaceIndexError) in Double(try row.text(0))
        }
        guard let side = sides.first ?? nil, side >= 0.01, side <= 45 else { throw damaged }
        squares = PlaceSquares(side: side)
        let box =
            try database.rows("SELECT value FROM meta WHERE name = 'bounds'") { (row) throws(PlaceIndexError) in
                try row.text(0).split(separator: ",").compactMap { Double($0) }
            }.first ?? []
        guard box.count == 4, let bounds = PlaceBounds(west: box[0], south: box[1], east: box[2], north: box[3])
        else { throw damaged }
        self.bounds = bounds
        hasStreets = try !database.rows("SELECT id FROM course LIMIT 1") { (_) throws(PlaceIndexError) in true }.isEmpty
        var spots: Set<Int64> = []
        var last: Int64 = 0
        // Finds each kind in turn with a look-up, without reading the rows between.
        while let kind = try database.rows(
            "SELECT kind FROM spot WHERE kind > ? ORDER BY kind LIMIT 1", [SQLValue(last)],
            read: { (row) throws(PlaceIndexError) in try row.integer(0, as: Int64.self) }
        ).first {
            guard spots.count < Self.maximumCategories else { throw damaged }
            spots.insert(kind)
            last = kind
        }
        self.spots = spots
        let rows = try database.rows("SELECT id, name FROM category LIMIT 1000") { (row) throws(PlaceIndexError) in
            let number = try row.integer(0, as: Int64.self)
            guard (0..<1_000_000).contains(number) else { throw row.unexpected(0) }
            return (number, try row.words(1))
        }
        categories = Dictionary(rows) { first, _ in first }
        categoryNumbers = Dictionary(rows.map { ($1, $0) }) { first, _ in first }
    }

    // MARK: By name

    /// Begins a call.
    func begin() { (matches, earlierMatches) = ([:], matches) }

    /// Returns the most important places whose names have all the words, the last of which may be a prefix. With a
    /// `center`, those in its neighbourhood come before the rest of the world.
    func candidates(
        words: [String], isPrefix: Bool, around center: Coordinate?, limit: Int
    ) throws(PlaceIndexError) -> [Candidate] {
        try candidates(groups: words.map { [$0] }, isPrefix: isPrefix, around: center, limit: limit)
    }

    /// Returns the most important places whose names have a word of each group; the first of the last group may be a prefix. A
    /// word that ends with "*" is a prefix, too.
    func candidates(
        groups: [[String]], isPrefix: Bool, around center: Coordinate?, limit: Int
    ) throws(PlaceIndexError) -> [Candidate] {
        guard let match = Self.match(groups, isPrefix: isPrefix) else { return [] }
        var found = try candidates(matching: match, limit: limit)
        if let center, found.count == limit {
            let squares = squares.words(around: center).map { "\"\($0)\"" }.joined(separator: " OR ")
            found += try candidates(matching: "\(match) AND (\(squares))", limit: limit)
        }
        return found
    }

    /// True if one name has all the words, the last of which may be a prefix.
    func has(_ words: [String], isPrefix: Bool) throws(PlaceIndexError) -> Bool {
        guard let match = Self.match(words.map { [$0] }, isPrefix: isPrefix) else { return false }
        return try !database.rows("SELECT rowid FROM names WHERE names MATCH ? LIMIT 1", [.text(match)]) {
            (_) throws(PlaceIndexError) in true
        }.isEmpty
    }

    /// Returns the FTS5 expression for names with a word of each group, of which the last one's first may be a prefix; `nil`
    /// without letters and digits.
    ///
    /// The table has no positions (`detail = none`), so a string of several tokens, which is a phrase, would be an error.
    /// Words are therefore divided as the tokenizer `ascii` divides them: at every ASCII character but letters and digits.
    /// The remaining characters cannot end a string either.
    private static func match(_ groups: [[String]], isPrefix: Bool) -> String? {
        var terms: [String] = []
        for (position, group) in groups.enumerated() {
            let star = isPrefix && position == groups.count - 1 ? "*" : ""
            let words = group.enumerated().compactMap { place, word -> String? in
                let tokens = word.unicodeScalars.split { scalar in
                    switch scalar.value {
                    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: false
                    default: scalar.isASCII
                    }
                }.map { "\"\(String($0))\"" }
                let star = word.hasSuffix("*") ? "*" : place == 0 ? star : ""
                return tokens.isEmpty ? nil : tokens.joined(separator: " AND ") + star
            }
            guard let first = words.first else { continue }
            terms.append(words.count == 1 ? first : words.map { "(\($0))" }.joined(separator: " OR "))
        }
        guard !terms.isEmpty else { return nil }
        return terms.count == 1 ? terms[0] : terms.map { "(\($0))" }.joined(separator: " AND ")
    }

    private func candidates(matching expression: String, limit: Int) throws(PlaceIndexError) -> [Candidate] {
        let match = Match(expression: expression, limit: limit)
        if let known = matches[match] { return known }
        let found: [Candidate]
        if let earlier = earlierMatches[match] {
            found = earlier
        } else {
            found = try database.rows(
                """
                SELECT id, kind, category, name, source, latitude, longitude, importance, context
                FROM (SELECT rowid AS number FROM names WHERE names MATCH ? ORDER BY rowid LIMIT ?) JOIN place ON id = number
                """, [.text(expression), SQLValue(limit)], read: candidate)
        }
        if matches.count < Self.mostMatches { matches[match] = found }
        return found
    }

    /// Returns the places with `key` as another name or, for a prefix, as its beginning.
    func aliases(_ key: String, isPrefix: Bool, limit: Int) throws(PlaceIndexError) -> [Candidate] {
        let end = isPrefix ? key + "\u{10FFFF}" : key + "\u{1}"
        return try database.rows(
            """
            SELECT id, kind, category, name, source, latitude, longitude, importance, context, key
            FROM (SELECT key, place FROM alias WHERE key >= ? AND key < ? LIMIT ?) JOIN place ON id = place
            """, [.text(key), .text(end), SQLValue(limit)]
        ) { (row) throws(PlaceIndexError) in
            var found = try candidate(row)
            found.alias = try row.words(9)
            return found
        }
    }

    /// Returns the complete names of places other than their first ones, folded. It reads all names once: an index of them by place
    /// would be larger than the few that need it are worth.
    func otherNames(of places: [Int64]) throws(PlaceIndexError) -> [Int64: [String]] {
        let rows = try database.rows(
            "SELECT place, key FROM alias WHERE place IN (SELECT value FROM json_each(?))", [.text("\(places)")]
        ) { (row) throws(PlaceIndexError) in
            (place: try row.integer(0, as: Int64.self), name: try row.words(1))
        }
        return Dictionary(grouping: rows, by: \.place).mapValues { $0.map(\.name) }
    }

    // MARK: By position

    /// Returns the places of a kind of spot nearest to a position, at most `count`, within `radius` metres.
    func nearest(
        _ kind: Int64, to center: Coordinate, count: Int, radius limit: Double
    ) throws(PlaceIndexError) -> [Neighbour] {
        Array(try neighbourhood(kind, of: center, count: count, radius: limit).spots.prefix(count))
    }

    /// Returns all places of a kind of spot in a circle with at least `count` of them, or of `radius` metres.
    func neighbourhood(
        _ kind: Int64, of center: Coordinate, count: Int, radius limit: Double
    ) throws(PlaceIndexError) -> Neighbourhood {
        guard spots.contains(kind), bounds.distance(to: center) <= limit else {
            return Neighbourhood(center: center, radius: limit, spots: [])
        }
        var radius = min(limit, 400)
        while true {
            var found: [Neighbour] = []
            for range in PlaceGrid.ranges(around: center, radius: radius) {
                found += try database.rows(
                    """
                    SELECT id, place.kind, category, name, source, latitude, longitude, importance, context
                    FROM spot JOIN place ON id = item WHERE spot.kind = ? AND cell BETWEEN ? AND ? LIMIT 2000
                    """, [SQLValue(kind), SQLValue(range.lowerBound), SQLValue(range.upperBound)]
                ) { (row) throws(PlaceIndexError) in
                    let found = try candidate(row)
                    return (found, MeanSphere.distance(from: center.degrees, to: found.position))
                }
            }
            let near = found.filter { $0.distance <= radius }.sorted { $0.distance < $1.distance }
            if near.count >= count || radius >= limit {
                return Neighbourhood(center: center, radius: radius, spots: near)
            }
            radius = min(limit, radius * (near.isEmpty ? 4 : 2))
        }
    }

    /// The centre of all places, and the distance in metres within which they are.
    var extent: (center: Coordinate, radius: Double) {
        let center = bounds.center
        let corners = [bounds.south, bounds.north].map { (latitude: $0, longitude: bounds.west) }
        return (center, corners.map { MeanSphere.distance(from: center.degrees, to: $0) }.max() ?? 0)
    }

    /// True if the places are those of a part of the world.
    var isRegion: Bool { extent.radius < 3_000_000 }

    /// Returns the number of a category's places in this file.
    func spot(of category: String) -> Int64? { categoryNumbers[category].map { Spot.category($0) } }

    // MARK: Details

    /// Returns the place with a number.
    func candidate(id: Int64) throws(PlaceIndexError) -> Candidate? {
        try database.rows(
            """
            SELECT id, kind, category, name, source, latitude, longitude, importance, context FROM place WHERE id = ?
            """, [SQLValue(id)], read: candidate
        ).first
    }

    /// Returns an address shared by many places, from a cache because few are used repeatedly.
    func context(_ number: Int64) throws(PlaceIndexError) -> PlaceAddress {
        if let known = contexts[number] { return known }
        let found =
            try database.rows(
                "SELECT locality, sublocality, region, postcode, country, timezone FROM context WHERE id = ?",
                [SQLValue(number)]
            ) { (row) throws(PlaceIndexError) in
                var address = PlaceAddress()
                address.locality = try row.optionalWords(0)
                address.subLocality = try row.optionalWords(1)
                address.administrativeArea = try row.optionalWords(2)
                address.postalCode = try row.optionalWords(3)
                address.isoCountryCode = try row.optionalWords(4)
                address.timeZone = try row.optionalWords(5)
                return address
            }.first ?? PlaceAddress()
        if contexts.count >= 512 { contexts.removeAll(keepingCapacity: true) }
        contexts[number] = found
        return found
    }

    /// Returns the English name of a country; `nil` if this file lacks it.
    func country(_ code: String) throws(PlaceIndexError) -> String? {
        try database.rows("SELECT name FROM country WHERE code = ?", [.text(code)]) {
            (row) throws(PlaceIndexError) in try row.words(0)
        }.first
    }

    /// Returns the box around a place; `nil` if it is small.
    func bounds(of place: Int64) throws(PlaceIndexError) -> PlaceBounds? {
        let texts = try database.rows("SELECT bounds FROM detail WHERE place = ?", [SQLValue(place)]) {
            (row) throws(PlaceIndexError) in try row.optionalWords(0)
        }
        let sides = (texts.first ?? nil)?.split(separator: ",").compactMap { Double($0) } ?? []
        return sides.count == 4 ? PlaceBounds(west: sides[0], south: sides[1], east: sides[2], north: sides[3]) : nil
    }

    /// Returns the place with all details of this index.
    func place(_ candidate: Candidate) throws(PlaceIndexError) -> FoundPlace {
        var address = try context(candidate.context)
        let category = candidate.category.flatMap { categories[$0] }
        let (latitude, longitude) = candidate.position
        var place = FoundPlace(
            id: candidate.source.map { PlaceSource.id($0) } ?? "p\(latitude),\(longitude)",
            name: candidate.name.isEmpty
                ? category.flatMap { PlaceCategory.named($0)?.title } ?? "Place" : candidate.name,
            kind: candidate.kind, category: category, latitude: latitude, longitude: longitude,
            address: address, wheelchair: candidate.wheelchair)
        _ = try database.rows(
            "SELECT street, number, phone, url, hours, bounds FROM detail WHERE place = ?", [SQLValue(candidate.id)]
        ) { (row) throws(PlaceIndexError) in
            address.thoroughfare = try row.optionalWords(0)
            address.subThoroughfare = try row.optionalWords(1)
            place.phone = try row.optionalWords(2)
            place.url = try row.optionalWords(3)
            place.openingHours = try row.optionalWords(4)
            place.openingTimes = place.openingHours.flatMap { OpeningTimes($0) }
            let bounds = try row.optionalWords(5)?.split(separator: ",").compactMap { Double($0) }
            place.bounds = bounds.flatMap { $0.count == 4 && $0.allSatisfy(\.isFinite) ? $0 : nil }
        }
        switch candidate.kind {
        case .street: address.thoroughfare = candidate.name
        case .settlement: address.locality = candidate.name
        case .suburb: address.subLocality = candidate.name
        case .region: address.administrativeArea = candidate.name
        case .postalCode: address.postalCode = candidate.name
        case .country, .address, .pointOfInterest, .coordinate, .intersection: break
        }
        place.address = address
        return place
    }

    private func candidate(_ row: SQLRow<PlaceIndexError>) throws(PlaceIndexError) -> Candidate {
        guard let place = PlaceClass(number: try row.integer(1)) else { throw row.unexpected(1) }
        let importance = try row.integer(7, as: Int.self)
        guard (-100_000...100_000).contains(importance) else { throw row.unexpected(7) }
        return Candidate(
            id: try row.integer(0), kind: place.kind, wheelchair: place.wheelchair,
            category: try row.optionalInteger(2), name: try row.words(3),
            source: try row.optionalInteger(4),
            position: (try row.degrees(5, limit: 90), try row.degrees(6, limit: 180)),
            importance: importance, context: try row.integer(8))
    }
}

// The values that this release writes are within these ranges.
extension SQLRow<PlaceIndexError> {
    /// Returns a name or another text for people.
    func words(_ column: Int32) throws(PlaceIndexError) -> String {
        let text = try text(column)
        guard text.utf8.count <= 4096 else { throw unexpected(column) }
        return text
    }

    func optionalWords(_ column: Int32) throws(PlaceIndexError) -> String? {
        guard let text = try optionalText(column) else { return nil }
        guard text.utf8.count <= 4096 else { throw unexpected(column) }
        return text
    }

    /// Returns a latitude or longitude, stored in 10⁻⁶ degrees.
    func degrees(_ column: Int32, limit: Int) throws(PlaceIndexError) -> Double {
        let value = try integer(column, as: Int.self)
        guard (-limit * 1_000_000...limit * 1_000_000).contains(value) else { throw unexpected(column) }
        return Double(value) / 1e6
    }
}
