import FoundationEssentials

/// The metadata of archives, which are shown to people and handed to the page.
enum TileMetadata {
    /// Attributions are HTML by the specifications, and are shown as text.
    static func plainText(_ html: String) -> String {
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

    /// Part of a TileJSON object (<https://github.com/mapbox/tilejson-spec>), which both kinds of archives contain.
    struct TileJSON: Decodable {
        struct Layer: Decodable { var id: String }
        var vector_layers: [Layer]?
        var attribution: String?

        /// An archive of pictures has none, nor need one of others name its layers.
        static func read(_ json: some Sequence<UInt8>) -> TileJSON {
            (try? JSONDecoder().decode(TileJSON.self, from: Data(json))) ?? TileJSON()
        }

        var layers: [String] { vector_layers?.map(\.id) ?? [] }
    }

    /// West, south, east and north in degrees, if that is what they are.
    static func bounds(_ values: [Double]) -> [Double]? {
        guard values.count == 4, values.allSatisfy(\.isFinite), values[0] < values[2], values[1] < values[3],
            values[0] >= -180, values[2] <= 180, values[1] >= -90, values[3] <= 90
        else { return nil }
        return values
    }
}
