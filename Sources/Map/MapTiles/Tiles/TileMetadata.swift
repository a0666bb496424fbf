import FoundationEssentials

/// The metadata of an archive that users see or the page uses.
enum TileMetadata {
    /// Returns the attribution as one or two lines of text.
    static func attribution(_ html: String?) -> String {
        String(plainText(String((html ?? "").prefix(10_000))).prefix(1000))
    }

    /// Returns HTML, the form of attributions in the specifications, as plain text.
    private static func plainText(_ html: String) -> String {
        var text = ""
        var isTag = false
        for character in html {
            if character == "<" { isTag = true }
            if !isTag { text.append(character) }
            if character == ">" { isTag = false }
        }
        return [("&copy;", "©"), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&amp;", "&")]
            .reduce(text) { $0.replacing($1.0, with: $1.1) }
    }

    /// A part of a TileJSON object (<https://github.com/mapbox/tilejson-spec>), which archives contain.
    struct TileJSON: Decodable {
        struct Layer: Decodable { var id: String }
        var vector_layers: [Layer]?

        /// Reads TileJSON. An archive of images has none, and other archives may have no names of layers.
        static func read(_ json: some Collection<UInt8>) -> TileJSON {
            // Statistics of all attributes can make it long.
            guard json.count <= 4 << 20 else { return TileJSON() }
            return (try? JSONDecoder().decode(TileJSON.self, from: Data(json))) ?? TileJSON()
        }

        /// The names of the layers, of which OpenMapTiles has sixteen.
        var layers: [String] { vector_layers?.prefix(256).map { String($0.id.prefix(100)) } ?? [] }
    }

    /// Returns the degrees west, south, east and north from numbers separated by commas; `nil` for other text.
    static func bounds(text: String) -> [Double]? {
        guard text.utf8.count <= 1000 else { return nil }
        return bounds(text.split(separator: ",").compactMap { Double($0.filter { $0 != " " }) })
    }

    /// Returns `values` if they are degrees west, south, east and north, or `nil`.
    static func bounds(_ values: [Double]) -> [Double]? {
        guard values.count == 4, values.allSatisfy(\.isFinite), values[0] < values[2], values[1] < values[3],
            values[0] >= -180, values[2] <= 180, values[1] >= -90, values[3] <= 90
        else { return nil }
        return values
    }
}
