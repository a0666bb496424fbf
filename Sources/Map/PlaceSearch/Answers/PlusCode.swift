import LocationModel

/// A plus code: an area of the earth as letters and digits, "8FVC9G8F+6X". A short code, "9G8F+6X", is relative to a
/// well-known place, often written after it.
///
/// This is Google's Open Location Code
/// (<https://github.com/google/open-location-code/blob/main/Documentation/Specification/specification.md>).
struct PlusCode: Hashable, Sendable {
    /// The values of the digits, at most fifteen; further ones have no meaning.
    private let digits: [Int]
    /// The number of digits before the plus, padding included: 8 in a full code.
    private let digitsBefore: Int

    private static let alphabet = Array("23456789CFGHJMPQRVWX")
    private static let pairs = 10
    private static let maximum = 15
    /// The number of units in a degree that fifteen digits can distinguish.
    private static let latitudeUnits = 8000 * 3125
    private static let longitudeUnits = 8000 * 1024

    /// Parses `text`; `nil` if it is not a code.
    init?(_ text: some StringProtocol) {
        let parts = text.uppercased().split(separator: "+", omittingEmptySubsequences: false)
        guard parts.count == 2, text.utf8.count <= 40 else { return nil }
        let (before, after) = (parts[0], parts[1])
        guard before.count <= 8, before.count.isMultiple(of: 2), after.count != 1, before.count + after.count >= 2
        else {
            return nil
        }
        let significant = before.prefix { $0 != "0" }
        if significant.count < before.count {
            // Padding replaces the digits of a full code for a large area.
            guard before.count == 8, after.isEmpty, significant.count >= 2, significant.count.isMultiple(of: 2),
                before.dropFirst(significant.count).allSatisfy({ $0 == "0" })
            else { return nil }
        }
        let digits = (significant + after).map { Self.alphabet.firstIndex(of: $0) ?? -1 }
        guard !digits.contains(-1) else { return nil }
        self.digits = Array(digits.prefix(Self.maximum))
        digitsBefore = before.count
        if isFull, digits[0] * 20 >= 180 || digits[1] * 20 >= 360 { return nil }
    }

    /// Creates the full code with an even number of digits, at most 10, of the area that contains a coordinate.
    init(_ coordinate: Coordinate, digits count: Int = Self.pairs) {
        // The north pole belongs to the areas south of it.
        var latitude = min(Int(((coordinate.latitude + 90) * 8000).rounded(.down)), 180 * 8000 - 1)
        let turn = 360 * 8000
        var longitude = ((Int(((coordinate.longitude + 180) * 8000).rounded(.down)) % turn) + turn) % turn
        var digits: [Int] = []
        for _ in 0..<Self.pairs / 2 {
            digits = [latitude % 20, longitude % 20] + digits
            latitude /= 20
            longitude /= 20
        }
        self.digits = Array(digits.prefix(count))
        digitsBefore = 8
    }

    /// True if this is a full code.
    var isFull: Bool { digitsBefore == 8 }

    /// The code with its plus and padding.
    var text: String {
        let letters = digits.map { Self.alphabet[$0] }
        let before = String(letters.prefix(digitsBefore))
        return before + String(repeating: "0", count: digitsBefore - before.count) + "+"
            + String(letters.dropFirst(digitsBefore))
    }

    /// The area of a full code; of a short one, that of its digits in the south-west of the world.
    var area: PlaceBounds? {
        var (south, west) = (0, 0)
        var (height, width) = (20 * Self.latitudeUnits, 20 * Self.longitudeUnits)
        for (place, digit) in digits.enumerated() {
            switch place {
            case 0..<Self.pairs where place.isMultiple(of: 2):
                if place > 0 { height /= 20 }
                south += digit * height
            case 0..<Self.pairs:
                if place > 1 { width /= 20 }
                west += digit * width
            default:
                // Beyond ten digits, each digit selects one of five rows and four columns.
                height /= 5
                width /= 4
                south += digit / 4 * height
                west += digit % 4 * width
            }
        }
        func degrees(_ value: Int, _ units: Int, from start: Double) -> Double { Double(value) / Double(units) + start }
        return PlaceBounds(
            west: degrees(west, Self.longitudeUnits, from: -180), south: degrees(south, Self.latitudeUnits, from: -90),
            east: min(180, degrees(west + width, Self.longitudeUnits, from: -180)),
            north: min(90, degrees(south + height, Self.latitudeUnits, from: -90)))
    }

    /// Returns the full code that ends like this one and is nearest to a position.
    func full(near position: Coordinate) -> PlusCode {
        guard !isFull else { return self }
        let missing = 8 - digitsBefore
        let prefix = PlusCode(position).digits.prefix(missing)
        let candidate = PlusCode(digits: Array((prefix + digits).prefix(Self.maximum)))
        guard let area = candidate.area else { return candidate }
        // The side of the area of the missing digits, in degrees: equal codes repeat at this distance.
        let side = missing <= 2 ? 20 : missing <= 4 ? 1 : missing <= 6 ? 0.05 : 0.0025
        var (latitude, longitude) = ((area.south + area.north) / 2, area.center.longitude)
        // Beyond a pole, the latitude is clamped to the area of the candidate.
        if position.latitude + side / 2 < latitude {
            latitude -= side
        } else if position.latitude - side / 2 > latitude {
            latitude += side
        }
        if position.longitude + side / 2 < longitude {
            longitude -= side
        } else if position.longitude - side / 2 > longitude {
            longitude += side
        }
        let center = Coordinate(clampingLatitude: latitude, wrappingLongitude: longitude)
        return PlusCode(digits: Array((PlusCode(center).digits.prefix(missing) + digits).prefix(Self.maximum)))
    }

    private init(digits: [Int]) {
        self.digits = digits
        digitsBefore = 8
    }

    /// Returns the first code in a text and the text beside it: "9G8F+6X Zürich". A short code counts only with four
    /// digits or more before the plus and one after it: `+49` begins a telephone number.
    static func first(in text: String) -> (code: PlusCode, rest: String)? {
        let words = text.prefix(400).split { $0.isWhitespace || $0 == "," || $0 == ";" }
        for (number, word) in words.enumerated() where word.contains("+") {
            guard let code = PlusCode(word), code.digitsBefore >= 4,
                code.isFull || code.digits.count > code.digitsBefore
            else { continue }
            return (code, (words[..<number] + words[(number + 1)...]).joined(separator: " "))
        }
        return nil
    }
}
