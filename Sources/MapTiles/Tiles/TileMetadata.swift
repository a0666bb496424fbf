import FoundationEssentials

/// The metadata of an archive, which are shown to people and handed to the page.
enum TileMetadata {
    /// Whom to name, in a line or two.
    static func attribution(_ html: String?) -> String {
        String(plainText(String((html ?? "").prefix(10_000))).prefix(1000))
    }

    /// Attributions are HTML by the specifications, and are shown as text.
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

    /// Part of a TileJSON object (<https://github.com/mapbox/tilejson-spec>), which archives contain.
    struct TileJSON: Decodable {
        struct Layer: Decodable { var id: String }
        var vector_layers: [Layer]?

        /// An archive of pictures has none, nor need one of others name its layers.
        static func read(_ json: some Collection<UInt8>) -> TileJSON {
            // Statistics of all attributes can make it long.
            guard json.count <= 4 << 20 else { return TileJSON() }
            return (try? JSONDecoder().decode(TileJSON.self, from: Data(json))) ?? TileJSON()
        }

        /// The names of the layers. OpenMapTiles has sixteen.
        var layers: [String] { vector_layers?.prefix(256).map { String($0.id.prefix(100)) } ?? [] }
    }

    /// West, south, east and north in degrees, of numbers with commas.
    static func bounds(text: String) -> [Double]? {
        guard text.utf8.count <= 1000 else { return nil }
        return bounds(text.split(separator: ",").compactMap { Double($0.filter { $0 != " " }) })
    }

    /// West, south, east and north in degrees, if that is what they are.
    static func bounds(_ values: [Double]) -> [Double]? {
        guard values.count == 4, values.allSatisfy(\.isFinite), values[0] < values[2], values[1] < values[3],
            values[0] >= -180, values[2] <= 180, values[1] >= -90, values[3] <= 90
        else { return nil }
        return values
    }
}
