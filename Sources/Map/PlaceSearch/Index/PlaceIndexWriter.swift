import Glibc
import LocationModel
import SQLite

/// Writes a place index from the features of an extract.
///
/// Features come in any order and exceed the memory, so they are first written to a scratch file beside the index. Then
/// streets are assembled from their ways, every place is assigned to a town, and the index is written by falling
/// importance. Memory stays below about 60 MB for any extract. An unfinished index is removed.
public final class PlaceIndexWriter {
    /// The progress of writing.
    public enum Progress: Hashable, Sendable {
        /// So many bytes of the lines have been read: about two thirds of the time.
        case reading(bytes: Int)
        /// This part of the index has been written, 0 to 1.
        case indexing(Double)
    }

    /// The contents of an index, in numbers.
    public struct Summary: Hashable, Sendable {
        /// The number of settlements, suburbs, points of interest and streets.
        public var places = 0
        /// The number of streets among them.
        public var streets = 0
        /// The number of house numbers.
        public var addresses = 0
        /// The number of lines left out because they are not features.
        public var malformedLines = 0
        /// The size of the file, in bytes.
        public var size = 0
    }

    /// Reads the lines of `descriptor` to the end, and writes an index of them to `path`, which is replaced once the
    /// index is complete.
    ///
    /// The lines are GeoJSON features as `osmium export` writes them with ``PlaceIndexInput``. A line of another form
    /// is counted and left out; an input without any feature is an error. The caller closes the descriptor.
    ///
    /// Blocks for about 1 s for each 15 MB of lines. Ends soon after its task is cancelled.
    ///
    /// - Parameters:
    ///   - squareSide: The side of the squares in which neighbours are searched, in degrees: 0.1 for an extract, 1 for
    ///     the world.
    ///   - originalID: Returns the identifier to keep for a feature's. Default: the same.
    ///   - progress: Called a few times a second on the calling thread.
    /// - Throws: ``PlaceIndexError``, whose path is `path`.
    public static func write(
        linesOf descriptor: Int32, to path: String, squareSide: Double = 0.1,
        originalID: @escaping (String) -> String = { $0 }, progress: (Progress) -> Void = { _ in }
    ) throws(PlaceIndexError) -> Summary {
        defer { removeScratch(of: path) }
        do {
            let writer = try PlaceIndexWriter(path: path, squareSide: squareSide, originalID: originalID)
            try writer.read(descriptor, progress)
            try writer.finish(progress)
            return writer.summary
        } catch {
            // The path of a scratch file means nothing to the caller.
            throw PlaceIndexError(path: path, reason: error.reason)
        }
    }

    /// The greatest length of a line; a longer one is not a useful feature.
    static let maximumLine = 64 << 20

    let path: String
    let squares: PlaceSquares
    private let originalID: (String) -> String
    /// The features read, in tables to be sorted.
    let draft: SQLDatabase<PlaceIndexError>
    /// The index, until it is moved to its path.
    let index: SQLDatabase<PlaceIndexError>
    var summary = Summary()
    var areas: AreaLookup
    /// The addresses written so far, with their numbers.
    var contexts: [PlaceAddress: Int64] = [:]

    private static let scratchSuffixes = [".draft", ".new", ".draft-journal", ".new-journal"]

    private init(
        path: String, squareSide: Double, originalID: @escaping (String) -> String
    ) throws(PlaceIndexError) {
        self.path = path
        self.originalID = originalID
        squares = PlaceSquares(side: squareSide)
        Self.removeScratch(of: path)
        draft = try Self.create(path + ".draft", for: path)
        index = try Self.create(path + ".new", for: path)
        areas = AreaLookup(database: draft)
        try Self.createDraft(draft)
        try PlaceIndexSchema.create(index)
        try draft.run("BEGIN")
        try index.run("BEGIN")
    }

    private static func create(
        _ scratch: String, for path: String
    ) throws(PlaceIndexError) -> SQLDatabase<PlaceIndexError> {
        let descriptor = open(scratch, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard descriptor >= 0 else {
            throw PlaceIndexError(path: path, reason: "it cannot be made: \(String(cString: strerror(errno)))")
        }
        close(descriptor)
        let database = try SQLDatabase<PlaceIndexError>(path: scratch)
        // Without a journal, because an incomplete index is never used.
        _ = try database.rows("PRAGMA journal_mode = OFF") { (_) throws(PlaceIndexError) in }
        try database.run("PRAGMA synchronous = OFF")
        try database.run("PRAGMA cache_size = -12000")
        return database
    }

    private static func createDraft(_ draft: SQLDatabase<PlaceIndexError>) throws(PlaceIndexError) {
        try draft.run(
            """
            CREATE TABLE place (id INTEGER PRIMARY KEY, kind INTEGER, category TEXT, name TEXT, others TEXT, whole TEXT,
                source INTEGER, latitude REAL, longitude REAL, importance INTEGER, city TEXT, suburb TEXT, region TEXT,
                postcode TEXT, country TEXT, timezone TEXT, street TEXT, number TEXT, phone TEXT, url TEXT, hours TEXT,
                bounds TEXT, cuisines TEXT, wheelchair TEXT)
            """)
        try draft.run(
            """
            CREATE TABLE way (id INTEGER PRIMARY KEY, key TEXT, name TEXT, others TEXT, importance INTEGER, points BLOB,
                source INTEGER, city TEXT, postcode TEXT)
            """)
        try draft.run(
            """
            CREATE TABLE house (key TEXT, name TEXT, number TEXT, latitude REAL, longitude REAL, city TEXT, postcode TEXT)
            """)
        try draft.run(
            "CREATE TABLE address (street INTEGER, number TEXT, latitude REAL, longitude REAL, postcode TEXT)")
        try draft.run("CREATE TABLE postal_area (code TEXT PRIMARY KEY, bounds TEXT)")
        try draft.run("CREATE TABLE course (street INTEGER, points BLOB)")
        try draft.run("CREATE TABLE number (draft INTEGER PRIMARY KEY, place INTEGER)")
        try AreaLookup.create(draft)
    }

    private static func removeScratch(of path: String) {
        for suffix in scratchSuffixes { unlink(path + suffix) }
    }
}

extension PlaceIndexWriter {
    /// Reads the lines into a buffer as long as the longest one, and passes each on.
    private func read(
        _ descriptor: Int32, _ progress: (Progress) -> Void
    ) throws(PlaceIndexError) {
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        var (filled, total, features, isTooLong) = (0, 0, 0, false)
        var next = 1 << 20
        while true {
            if filled == buffer.count {
                if buffer.count < Self.maximumLine {
                    buffer += [UInt8](repeating: 0, count: buffer.count)
                } else {
                    (filled, isTooLong) = (0, true)
                }
            }
            let count = buffer.withUnsafeMutableBytes { bytes in
                Glibc.read(descriptor, bytes.baseAddress.map { $0 + filled }, bytes.count - filled)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw PlaceIndexError(
                    path: path, reason: "its input cannot be read: \(String(cString: strerror(errno)))")
            }
            let end = filled + count
            var start = 0
            while start < end {
                let newline = buffer[start..<end].firstIndex(of: 10)
                guard let stop = newline ?? (count == 0 ? end : nil) else { break }
                if isTooLong {
                    isTooLong = false
                    summary.malformedLines += 1
                } else {
                    features += try add(buffer, start..<stop) ? 1 : 0
                }
                start = min(end, stop + 1)
            }
            buffer.withUnsafeMutableBytes { bytes in
                if start > 0, end > start {
                    bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
                }
            }
            filled = end - start
            total += count
            if count == 0 { break }
            if total >= next {
                next = total + 1 << 20
                if Task.isCancelled { throw PlaceIndexError(path: path, reason: "making it was cancelled") }
                progress(.reading(bytes: total))
            }
        }
        guard features > 0 else {
            throw PlaceIndexError(
                path: path, reason: "its input has no places in it (osmium export wrote \(total) bytes)")
        }
    }

    /// Adds the feature of a line. Returns false if there is none.
    private func add(_ buffer: [UInt8], _ range: Range<Int>) throws(PlaceIndexError) -> Bool {
        // A record separator (RFC 8142) may precede the line.
        let start = range.first.map { buffer[$0] == 0x1E ? $0 + 1 : $0 } ?? range.lowerBound
        guard start < range.upperBound else { return false }
        let feature: GeoJSONFeature
        do {
            feature = try GeoJSONFeature(buffer, in: start..<range.upperBound)
        } catch {
            summary.malformedLines += 1
            return false
        }
        for item in PlaceDraft.drafts(of: feature) { try add(item, of: feature) }
        return true
    }

    private func add(_ item: PlaceDraft, of feature: GeoJSONFeature) throws(PlaceIndexError) {
        let shape = feature.placeShape
        guard let middle = shape.middle(isArea: feature.shape == .rings) else { return }
        let tags = feature.properties
        func text(_ keys: String..., limit: Int = 200) -> SQLValue {
            let value = keys.lazy.compactMap { tags[$0] }.first.map { PlaceDraft.cleaned($0, limit: limit) }
            return SQLValue(value?.isEmpty == false ? value : nil)
        }
        let others = SQLValue.text(item.otherNames.joined(separator: "\n"))
        let source = SQLValue(optional: PlaceSource.number(originalID(feature.id)))
        switch item.content {
        case .house(let numbers, let street):
            for number in numbers {
                try draft.run(
                    "INSERT INTO house VALUES (?, ?, ?, ?, ?, ?, ?)",
                    [
                        .text(Folding.fold(street)), .text(street), .text(number), .real(middle.latitude),
                        .real(middle.longitude), text("addr:city"), text("addr:postcode"),
                    ])
            }
        case .street(let importance):
            try draft.run(
                """
                INSERT INTO way (key, name, others, importance, points, source, city, postcode)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    .text(Folding.fold(item.name)), .text(item.name), others, SQLValue(importance),
                    .blob(shape.bytes), source, text("addr:city"), text("postal_code", "addr:postcode"),
                ])
        case .area(let level, let code):
            try areas.add(shape.thinned(to: 15), level: level, name: item.name, code: code.map { $0.uppercased() })
        case .postalArea:
            try draft.run(
                "INSERT OR REPLACE INTO postal_area VALUES (?, ?)", [.text(item.name), .text(shape.bounds.text)])
        case .place(let kind, let category, let importance):
            let bounds = shape.bounds
            let isLarge = max(bounds.east - bounds.west, bounds.north - bounds.south) > 0.002
            let url = text("website", "contact:website", "url", limit: 500)
            try draft.run(
                """
                INSERT INTO place (kind, category, name, others, whole, source, latitude, longitude, importance, city,
                    suburb, region, postcode, country, timezone, street, number, phone, url, hours, bounds, cuisines,
                    wheelchair) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    SQLValue(kind.number), SQLValue(category?.name), .text(item.name), others,
                    .text(item.wholeNames.joined(separator: "\n")), source, .real(middle.latitude),
                    .real(middle.longitude), SQLValue(importance), text("addr:city"), text("addr:suburb"),
                    text("region"), text("addr:postcode", "postal_code"),
                    text("country_code", "addr:country", "ISO3166-1:alpha2", "ISO3166-1", limit: 2), text("timezone"),
                    text("addr:street", "addr:place"), text("addr:housenumber"), text("phone", "contact:phone"),
                    isWebAddress(url) ? url : .null, text("opening_hours", limit: 500),
                    SQLValue(isLarge ? bounds.text : nil),
                    .text(PlaceCategory.cuisines(of: tags).map(\.name).joined(separator: "\n")), text("wheelchair"),
                ])
            // A country provides the name for its code.
            if kind == .country, case .text(let code) = text("country_code", limit: 2) {
                try index.run(
                    "INSERT OR REPLACE INTO country VALUES (?, ?)", [.text(code), .text(item.name)])
            }
            if kind == .settlement { try areas.addSettlement(item.name, importance: importance, at: middle) }
        }
    }

    /// True if the value is an `http` or `https` address, which a page may show as a link.
    private func isWebAddress(_ value: SQLValue) -> Bool {
        guard case .text(let text) = value else { return false }
        return text.hasPrefix("https://") || text.hasPrefix("http://")
    }
}

extension GeoJSONFeature {
    /// The coordinates as lines or rings.
    var placeShape: PlaceShape {
        let ends = starts.dropFirst() + [coordinates.count]
        return PlaceShape(parts: zip(starts, ends).map { Array(coordinates[$0..<$1]) })
    }
}
