import LocationModel
import SQLite

// Postal codes, each from the addresses that have it.

extension PlaceIndexWriter {
    /// The addresses of a postal code.
    private struct PostalArea {
        var code: String
        var latitudes: [Double] = []
        var longitudes: [Double] = []
        var cities: [String: Int] = [:]
        /// The box around the area, if the data have its outline.
        var outline: String?

        /// The box around the addresses but for a fiftieth at each side: a mistyped code is often in another town.
        var bounds: PlaceBounds? {
            let (x, y, rest) = (longitudes.sorted(), latitudes.sorted(), latitudes.count / 50)
            return PlaceBounds(
                west: x[rest], south: y[rest], east: x[x.count - 1 - rest], north: y[y.count - 1 - rest])
        }
    }

    /// Adds a place for each postal code of at least two addresses.
    func addPostalCodes() throws(PlaceIndexError) {
        var area = PostalArea(code: "")
        // A place with a house number is a house, too. A country's sign before the code ("LI-9490") is not part of it.
        _ = try draft.rows(
            """
            SELECT written.code, city, latitude, longitude, bounds
            FROM (SELECT CASE WHEN postcode GLOB '[A-Z]-*' THEN substr(postcode, 3)
                    WHEN postcode GLOB '[A-Z][A-Z]-*' THEN substr(postcode, 4) ELSE postcode END AS code,
                    city, latitude, longitude
                FROM (SELECT postcode, city, latitude, longitude FROM house WHERE postcode IS NOT NULL UNION ALL
                    SELECT postcode, city, latitude, longitude FROM place WHERE postcode IS NOT NULL AND kind != ?
                        AND (number IS NULL OR street IS NULL))
                ) AS written LEFT JOIN postal_area ON postal_area.code = written.code ORDER BY written.code
            """, [SQLValue(FoundPlace.Kind.street.number)]
        ) { (row) throws(PlaceIndexError) in
            let code = try row.text(0)
            if code != area.code {
                try add(area)
                area = PostalArea(code: code)
                area.outline = try row.optionalText(4)
            }
            area.latitudes.append(try row.optionalReal(2) ?? 0)
            area.longitudes.append(try row.optionalReal(3) ?? 0)
            if let city = try row.optionalText(1) { area.cities[city, default: 0] += 1 }
        }
        try add(area)
    }

    private func add(_ area: PostalArea) throws(PlaceIndexError) {
        let isCode =
            (3...10).contains(area.code.utf8.count)
            && area.code.utf8.contains { (48...57).contains($0) }
            && area.code.allSatisfy { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" }
        guard isCode, area.latitudes.count >= 2, let bounds = area.bounds else { return }
        let city = area.cities.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
        let middle = area.latitudes.count / 2
        try draft.run(
            """
            INSERT INTO place (kind, name, others, whole, latitude, longitude, importance, city, bounds)
                VALUES (?, ?, '', ?, ?, ?, ?, ?, ?)
            """,
            [
                SQLValue(FoundPlace.Kind.postalCode.number), .text(area.code),
                .text(city.map { "\(area.code) \($0)" } ?? ""), .real(area.latitudes.sorted()[middle]),
                .real(area.longitudes.sorted()[middle]), SQLValue(250), SQLValue(city),
                .text(area.outline ?? bounds.text),
            ])
    }
}
