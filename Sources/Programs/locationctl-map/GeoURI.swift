import LocationModel

/// A place in a `geo:` URI (RFC 5870), with the additions that maps on phones write: the zoom level `z`, and the query
/// `q` with a coordinate and a name.
///
/// Links come from web pages and messages, so anything but the exact form is an error, and a name is text.
struct GeoURI: Hashable {
    var coordinate: Coordinate
    /// The radius of the uncertainty in metres (`u`); `nil` if none is stated.
    var uncertainty: Double?
    /// The zoom level of a map with tiles of 256 pixels, 0 to 22; `nil` if none is stated.
    var zoom: Double?
    /// The name; `nil` if none is stated.
    var name: String?

    /// The greatest length in bytes.
    static let maximumLength = 2048
    static let scheme = "geo:"

    /// True if an argument is meant as a `geo:` URI rather than as a file.
    static func isScheme(of argument: String) -> Bool { argument.prefix(4).lowercased() == scheme }

    /// An error: the text is no `geo:` URI of a place that a map can show.
    struct Invalid: Error, CustomStringConvertible {
        let description: String

        fileprivate init(_ description: String) { self.description = description }
    }

    /// Reads a URI.
    init(_ text: String) throws(Invalid) {
        guard text.utf8.count <= Self.maximumLength else {
            throw Invalid("The geo: link is longer than \(Self.maximumLength) bytes.")
        }
        guard Self.isScheme(of: text), text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw Invalid("A geo: link has the form geo:LATITUDE,LONGITUDE, as in geo:47.14,9.52?z=15.")
        }
        let parts = text.dropFirst(4).split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts[0].split(separator: ";", omittingEmptySubsequences: false)
        coordinate = try Self.coordinate(path[0])
        for parameter in path.dropFirst() { try read(parameter: parameter) }
        if parts.count == 2 {
            for item in parts[1].split(separator: "&", omittingEmptySubsequences: true) { try read(query: item) }
        }
    }

    private static func coordinate(_ text: Substring) throws(Invalid) -> Coordinate {
        let values = text.split(separator: ",", omittingEmptySubsequences: false).map(number)
        guard (2...3).contains(values.count), let latitude = values[0], let longitude = values[1],
            values.allSatisfy({ $0 != nil })
        else { throw Invalid("A geo: link has the form geo:LATITUDE,LONGITUDE, as in geo:47.14,9.52?z=15.") }
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
            throw Invalid("The geo: link is outside of the world: latitudes are -90 to 90, longitudes -180 to 180.")
        }
        return coordinate
    }

    /// The number of RFC 5870: digits with an optional minus and fraction, and neither plus nor exponent.
    private static func number(_ text: Substring) -> Double? {
        let digits = text.hasPrefix("-") ? text.dropFirst() : text
        let parts = digits.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else { return nil }
        return Double(text)
    }

    /// The text without percent-encoding, and with spaces for plus signs; `nil` if it is no UTF-8.
    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard rest.count >= 2, let value = UInt8(Substring(rest.prefix(2)), radix: 16) else {
                    return nil
                }
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private mutating func read(parameter: Substring) throws(Invalid) {
        let pair = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        switch pair[0].lowercased() {
        case "crs":
            guard pair.count == 2, pair[1].lowercased() == "wgs84" else {
                throw Invalid("The geo: link uses another coordinate system than WGS 84, the only one here.")
            }
        case "u":
            guard pair.count == 2, let value = Self.number(pair[1]), value >= 0 else {
                throw Invalid("The uncertainty of the geo: link (u) must be a number of metres.")
            }
            uncertainty = value
        default: break  // RFC 5870, 3.4.3: unknown parameters are ignored.
        }
    }

    private mutating func read(query: Substring) throws(Invalid) {
        let pair = query.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard pair.count == 2 else { return }
        switch pair[0] {
        case "z":
            guard let value = Self.number(pair[1]), (0...22).contains(value) else {
                throw Invalid("The zoom of the geo: link (z) must be 0 to 22.")
            }
            zoom = value
        case "q": try read(search: pair[1])
        default: break
        }
    }

    /// Reads `LATITUDE,LONGITUDE(NAME)`, or a name alone.
    private mutating func read(search: Substring) throws(Invalid) {
        guard let text = Self.decoded(search) else {
            throw Invalid("The name in the geo: link is not encoded as UTF-8.")
        }
        let parts = text.split(separator: "(", maxSplits: 1, omittingEmptySubsequences: false)
        if let place = try? Self.coordinate(parts[0]) {
            coordinate = place
            name = parts.count == 2 ? String(parts[1].hasSuffix(")") ? parts[1].dropLast() : parts[1]) : nil
        } else if coordinate == Coordinate(latitude: 0, longitude: 0) {
            let words = text.filter { $0 != "'" && !$0.isNewline }
            throw Invalid(
                "The geo: link names a place instead of a coordinate. To find it, run: locationctl search '\(words)'")
        } else {
            name = text
        }
        name = name.flatMap { $0.isEmpty ? nil : String($0.prefix(200)) }
    }
}
