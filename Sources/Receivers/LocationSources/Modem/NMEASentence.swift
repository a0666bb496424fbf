/// A sentence of NMEA 0183 with a valid checksum: `$GPRMC,…*5A`.
struct NMEASentence: Equatable {
    /// The greatest length in bytes. The standard says 82; receivers with more decimals exceed it.
    static let maximumLength = 128

    /// The talker: `GP` for GPS, `GN` for several systems.
    let talker: Substring
    /// The type, of three characters: `RMC`, `GGA`.
    let type: Substring
    private let fields: [Substring]

    /// The sentence in a line; `nil` for anything else.
    init?(_ line: Substring) {
        let bytes = line.utf8
        guard bytes.count <= Self.maximumLength, bytes.first == UInt8(ascii: "$"),
            bytes.dropFirst().allSatisfy({ (0x20...0x7e).contains($0) && $0 != UInt8(ascii: "$") })
        else { return nil }
        let parts = line.dropFirst().split(separator: "*", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].utf8.count == 2, parts[1].allSatisfy(\.isHexDigit),
            parts[0].utf8.reduce(0, ^) == UInt8(parts[1], radix: 16)
        else { return nil }
        let fields = parts[0].split(separator: ",", omittingEmptySubsequences: false)
        guard let address = fields.first, address.utf8.count == 5, address.utf8.allSatisfy(\.isUppercaseOrDigit) else {
            return nil
        }
        (talker, type, self.fields) = (address.prefix(2), address.suffix(3), fields)
    }

    /// The field with this number, from 1; `nil` if it is empty or missing.
    subscript(number: Int) -> Substring? {
        fields.indices.contains(number) && !fields[number].isEmpty ? fields[number] : nil
    }

    /// A field as a decimal number without an exponent; `nil` for anything else.
    func number(_ number: Int) -> Double? {
        guard let field = self[number], field.utf8.count <= 16 else { return nil }
        let digits = field.utf8.first == UInt8(ascii: "-") ? field.dropFirst() : field
        guard digits.utf8.first?.isDigit ?? false, digits.utf8.allSatisfy({ $0.isDigit || $0 == UInt8(ascii: ".") })
        else { return nil }
        return Double(field)
    }

    /// A field as a number of at most four digits.
    func count(_ number: Int) -> Int? {
        guard let field = self[number], field.utf8.count <= 4, field.utf8.allSatisfy(\.isDigit) else { return nil }
        return Int(field)
    }

    /// A field as a time of day, `hhmmss.sss`.
    func time(_ number: Int) -> NMEATime? { self[number].flatMap(NMEATime.init) }

    /// Two fields as degrees: `ddmm.mmm` with `width` digits of degrees, and the hemisphere.
    func angle(_ number: Int, width: Int, positive: Substring, negative: Substring) -> Double? {
        guard let field = self[number], let hemisphere = self[number + 1],
            hemisphere == positive || hemisphere == negative,
            field.utf8.prefix(while: \.isDigit).count == width + 2,
            self.number(number) != nil, let degrees = Double(field.prefix(width)),
            let minutes = Double(field.dropFirst(width)), minutes < 60
        else { return nil }
        let angle = degrees + minutes / 60
        return hemisphere == negative ? -angle : angle
    }
}

/// A time of day in UTC.
struct NMEATime: Hashable, Comparable {
    /// Digits of hours, minutes and seconds, and the decimals behind the point without zeros at their end.
    private let digits: Substring
    private let decimals: Substring

    /// The time in `hhmmss` with or without decimals; `nil` for anything else. A leap second counts.
    init?(_ text: Substring) {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let decimals = parts.count == 2 ? parts[1] : ""
        guard let digits = parts.first, digits.utf8.count == 6, digits.utf8.allSatisfy(\.isDigit),
            decimals.utf8.count <= 9, decimals.utf8.allSatisfy(\.isDigit)
        else { return nil }
        self.digits = digits
        self.decimals = decimals.prefix(decimals.utf8.count - decimals.reversed().prefix { $0 == "0" }.count)
    }

    /// The time in ISO 8601, without the date.
    var text: String {
        let seconds = digits.suffix(2), minutes = digits.dropFirst(2).prefix(2)
        return "\(digits.prefix(2)):\(minutes):\(seconds)" + (decimals.isEmpty ? "" : ".\(decimals)")
    }

    static func < (lhs: NMEATime, rhs: NMEATime) -> Bool {
        lhs.digits == rhs.digits ? lhs.decimals < rhs.decimals : lhs.digits < rhs.digits
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
    fileprivate var isUppercaseOrDigit: Bool { isDigit || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }
}
