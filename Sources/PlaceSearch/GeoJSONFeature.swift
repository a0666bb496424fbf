/// A feature out of a line of GeoJSON (RFC 8142 without record separators), as osmium writes it.
///
/// Reads hundreds of megabytes of such lines, so it goes over the bytes once and keeps only what is asked for.
struct GeoJSONFeature {
    /// The type of the geometry.
    enum Shape: Hashable {
        case point
        /// One or several lines.
        case lines
        /// The outer and inner rings of one or several polygons.
        case rings
    }

    /// `n123`
    var id = ""
    var shape = Shape.point
    /// Longitude and latitude of each point, one after the other.
    var coordinates: [(longitude: Double, latitude: Double)] = []
    /// Where each line or ring begins.
    var starts: [Int] = []
    /// Texts and numbers; lists of texts are joined with line feeds.
    var properties: [String: String] = [:]

    /// Where a reading failed, and why.
    struct Malformed: Error {}

    init(_ line: UnsafeRawBufferPointer) throws(Malformed) {
        var scanner = JSONScanner(line)
        try scanner.members { name, scanner throws(Malformed) in
            switch name {
            case "id": id = try scanner.text()
            case "geometry": try readGeometry(&scanner)
            case "properties":
                try scanner.members { name, scanner throws(Malformed) in properties[name] = try scanner.text() }
            default: try scanner.skip()
            }
        }
        guard scanner.isAtEnd, !coordinates.isEmpty else { throw Malformed() }
    }

    private mutating func readGeometry(_ scanner: inout JSONScanner) throws(Malformed) {
        try scanner.members { name, scanner throws(Malformed) in
            switch name {
            case "type":
                switch try scanner.text() {
                case "Point", "MultiPoint": shape = .point
                case "LineString", "MultiLineString": shape = .lines
                case "Polygon", "MultiPolygon": shape = .rings
                default: throw Malformed()
                }
            case "coordinates": try readCoordinates(&scanner, depth: 0)
            default: try scanner.skip()
            }
        }
    }

    /// The innermost lists are points; the lists around them are lines and rings.
    private mutating func readCoordinates(_ scanner: inout JSONScanner, depth: Int) throws(Malformed) {
        guard depth < 5 else { throw Malformed() }
        var numbers: (Double, Double) = (.nan, .nan)
        var count = 0
        var isFirstPoint = true
        try scanner.elements { scanner throws(Malformed) in
            if scanner.isNext(UInt8(ascii: "[")) {
                if isFirstPoint, scanner.isNext(UInt8(ascii: "["), followedByNumber: true) {
                    starts.append(coordinates.count)
                }
                isFirstPoint = false
                try readCoordinates(&scanner, depth: depth + 1)
            } else {
                let number = try scanner.number()
                if count == 0 { numbers.0 = number } else if count == 1 { numbers.1 = number }
                count += 1
            }
        }
        if count >= 2 {
            guard (-180...180).contains(numbers.0), (-90...90).contains(numbers.1) else { throw Malformed() }
            if starts.isEmpty { starts.append(0) }
            coordinates.append((numbers.0, numbers.1))
        }
    }
}

/// Walks over the bytes of one JSON value.
struct JSONScanner {
    typealias Malformed = GeoJSONFeature.Malformed
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool {
        mutating get {
            skipSpace()
            return position == bytes.count
        }
    }

    /// Whether the next value begins with this byte; with `followedByNumber`, and then a number.
    mutating func isNext(_ byte: UInt8, followedByNumber: Bool = false) -> Bool {
        skipSpace()
        guard position < bytes.count, bytes[position] == byte else { return false }
        guard followedByNumber else { return true }
        guard let next = bytes[(position + 1)...].first(where: { !$0.isSpace }) else { return false }
        return next == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next)
    }

    mutating func members(_ read: (String, inout Self) throws(Malformed) -> Void) throws(Malformed) {
        try list(UInt8(ascii: "{"), UInt8(ascii: "}")) { scanner throws(Malformed) in
            let name = try scanner.string()
            guard scanner.take(UInt8(ascii: ":")) else { throw Malformed() }
            try read(name, &scanner)
        }
    }

    mutating func elements(_ read: (inout Self) throws(Malformed) -> Void) throws(Malformed) {
        try list(UInt8(ascii: "["), UInt8(ascii: "]"), read)
    }

    /// A text, a number as it is written, or the texts of a list, a line each. What else there is reads as "".
    mutating func text() throws(Malformed) -> String {
        if isNext(UInt8(ascii: "\"")) { return try string() }
        if isNext(UInt8(ascii: "[")) {
            var parts: [String] = []
            try elements { scanner throws(Malformed) in parts.append(try scanner.text()) }
            return parts.joined(separator: "\n")
        }
        if isNext(UInt8(ascii: "{")) {
            try skip()
            return ""
        }
        return String(decoding: try word(), as: UTF8.self)
    }

    mutating func number() throws(Malformed) -> Double {
        let word = try word()
        // Coordinates have at most 18 digits, and so are exact: a whole number divided by a power of ten.
        var mantissa: Int64 = 0
        var scale = 1.0
        var isFraction = false
        let isNegative = word.first == UInt8(ascii: "-")
        for byte in word.dropFirst(isNegative ? 1 : 0) {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9") where mantissa < 1_000_000_000_000_000:
                mantissa = mantissa * 10 + Int64(byte & 15)
                if isFraction { scale *= 10 }
            case UInt8(ascii: "0")...UInt8(ascii: "9"): guard isFraction else { throw Malformed() }
            case UInt8(ascii: ".") where !isFraction: isFraction = true
            default:
                guard let number = Double(String(decoding: word, as: UTF8.self)) else { throw Malformed() }
                return number
            }
        }
        return (isNegative ? -1 : 1) * Double(mantissa) / scale
    }

    /// Goes past any value.
    mutating func skip() throws(Malformed) {
        var depth = 0
        repeat {
            skipSpace()
            guard position < bytes.count else { throw Malformed() }
            switch bytes[position] {
            case UInt8(ascii: "\""): _ = try string()
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                position += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                position += 1
            case UInt8(ascii: ","), UInt8(ascii: ":"): position += 1
            default: _ = try word()
            }
        } while depth > 0
    }

    private mutating func list(
        _ begin: UInt8, _ end: UInt8, _ read: (inout Self) throws(Malformed) -> Void
    ) throws(Malformed) {
        guard take(begin) else { throw Malformed() }
        if take(end) { return }
        repeat { try read(&self) } while take(UInt8(ascii: ","))
        guard take(end) else { throw Malformed() }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        skipSpace()
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while position < bytes.count, bytes[position].isSpace { position += 1 }
    }

    /// A number, `true`, `false` or `null`.
    private mutating func word() throws(Malformed) -> UnsafeRawBufferPointer {
        skipSpace()
        let start = position
        while position < bytes.count, !bytes[position].endsWord { position += 1 }
        guard position > start else { throw Malformed() }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<position])
    }

    private mutating func string() throws(Malformed) -> String {
        guard take(UInt8(ascii: "\"")) else { throw Malformed() }
        let start = position
        while position < bytes.count, bytes[position] != UInt8(ascii: "\""), bytes[position] != UInt8(ascii: "\\") {
            position += 1
        }
        guard position < bytes.count else { throw Malformed() }
        if bytes[position] == UInt8(ascii: "\"") {
            position += 1
            return String(decoding: bytes[start..<(position - 1)], as: UTF8.self)
        }
        return try escapedString(bytes[start..<position])
    }

    private mutating func escapedString(_ plain: Slice<UnsafeRawBufferPointer>) throws(Malformed) -> String {
        var units = Array(String(decoding: plain, as: UTF8.self).utf16)
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                position += 1
                return String(decoding: units, as: UTF16.self)
            }
            if byte == UInt8(ascii: "\\") {
                units.append(try escape())
                continue
            }
            let start = position
            while position < bytes.count, bytes[position] != UInt8(ascii: "\""), bytes[position] != UInt8(ascii: "\\") {
                position += 1
            }
            units += String(decoding: bytes[start..<position], as: UTF8.self).utf16
        }
        throw Malformed()
    }

    private mutating func escape() throws(Malformed) -> UInt16 {
        guard position + 1 < bytes.count else { throw Malformed() }
        let kind = bytes[position + 1]
        position += 2
        switch kind {
        case UInt8(ascii: "n"): return 10
        case UInt8(ascii: "t"): return 9
        case UInt8(ascii: "r"): return 13
        case UInt8(ascii: "b"): return 8
        case UInt8(ascii: "f"): return 12
        case UInt8(ascii: "u"):
            guard position + 4 <= bytes.count,
                let unit = UInt16(String(decoding: bytes[position..<(position + 4)], as: UTF8.self), radix: 16)
            else { throw Malformed() }
            position += 4
            return unit
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return UInt16(kind)
        default: throw Malformed()
        }
    }
}

extension UInt8 {
    fileprivate var isSpace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
    /// Whether it is a space, a comma, a colon or a closing bracket.
    fileprivate var endsWord: Bool { isSpace || self == 0x2C || self == 0x3A || self == 0x5D || self == 0x7D }
}
