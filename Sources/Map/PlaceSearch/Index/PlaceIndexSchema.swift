import SQLite

/// The tables of a place index.
///
/// Places are numbered by falling importance, so that `ORDER BY rowid LIMIT n` gives the most important ones without
/// reading others. Positions are in 10⁻⁶ degrees, lines and boxes in 10⁻⁷.
enum PlaceIndexSchema {
    /// The value of `PRAGMA application_id`: "LPLC".
    static let applicationID: Int64 = 0x4C50_4C43
    /// The values of `PRAGMA user_version` that this release reads; it writes the last one. Version 1 has no postal codes,
    /// version 2 has no ``WheelchairAccess``. An index of another version must be made again.
    static let versions: ClosedRange<Int64> = 1...3
    static func create(_ database: SQLDatabase<PlaceIndexError>) throws(PlaceIndexError) {
        try database.run("PRAGMA application_id = 1280330819")
        try database.run("PRAGMA user_version = 3")
        // Properties of the file.
        try database.run("CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID")
        // Addresses shared by many places.
        try database.run(
            """
            CREATE TABLE context (id INTEGER PRIMARY KEY, locality TEXT, sublocality TEXT, region TEXT, postcode TEXT,
                country TEXT, timezone TEXT)
            """)
        try database.run("CREATE TABLE category (id INTEGER PRIMARY KEY, name TEXT)")
        try database.run("CREATE TABLE country (code TEXT PRIMARY KEY, name TEXT) WITHOUT ROWID")
        // The column `kind` is a ``PlaceClass``.
        try database.run(
            """
            CREATE TABLE place (id INTEGER PRIMARY KEY, kind INTEGER, category INTEGER, name TEXT, source INTEGER,
                latitude INTEGER, longitude INTEGER, importance INTEGER, context INTEGER)
            """)
        // Details, which few places have. Bounds are degrees separated by commas.
        try database.run(
            """
            CREATE TABLE detail (place INTEGER PRIMARY KEY, street TEXT, number TEXT, phone TEXT, url TEXT, hours TEXT,
                bounds TEXT)
            """)
        try database.run(names)
        // Complete names other than the first one, folded.
        try database.run("CREATE TABLE alias (key TEXT, place INTEGER, PRIMARY KEY (key, place)) WITHOUT ROWID")
        // The words of names, forwards and reversed, for corrections, with the most important place of each.
        try database.run("CREATE TABLE word (text TEXT PRIMARY KEY, best INTEGER) WITHOUT ROWID")
        try database.run("CREATE TABLE reversed (text TEXT PRIMARY KEY) WITHOUT ROWID")
        // Places by category or ``Spot``, and by cell of ``PlaceGrid``.
        try database.run(
            """
            CREATE TABLE spot (kind INTEGER, cell INTEGER, item INTEGER, PRIMARY KEY (kind, cell, item)) WITHOUT ROWID
            """)
        try database.run(
            """
            CREATE TABLE address (id INTEGER PRIMARY KEY, street INTEGER, number TEXT, latitude INTEGER, longitude INTEGER,
                postcode TEXT)
            """)
        // The courses of streets.
        try database.run("CREATE TABLE course (id INTEGER PRIMARY KEY, street INTEGER, points BLOB)")
        try database.run(courseBox)
        // Administrative areas, by OpenStreetMap's levels.
        try database.run(
            "CREATE TABLE area (id INTEGER PRIMARY KEY, level INTEGER, name TEXT, code TEXT, points BLOB)")
        try database.run(areaBox)
    }

    /// The words of names and the square of each place, folded before, so that every character beyond ASCII is a
    /// letter.
    private static let names: SQLText = """
        CREATE VIRTUAL TABLE names USING fts5 (words, content = '', columnsize = 0, detail = none,
            prefix = '1 2 3', tokenize = 'ascii')
        """
    private static let courseBox: SQLText =
        "CREATE VIRTUAL TABLE course_box USING rtree_i32 (id, west, east, south, north)"
    private static let areaBox: SQLText =
        "CREATE VIRTUAL TABLE area_box USING rtree_i32 (id, west, east, south, north)"

    /// True if a file consists of ordinary tables and of the virtual ones above, so that nothing in it would be
    /// executed.
    static func isPlain(_ database: SQLDatabase<PlaceIndexError>) throws(PlaceIndexError) -> Bool {
        let virtual = Set([names, courseBox, areaBox].map(\.text))
        let objects = try database.rows(
            "SELECT type, name, rootpage, sql FROM sqlite_schema LIMIT 101"
        ) { (row) throws(PlaceIndexError) in
            (
                type: try row.text(0), name: try row.text(1), isStored: try row.integer(2, as: Int64.self) > 0,
                sql: try row.optionalText(3)
            )
        }
        guard objects.count <= 100 else { return false }
        for object in objects where object.type != "index" {
            guard object.type == "table" else { return false }
            if !object.isStored, virtual.contains(object.sql ?? "") { continue }
            guard try database.hasTable(object.name, columns: []) else { return false }
        }
        return true
    }

    /// Statements without results that fail if a table or column that queries need is missing.
    static let probes: [SQLText] = [
        "SELECT name, value FROM meta LIMIT 0", "SELECT id, name FROM category LIMIT 0",
        "SELECT id, locality, sublocality, region, postcode, country, timezone FROM context LIMIT 0",
        "SELECT code, name FROM country LIMIT 0",
        """
        SELECT id, kind, category, name, source, latitude, longitude, importance, context FROM place LIMIT 0
        """,
        "SELECT place, street, number, phone, url, hours, bounds FROM detail LIMIT 0",
        "SELECT rowid FROM names WHERE names MATCH 'a' LIMIT 0",
        "SELECT key, place FROM alias LIMIT 0", "SELECT text, best FROM word LIMIT 0",
        "SELECT text FROM reversed LIMIT 0", "SELECT kind, cell, item FROM spot LIMIT 0",
        "SELECT id, street, number, latitude, longitude, postcode FROM address LIMIT 0",
        "SELECT id, street, points FROM course LIMIT 0", "SELECT id, west, east, south, north FROM course_box LIMIT 0",
        "SELECT id, level, name, code, points FROM area LIMIT 0",
        "SELECT id, west, east, south, north FROM area_box LIMIT 0",
    ]

    /// Creates the indexes that are cheaper to make from complete tables.
    static func finish(_ database: SQLDatabase<PlaceIndexError>) throws(PlaceIndexError) {
        try database.run("CREATE INDEX course_street ON course (street)")
        try database.run("CREATE INDEX address_number ON address (street, number)")
        try database.run("INSERT INTO names (names) VALUES ('optimize')")
        try database.run("ANALYZE")
    }
}

/// The kinds of spots besides categories. A category's kind is its number + 100.
enum Spot {
    static let settlement: Int64 = 1
    static let suburb: Int64 = 2
    static let address: Int64 = 3
    static func category(_ id: Int64) -> Int64 { id + 100 }
}

extension FoundPlace.Kind {
    /// The value in the column `kind`.
    var number: Int64 { Int64(Self.allCases.firstIndex(of: self) ?? 0) }

    init?(number: Int64) {
        guard number >= 0, number < Int64(Self.allCases.count) else { return nil }
        self = Self.allCases[Int(number)]
    }
}

/// The kind of a place and its access for wheelchairs, as one number: the kind's, plus 16 times that of the access. SQLite
/// stores it in one byte.
struct PlaceClass {
    var kind: FoundPlace.Kind
    var wheelchair: WheelchairAccess?

    var number: Int64 {
        let access = wheelchair.flatMap { WheelchairAccess.allCases.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
        return kind.number | Int64(access) << 4
    }

    init(_ kind: FoundPlace.Kind, _ wheelchair: WheelchairAccess?) { (self.kind, self.wheelchair) = (kind, wheelchair) }

    init?(number: Int64) {
        guard let kind = FoundPlace.Kind(number: number & 15), 0...3 ~= number >> 4 else { return nil }
        self.init(kind, number >> 4 == 0 ? nil : WheelchairAccess.allCases[Int(number >> 4) - 1])
    }
}

/// The object from which a place was made, as one number: `n5` is 20, `w5` 21, `a5` 22, `g5` 23.
enum PlaceSource {
    private static let letters: [Character] = ["n", "w", "a", "g"]

    static func number(_ id: String) -> Int64? {
        guard let first = id.first, let kind = letters.firstIndex(of: first), let number = Int64(id.dropFirst()),
            (0..<1 << 60).contains(number)
        else { return nil }
        return number << 2 | Int64(kind)
    }

    static func id(_ number: Int64) -> String { "\(letters[Int(number & 3)])\(number >> 2)" }
}
