import StrictJSON

/// A feature from a line of GeoJSON (RFC 8142 without record separators), as osmium writes it.
///
/// Hundreds of megabytes of lines are read, so the parser passes the bytes once and keeps only the properties in use.
struct GeoJSONFeature {
    /// The type of the geometry.
    enum Shape: Hashable {
        case point
        /// One or more lines.
        case lines
        /// The outer and inner rings of one or more polygons.
        case rings
    }

    /// The identifier, such as `n123`.
    var id = ""
    var shape = Shape.point
    /// The longitude and latitude of each point, in sequence.
    var coordinates: [(longitude: Double, latitude: Double)] = []
    /// The index of the first point of each line or ring.
    var starts: [Int] = []
    /// The texts and numbers; lists of texts are joined by line feeds.
    var properties: [String: String] = [:]

    /// Reads a feature.
    ///
    /// - Throws: `JSONFlaw`, also for JSON of another form.
    init(_ bytes: [UInt8], in range: Range<Int>) throws(JSONFlaw) {
        var reader = Reader(bytes: bytes, scanner: JSONScanner(bytes, in: range, isLenient: true))
        try reader.scanner.openObject()
        while let name = try reader.scanner.nextMember() {
            switch name {
            case "id": id = try reader.text()
            case "geometry": try readGeometry(&reader)
            case "properties":
                try reader.scanner.openObject()
                while let name = try reader.scanner.nextMember() { properties[name] = try reader.text() }
            default: try reader.scanner.skip()
            }
        }
        guard reader.scanner.isAtEnd, !coordinates.isEmpty else { throw .malformed }
    }

    private mutating func readGeometry(_ reader: inout Reader) throws(JSONFlaw) {
        try reader.scanner.openObject()
        while let name = try reader.scanner.nextMember() {
            switch name {
            case "type":
                switch try reader.scanner.string() {
                case "Point", "MultiPoint": shape = .point
                case "LineString", "MultiLineString": shape = .lines
                case "Polygon", "MultiPolygon": shape = .rings
                default: throw .malformed
                }
            case "coordinates": _ = try readCoordinates(&reader, depth: 0)
            default: try reader.scanner.skip()
            }
        }
    }

    /// Reads nested lists: the innermost are points, the others lines and rings. Returns true for a point.
    private mutating func readCoordinates(_ reader: inout Reader, depth: Int) throws(JSONFlaw) -> Bool {
        guard depth < 5 else { throw .malformed }
        var numbers: (Double, Double) = (.nan, .nan)
        var count = 0
        var isFirstPart = true
        let start = coordinates.count
        try reader.scanner.openArray()
        while try reader.scanner.nextElement() {
            if try reader.scanner.kind == .array {
                let isPoint = try readCoordinates(&reader, depth: depth + 1)
                if isFirstPart, isPoint { starts.append(start) }
                isFirstPart = false
            } else {
                let number = try reader.number()
                if count == 0 { numbers.0 = number } else if count == 1 { numbers.1 = number }
                count += 1
            }
        }
        guard count > 0 else { return false }
        if count >= 2 {
            guard (-180...180).contains(numbers.0), (-90...90).contains(numbers.1) else { throw .malformed }
            if depth == 0, starts.isEmpty { starts.append(0) }
            coordinates.append((numbers.0, numbers.1))
        }
        return true
    }

    /// Reads the values of features.
    private struct Reader {
        let bytes: [UInt8]
        var scanner: JSONScanner

        /// Returns a text, a number as written, or the texts of a list, one a line. Other values read as "".
        mutating func text() throws(JSONFlaw) -> String {
            switch try scanner.kind {
            case .string: return try scanner.string()
            case .array:
                var parts: [String] = []
                try scanner.openArray()
                while try scanner.nextElement() { parts.append(try text()) }
                return parts.joined(separator: "\n")
            case .object:
                try scanner.skip()
                return ""
            case .number, .boolean, .null: return String(decoding: bytes[try scanner.skip()], as: UTF8.self)
            }
        }

        mutating func number() throws(JSONFlaw) -> Double {
            guard try scanner.kind == .number else { throw .malformed }
            let word = bytes[try scanner.skip()]
            // At most 18 digits are exact as a whole number divided by a power of ten.
            var mantissa: Int64 = 0
            var scale = 1.0
            var isFraction = false
            let isNegative = word.first == UInt8(ascii: "-")
            for byte in word.dropFirst(isNegative ? 1 : 0) {
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9") where mantissa < 1_000_000_000_000_000:
                    mantissa = mantissa * 10 + Int64(byte & 15)
                    if isFraction { scale *= 10 }
                case UInt8(ascii: "0")...UInt8(ascii: "9"): guard isFraction else { throw .malformed }
                case UInt8(ascii: "."): isFraction = true
                default:
                    guard let number = Double(String(decoding: word, as: UTF8.self)) else { throw .malformed }
                    return number
                }
            }
            return (isNegative ? -1 : 1) * Double(mantissa) / scale
        }
    }
}
