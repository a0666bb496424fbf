import Glibc
import LocationModel
import SQLite
import POSIXSupport
import TextSupport

// The index, made from the features read.

extension PlaceIndexWriter {
    func finish(_ progress: (Progress) -> Void) throws(PlaceIndexError) {
        func report(_ fraction: Double) throws(PlaceIndexError) {
            if Task.isCancelled { throw PlaceIndexError(path: path, reason: "making it was cancelled") }
            progress(.indexing(fraction))
        }
        try report(0)
        try assembleStreets { (fraction) throws(PlaceIndexError) in try report(fraction * 0.4) }
        try addAreasWithoutSettlements()
        try addPostalCodes()
        try writeCategories()
        try writePlaces { (fraction) throws(PlaceIndexError) in try report(0.4 + fraction * 0.4) }
        try writeAddresses()
        try writeCourses()
        try report(0.9)
        try writeAreas()
        try index.run("INSERT INTO meta VALUES ('squareSide', ?)", [.text("\(squares.side)")])
        // By the bounds a search knows without a query that no place is near.
        try index.run(
            """
            INSERT INTO meta SELECT 'bounds', (min(longitude) / 1e6) || ',' || (min(latitude) / 1e6) || ',' ||
                (max(longitude) / 1e6) || ',' || (max(latitude) / 1e6) FROM place
            """)
        try PlaceIndexSchema.finish(index)
        try index.run("COMMIT")
        // Puts the pages into the order of their keys, without gaps.
        try index.run("VACUUM")
        try report(1)
        try moveIntoPlace()
    }

    /// Adds the towns and parts of towns that exist as areas only.
    private func addAreasWithoutSettlements() throws(PlaceIndexError) {
        try draft.run("CREATE INDEX place_name ON place (name) WHERE kind IN (0, 1, 2, 3)")
        _ = try draft.rows("SELECT level, name, points, code FROM area") { (row) throws(PlaceIndexError) in
            let (level, name) = (try row.integer(0, as: Int.self), try row.text(1))
            guard let shape = PlaceShape(bytes: try row.blob(2)), let middle = shape.middle(isArea: true) else {
                return
            }
            let kind: (FoundPlace.Kind, Int)? =
                switch level {
                case 2: (.country, 620)
                case 3, 4: (.region, 470)
                case 5, 6: (.region, 380)
                case 7, 8: (.settlement, 280)
                case 9, 10: (.suburb, 220)
                default: nil
                }
            guard let (kind, importance) = kind else { return }
            let bounds = shape.bounds
            let known = try draft.rows(
                """
                SELECT 1 FROM place WHERE kind IN (0, 1, 2, 3) AND name = ? AND latitude BETWEEN ? AND ?
                    AND longitude BETWEEN ? AND ? LIMIT 1
                """,
                [.text(name), .real(bounds.south), .real(bounds.north), .real(bounds.west), .real(bounds.east)]
            ) { (_) throws(PlaceIndexError) in true }
            if !known.isEmpty, level > 6 { return }
            try draft.run(
                """
                INSERT INTO place (kind, name, others, whole, latitude, longitude, importance, bounds, country)
                    VALUES (?, ?, '', '', ?, ?, ?, ?, ?)
                """,
                [
                    SQLValue(kind.number), .text(name), .real(middle.latitude), .real(middle.longitude),
                    SQLValue(importance), .text(bounds.text), kind == .country ? row.values[3] : .null,
                ])
        }
    }

    private func writeCategories() throws(PlaceIndexError) {
        for (id, category) in PlaceCategory.all.enumerated() {
            try index.run("INSERT INTO category VALUES (?, ?)", [SQLValue(id), .text(category.name)])
        }
    }

    private func writePlaces(_ progress: (Double) throws(PlaceIndexError) -> Void) throws(PlaceIndexError) {
        let count =
            try draft.rows("SELECT count(*) FROM place") { (row) throws(PlaceIndexError) in
                try row.integer(0, as: Int.self)
            }.first ?? 0
        let categories = Dictionary(PlaceCategory.all.enumerated().map { ($1.name, Int64($0)) }) { first, _ in first }
        var written = contexts
        var summary = summary
        var id: Int64 = 0
        _ = try draft.rows(
            """
            SELECT id, kind, category, name, others, whole, source, latitude, longitude, importance, city, suburb, region,
                postcode, country, timezone, street, number, phone, url, hours, bounds, cuisines,
                wheelchair
            FROM place ORDER BY importance DESC, name, id
            """
        ) { (row) throws(PlaceIndexError) in
            id += 1
            let values = row.values
            func text(_ column: Int) -> String? { if case .text(let text) = values[column] { text } else { nil } }
            let point = (longitude: try row.optionalReal(8) ?? 0, latitude: try row.optionalReal(7) ?? 0)
            guard let kind = FoundPlace.Kind(number: try row.integer(1)) else { throw row.unexpected(1) }
            let access = text(23).flatMap { $0 == "designated" ? .yes : WheelchairAccess(rawValue: $0) }
            let category = text(2).flatMap { categories[$0] }
            let context = try number(of: context(text, kind: kind, at: point), in: &written)
            try index.run(
                "INSERT INTO place VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    SQLValue(id), SQLValue(PlaceClass(kind, access).number), SQLValue(optional: category), values[3],
                    values[6],
                    SQLValue(Int64((point.latitude * 1e6).rounded())),
                    SQLValue(Int64((point.longitude * 1e6).rounded())),
                    values[9], SQLValue(context),
                ])
            if kind != .street || text(21) != nil,
                values[16...21].contains(where: { $0 != .null })
            {
                try index.run("INSERT INTO detail VALUES (?, ?, ?, ?, ?, ?, ?)", [SQLValue(id)] + values[16...21])
            }
            let others = text(4)?.split(separator: "\n").map(String.init) ?? []
            let whole = text(5)?.split(separator: "\n").map(String.init) ?? []
            try writeNames(id, try row.text(3), others, whole, importance: try row.integer(9), at: point)
            try draft.run("INSERT INTO number VALUES (?, ?)", [values[0], SQLValue(id)])
            let spot: Int64? =
                switch kind {
                case .settlement: Spot.settlement
                case .suburb: Spot.suburb
                case .pointOfInterest: category.map { Spot.category($0) }
                default: nil
                }
            if let spot { try writeSpot(spot, item: id, at: point) }
            for cuisine in text(22)?.split(separator: "\n") ?? [] {
                guard let number = categories[String(cuisine)], Spot.category(number) != spot else { continue }
                try writeSpot(Spot.category(number), item: id, at: point)
            }
            summary.places += 1
            if kind == .street { summary.streets += 1 }
            if id % 4096 == 0 { try progress(Double(id) / Double(max(1, count))) }
        }
        contexts = written
        self.summary = summary
    }

    private func writeSpot(_ kind: Int64, item: Int64, at point: PlaceShape.Point) throws(PlaceIndexError) {
        let cell = PlaceGrid.cell(latitude: point.latitude, longitude: point.longitude)
        try index.run("INSERT OR IGNORE INTO spot VALUES (?, ?, ?)", [SQLValue(kind), SQLValue(cell), SQLValue(item)])
    }

    private func writeNames(
        _ id: Int64, _ name: String, _ others: [String], _ whole: [String], importance: Int, at point: PlaceShape.Point
    ) throws(PlaceIndexError) {
        let key = Folding.fold(name)
        var words = Set(Folding.words(key))
        var keys: Set<String> = []
        for other in others {
            let folded = Folding.fold(other)
            words.formUnion(Folding.words(folded))
            keys.insert(folded)
        }
        var spellings = words
        for other in whole {
            let folded = Folding.fold(other)
            keys.insert(folded)
            // Foreign names of large cities are corrected, too.
            if importance >= 580 { spellings.formUnion(Folding.words(folded)) }
        }
        // The first name is found by its words, and similar ones by corrections. For large cities the names in other
        // languages are kept.
        keys.remove(key)
        let scalars = Array(key.unicodeScalars)
        keys = keys.filter {
            scalars.count < 5 || importance >= 500
                || EditDistance.between(scalars, Array($0.unicodeScalars), limit: 1) == nil
        }
        let square = squares.word(latitude: point.latitude, longitude: point.longitude)
        try index.run(
            "INSERT INTO names (rowid, words) VALUES (?, ?)",
            [SQLValue(id), .text((words.sorted() + [square]).joined(separator: " "))])
        for key in keys where !key.isEmpty && key.utf8.count <= 120 {
            try index.run("INSERT OR IGNORE INTO alias VALUES (?, ?)", [.text(key), SQLValue(id)])
        }
        for word in spellings where word.utf8.count >= 4 && !word.utf8.contains(where: { (48...57).contains($0) }) {
            try index.run("INSERT OR IGNORE INTO word VALUES (?, ?)", [.text(word), SQLValue(id)])
            try index.run(
                "INSERT OR IGNORE INTO reversed VALUES (?)",
                [.text(String(String.UnicodeScalarView(word.unicodeScalars.reversed())))])
        }
    }

    /// Returns the address of a place: from its own tags, or else from the areas around it.
    private func context(
        _ text: (Int) -> String?, kind: FoundPlace.Kind, at point: PlaceShape.Point
    ) throws(PlaceIndexError) -> PlaceAddress {
        var context = PlaceAddress()
        context.locality = text(10)
        context.subLocality = text(11)
        context.administrativeArea = text(12)
        context.postalCode = text(13)
        context.isoCountryCode = text(14)?.uppercased()
        context.timeZone = text(15)
        // A gazetteer's entry is complete.
        guard context.timeZone == nil, kind != .country else { return context }
        let answer =
            kind == .settlement || kind == .region
            ? AreaLookup.Answer(areas: try areas.areas(containing: point)) : try areas.answer(at: point)
        let name = text(3)
        if kind != .settlement, kind != .region { context.locality = context.locality ?? answer.locality }
        if kind != .region, answer.region != name {
            context.administrativeArea = context.administrativeArea ?? answer.region
        }
        context.subLocality = context.subLocality ?? (answer.subLocality == name ? nil : answer.subLocality)
        context.isoCountryCode = context.isoCountryCode ?? answer.country
        return context
    }

    private func number(
        of context: PlaceAddress, in written: inout [PlaceAddress: Int64]
    ) throws(PlaceIndexError) -> Int64 {
        if let number = written[context] { return number }
        let number = Int64(written.count + 1)
        written[context] = number
        try index.run(
            "INSERT INTO context VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                SQLValue(number), SQLValue(context.locality), SQLValue(context.subLocality),
                SQLValue(context.administrativeArea), SQLValue(context.postalCode), SQLValue(context.isoCountryCode),
                SQLValue(context.timeZone),
            ])
        return number
    }

    private func writeAddresses() throws(PlaceIndexError) {
        var id: Int64 = 0
        _ = try draft.rows(
            """
            SELECT place, address.number, latitude, longitude, postcode FROM address JOIN number ON draft = street
            ORDER BY place, address.number
            """
        ) { (row) throws(PlaceIndexError) in
            id += 1
            let point = (longitude: try row.optionalReal(3) ?? 0, latitude: try row.optionalReal(2) ?? 0)
            try index.run(
                "INSERT INTO address VALUES (?, ?, ?, ?, ?, ?)",
                [
                    SQLValue(id), row.values[0], .text(try row.text(1)),
                    SQLValue(Int64((point.latitude * 1e6).rounded())),
                    SQLValue(Int64((point.longitude * 1e6).rounded())), row.values[4],
                ])
            try writeSpot(Spot.address, item: id, at: point)
        }
        summary.addresses = Int(id)
    }

    private func writeCourses() throws(PlaceIndexError) {
        var id: Int64 = 0
        _ = try draft.rows(
            "SELECT place, points FROM course JOIN number ON draft = street ORDER BY place"
        ) { (row) throws(PlaceIndexError) in
            id += 1
            let bytes = try row.blob(1)
            guard let bounds = PlaceShape(bytes: bytes)?.bounds else { return }
            try index.run("INSERT INTO course VALUES (?, ?, ?)", [SQLValue(id), row.values[0], .blob(bytes)])
            try index.run(
                "INSERT INTO course_box VALUES (?, ?, ?, ?, ?)",
                [SQLValue(id)]
                    + [bounds.west, bounds.east, bounds.south, bounds.north].map {
                        SQLValue(PlaceShape.fixed($0))
                    })
        }
    }

    private func writeAreas() throws(PlaceIndexError) {
        _ = try draft.rows(
            """
            SELECT area.id, level, name, code, points, west, east, south, north FROM area JOIN area_box USING (id)
            WHERE level BETWEEN 2 AND 10
            """
        ) { (row) throws(PlaceIndexError) in
            try index.run("INSERT INTO area VALUES (?, ?, ?, ?, ?)", Array(row.values[0...4]))
            try index.run("INSERT INTO area_box VALUES (?, ?, ?, ?, ?)", [row.values[0]] + row.values[5...8])
        }
    }

    /// Moves the complete index to its path once it is on the disk.
    private func moveIntoPlace() throws(PlaceIndexError) {
        let scratch = path + ".new"
        var status = stat()
        do throws(Errno) {
            try DescriptorIO.synchronize(scratch)
            guard stat(scratch, &status) == 0 else { throw Errno() }
            try AtomicFile.install(scratch, as: path)
        } catch {
            throw PlaceIndexError(path: path, reason: "it cannot be written: \(error)")
        }
        summary.size = Int(status.st_size)
    }
}
