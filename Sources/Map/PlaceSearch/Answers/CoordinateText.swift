import CPlaceTables
public import LocationModel

/// Coordinates as people write and copy them.
///
/// `47.141, 9.5215`, `47,141; 9,5215`, `(47.141, 9.5215)`, `lat 47.141 lon 9.5215`, `47°08'27.6"N 9°31'17.4"E`,
/// `47°08'27.6''N 9°31'17.4''E`, `47d08m27.6sN 9d31m17.4sE`, `N 47 8.46 E 9 31.29`, `47 8.46 9 31.29`, `9.5215 East, 47.141
/// North`, `4708.46N 00931.29E`, `POINT(9.5215 47.141)` and `8FVF4GRC+CJ` (a full plus code). Directions are also understood as words of the languages in the table
/// `coordinate-words.txt`. Without them the latitude comes first. Links are read by ``MapLink``.
public enum CoordinateText {
    /// The greatest length of a text, in bytes.
    static let maximumLength = 400

    /// Returns the coordinate in `text`; `nil` if it is in none of these forms, or has several readings.
    public static func coordinate(_ text: String, language: String? = MessageLanguage.code) -> Coordinate? {
        let readings = readings(of: text, language: language)
        return readings.count == 1 ? readings[0] : nil
    }

    /// Returns the coordinates that `text` may mean, the likelier first: none if it is in none of these forms, two if its
    /// numbers can be divided in two ways (`48 12 16 22 30`), or if it has an O without a language that says where that is.
    ///
    /// - Parameter language: The language of the user, as a code of ISO 639-1: in French, Spanish, Portuguese and Italian O is
    ///   west, in German and Dutch it is east. Default: that of the environment.
    public static func readings(of text: String, language: String? = MessageLanguage.code) -> [Coordinate] {
        guard text.utf8.count <= maximumLength else { return [] }
        if let point = wellKnownText(text) { return [point] }
        let text = withoutMarkup(text)
        // The comma divides numbers, or else is their decimal mark.
        for hasDecimalCommas in [false, true] {
            guard let tokens = CoordinateTokens(text, hasDecimalCommas: hasDecimalCommas) else { continue }
            let found = CoordinateReader(tokens, language: language).readings
            if !found.isEmpty { return found }
        }
        if let code = PlusCode(text), code.isFull, let area = code.area { return [area.center] }
        // A name after it: "47.141, 9.5215 (Bus stop)".
        guard text.hasSuffix(")"), let open = text.firstIndex(of: "("), open != text.startIndex else { return [] }
        let place = text[..<open]
        return place.contains(where: { ".,°".contains($0) }) ? readings(of: String(place), language: language) : []
    }

    /// Returns the point of `POINT(9.5215 47.141)`, the well-known text of databases, whose longitude comes first.
    private static func wellKnownText(_ text: String) -> Coordinate? {
        var rest = text.lowercased().filter { !$0.isNewline }[...]
        func skipSpaces() { rest = rest.drop { $0 == " " } }
        for word in ["srid=4326;", "point"] {
            skipSpaces()
            if rest.hasPrefix(word) { rest = rest.dropFirst(word.count) } else if word == "point" { return nil }
        }
        skipSpaces()
        rest = rest.drop { "zm".contains($0) }
        skipSpaces()
        guard rest.first == "(", let end = rest.firstIndex(of: ")"), rest[end...].dropFirst().allSatisfy({ $0 == " " })
        else { return nil }
        let numbers = rest[..<end].dropFirst().split(separator: " ").map { Double($0) }
        guard (2...4).contains(numbers.count), let longitude = numbers[0], let latitude = numbers[1] else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    /// The text without the name of the usual datum, and without the quotation marks of `lat="47.141" lon="9.5215"`.
    private static func withoutMarkup(_ text: String) -> String {
        var text = text
        for datum in ["WGS84", "WGS 84", "WGS-84", "EPSG:4326"] {
            text.replace(Regex<Substring>(verbatim: datum).ignoresCase(), with: "", maxReplacements: 1)
        }
        for quote in ["\"", "'"] where text.contains("=\(quote)") { text = text.replacing(quote, with: "") }
        return text
    }
}

/// The numbers of a text with what stands before, between and after them.
struct CoordinateTokens {
    enum Axis { case latitude, longitude }

    /// A word or letter for a direction.
    enum Direction: String { case north, south, east, west, o }

    /// A number.
    struct Number {
        /// The magnitude.
        var value: Double
        var isNegative = false
        var hasSign = false
        var hasFraction = false
        /// The number of digits before the decimal mark.
        var digits = 0
        /// The unit after it: 0 for degrees, 1 for minutes, 2 for seconds; `nil` without one.
        var unit: Int?
    }

    /// The text before a number, or after the last one.
    struct Gap {
        var directions: [Direction] = []
        var labels: [Axis] = []
        var hasSeparator = false
    }

    private(set) var numbers: [Number] = []
    /// The gap before each number, and that after the last one.
    private(set) var gaps = [Gap()]

    /// A degree, minutes and seconds of both angles, and a height.
    private static let maximumNumbers = 7

    /// Reads a text; `nil` if it has anything that does not belong to a coordinate.
    init?(_ text: String, hasDecimalCommas: Bool) {
        let scalars = Array(text.lowercased().unicodeScalars).map { Self.plain[$0] ?? $0 }
        let original = Array(text.unicodeScalars)
        let isSameLength = original.count == scalars.count
        // The parts of an angle may be joined by hyphens: "40-26-46N 79-58-56W".
        let isHyphenated =
            scalars.contains(where: \.properties.isAlphabetic) && scalars.first != "-" && scalars.first != "+"
        // Of two axes: a Y alone is "and" in Spanish.
        let words = Set(text.lowercased().split { !$0.isLetter })
        hasXAndY = words.contains("x") && words.contains("y")
        var position = 0
        func scalar(_ offset: Int) -> Unicode.Scalar? {
            scalars.indices.contains(position + offset) ? scalars[position + offset] : nil
        }
        func isDigit(_ scalar: Unicode.Scalar?) -> Bool { scalar.map { ("0"..."9").contains($0) } ?? false }
        while let first = scalar(0) {
            let startsNumber = isDigit(first) || first == "." && isDigit(scalar(1)) && !isDigit(scalar(-1))
            let hasSign =
                (first == "-" || first == "+")
                && (isDigit(scalar(1)) || scalar(1) == "." && isDigit(scalar(2)))
            if hasSign, isHyphenated, isDigit(scalar(-1)) {
                position += 1
            } else if startsNumber || hasSign {
                if hasSign { position += 1 }
                var word = ""
                while let next = scalar(0), word.utf8.count <= 24 {
                    let isMark = next == "." || hasDecimalCommas && next == ","
                    guard isDigit(next) || isMark && isDigit(scalar(1)) && !word.contains(".") else { break }
                    word.unicodeScalars.append(isMark ? "." : next)
                    position += 1
                }
                guard word.utf8.count <= 24, numbers.count < Self.maximumNumbers,
                    let value = Double(word.hasPrefix(".") ? "0" + word : word)
                else { return nil }
                numbers.append(
                    Number(
                        value: value, isNegative: hasSign && first == "-", hasSign: hasSign,
                        hasFraction: word.contains("."), digits: word.prefix { $0 != "." }.count))
                gaps.append(Gap())
            } else if first.properties.isAlphabetic {
                var word = String.UnicodeScalarView()
                let start = position
                while let next = scalar(0),
                    next.properties.isAlphabetic || next.properties.generalCategory == .nonspacingMark
                {
                    word.append(next)
                    position += 1
                }
                let isCapital = isSameLength && original[start].properties.isUppercase
                guard add(word: Folding.fold(String(word)), isCapital: isCapital) else { return nil }
            } else {
                position += 1
                switch first {
                case "(", ")", "[", "]", "{", "}", "<", ">", "@", ":", "=", "_": continue
                case ",", ";", "/", "|", "&", "~", "-": gaps[gaps.count - 1].hasSeparator = true
                case "°", "*": guard add(unit: 0) else { return nil }
                case "'":
                    let isDouble = scalar(0) == "'"
                    if isDouble { position += 1 }
                    guard add(unit: isDouble ? 2 : 1) else { return nil }
                case "\"": guard add(unit: 2) else { return nil }
                // After an abbreviation.
                case "." where scalar(-2)?.properties.isAlphabetic == true: continue
                case _ where first.properties.isWhitespace || first.properties.generalCategory == .format: continue
                default: return nil
                }
            }
        }
    }

    /// Adds a unit to the number before it. In other places the same signs are quotation marks.
    private mutating func add(unit: Int) -> Bool {
        guard let last = numbers.indices.last, gaps[gaps.count - 1].isEmpty else { return unit > 0 }
        guard numbers[last].unit == nil else { return false }
        numbers[last].unit = unit
        return true
    }

    private mutating func add(word: String, isCapital: Bool) -> Bool {
        guard !word.isEmpty else { return true }
        let follows = !numbers.isEmpty && gaps[gaps.count - 1].isEmpty
        // "12d54m10.3s" is no south, and "10.3S" is.
        if word == "s", !isCapital, follows, numbers.last?.unit == nil, numbers.dropLast().last?.unit == 1,
            hasLetterUnits
        {
            return add(unit: 2)
        }
        if let unit = Self.letterUnits[word], unit < 2 {
            hasLetterUnits = true
            return follows && add(unit: unit)
        }
        if hasXAndY, word == "x" || word == "y" { return add(.label(word == "x" ? .longitude : .latitude)) }
        if let meaning = CoordinateWords.table[word] { return add(meaning) }
        // "10.3sN".
        if follows, word.utf8.count == 2, let unit = Self.letterUnits[String(word.prefix(1))],
            hasLetterUnits || unit == 0, let meaning = CoordinateWords.table[String(word.suffix(1))]
        {
            return add(unit: unit) && add(meaning)
        }
        // Scripts without spaces.
        guard !word.utf8.contains(where: { $0 < 128 }) else { return false }
        var rest = Substring(word)
        while !rest.isEmpty {
            let known = stride(from: min(rest.count, 4), through: 1, by: -1).lazy.map { rest.prefix($0) }
                .first { CoordinateWords.table[String($0)] != nil }
            guard let known, let meaning = CoordinateWords.table[String(known)], add(meaning) else { return false }
            rest = rest.dropFirst(known.count)
        }
        return true
    }

    private static let letterUnits = ["d": 0, "m": 1, "s": 2]
    /// True after a letter for degrees or minutes.
    private var hasLetterUnits = false
    private let hasXAndY: Bool

    private mutating func add(_ meaning: CoordinateWords.Meaning) -> Bool {
        switch meaning {
        case .direction(let direction):
            // "46S N": seconds, in capital letters.
            if hasLetterUnits, gaps[gaps.count - 1].directions == [.south], numbers.dropLast().last?.unit == 1,
                numbers.last?.unit == nil
            {
                gaps[gaps.count - 1] = Gap()
                guard add(unit: 2) else { return false }
            }
            gaps[gaps.count - 1].directions.append(direction)
        case .label(let axis): gaps[gaps.count - 1].labels.append(axis)
        case .unit(let unit): return add(unit: unit)
        case .separator: gaps[gaps.count - 1].hasSeparator = true
        case .nothing: break
        }
        return true
    }

    /// Removes a third number, the zoom level or height after a pair of decimal degrees.
    mutating func removeHeight() {
        guard numbers.count == 3, gaps[1].hasSeparator, gaps[2].hasSeparator, numbers[0].hasFraction,
            numbers[1].hasFraction, numbers.dropLast().allSatisfy({ $0.unit == nil })
        else { return }
        numbers.removeLast()
        gaps.removeLast()
        gaps[2] = Gap()
    }

    /// Signs that are written in several ways.
    private static let plain: [Unicode.Scalar: Unicode.Scalar] = {
        var table: [Unicode.Scalar: Unicode.Scalar] = [:]
        for (sign, others) in [
            ("-", "−‐‑‒–﹣－"), ("'", "′’‘´`ʹʼ＇"), ("\"", "″”“„¨ʺ＂"), ("°", "º˚"), (",", "，、،"), (";", "；؛"), (".", "．٫"),
            ("(", "（"), (")", "）"), (" ", "\u{3000}"), (":", "："), ("+", "＋"),
        ] as [(Unicode.Scalar, String)] {
            for other in others.unicodeScalars { table[other] = sign }
        }
        // Digits of other scripts that are used beside these signs.
        for zero in [0x0660, 0x06F0, 0x0966, 0xFF10] as [UInt32] {
            for digit in 0..<10 as Range<UInt32> {
                guard let other = Unicode.Scalar(zero + digit), let plain = Unicode.Scalar(0x30 + digit) else {
                    continue
                }
                table[other] = plain
            }
        }
        return table
    }()
}

extension CoordinateTokens.Gap {
    fileprivate var isEmpty: Bool { directions.isEmpty && labels.isEmpty && !hasSeparator }
}

/// The words that stand beside coordinates: the table `coordinate-words.txt`.
enum CoordinateWords {
    enum Meaning {
        case direction(CoordinateTokens.Direction)
        case label(CoordinateTokens.Axis)
        case unit(Int)
        case separator
        case nothing
    }

    /// The meanings by folded word.
    static let table: [String: Meaning] = {
        var table: [String: Meaning] = [:]
        for line in String(cString: locationd_coordinate_words()).split(separator: "\n")
        where !line.hasPrefix("#") {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, let meaning = meaning(parts[0]) else { continue }
            for word in parts[1].split(separator: " ") { table[Folding.fold(word)] = meaning }
        }
        return table
    }()

    private static func meaning(_ name: Substring) -> Meaning? {
        if let direction = CoordinateTokens.Direction(rawValue: String(name)) { return .direction(direction) }
        switch name {
        case "latitude": return .label(.latitude)
        case "longitude": return .label(.longitude)
        case "degrees": return .unit(0)
        case "minutes": return .unit(1)
        case "seconds": return .unit(2)
        case "and": return .separator
        case "coordinate": return .nothing
        default: return nil
        }
    }
}

/// Finds the two angles in the numbers of a text.
private struct CoordinateReader {
    private let tokens: CoordinateTokens
    /// The directions that an O may stand for.
    private let meaningsOfO: [CoordinateTokens.Direction]

    private static let west: Set = ["fr", "es", "pt", "it", "ca", "gl", "eu", "oc"]
    private static let east: Set = ["de", "nl", "af", "lb", "nds", "da", "nb", "nn", "no", "sv"]

    init(_ tokens: CoordinateTokens, language: String?) {
        var tokens = tokens
        tokens.removeHeight()
        self.tokens = tokens
        let hasO = tokens.gaps.contains { $0.directions.contains(.o) }
        meaningsOfO =
            !hasO || language.map(Self.east.contains) ?? false
            ? [.east] : language.map(Self.west.contains) ?? false ? [.west] : [.west, .east]
    }

    /// The coordinates that the text may mean.
    var readings: [Coordinate] {
        var found: [Coordinate] = []
        for meaning in meaningsOfO {
            for coordinate in divisions.compactMap({ position(first: $0, o: meaning) })
            where !found.contains(coordinate) {
                found.append(coordinate)
            }
        }
        return found
    }

    /// The numbers of numbers that the first angle may have. Equal halves come first; other divisions count only if a unit, a
    /// direction or a sign shows an angle, or if there are no halves.
    private var divisions: [Int] {
        let count = tokens.numbers.count
        guard count >= 2 else { return [] }
        if count.isMultiple(of: 2), position(first: count / 2, o: .east) != nil { return [count / 2] }
        let isMarked =
            tokens.numbers.contains { $0.unit != nil || $0.hasSign }
            || tokens.gaps.contains { !$0.directions.isEmpty || !$0.labels.isEmpty }
        return isMarked || count > 3 ? Array(1..<count) : []
    }

    /// Returns the coordinate whose first angle has `first` numbers; `nil` if these are not two angles.
    private func position(first: Int, o: CoordinateTokens.Direction) -> Coordinate? {
        let numbers = tokens.numbers
        let gaps = tokens.gaps
        // A direction between the numbers of an angle, or a separator there, means another division.
        for (index, gap) in gaps.enumerated() where index != 0 && index != first && index != numbers.count {
            guard gap.directions.isEmpty, gap.labels.isEmpty, !gap.hasSeparator else { return nil }
        }
        let between = gaps[first]
        guard let directions = Self.sides(gaps[0].directions, between.directions, gaps[numbers.count].directions),
            let labels = Self.sides(gaps[0].labels, between.labels, gaps[numbers.count].labels)
        else { return nil }
        // "4708.46N 00931.29E", "+4708.46+00931.29".
        let isPacked =
            numbers.count == 2 && numbers.allSatisfy { $0.digits >= 4 && $0.unit == nil }
            && (directions.first != nil && directions.second != nil || numbers.allSatisfy(\.hasSign))
        let angles = isPacked ? numbers.map(packedAngle) : [angle(numbers[..<first]), angle(numbers[first...])]
        guard let a = angles[0], let b = angles[1] else { return nil }
        let sides: [CoordinateTokens.Direction?] = [directions.first, directions.second].map { $0 == .o ? o : $0 }
        // A single letter after a whole number may be the direction of a street.
        let isPrecise = numbers.contains { $0.hasFraction || $0.unit != nil }
        guard isPrecise || (directions.first == nil) == (directions.second == nil) else { return nil }
        var axes: [CoordinateTokens.Axis?] = [labels.first, labels.second]
        for (index, side) in sides.enumerated() {
            guard let side else { continue }
            let axis: CoordinateTokens.Axis = side == .north || side == .south ? .latitude : .longitude
            guard axes[index] == nil || axes[index] == axis else { return nil }
            axes[index] = axis
        }
        guard axes[0] == nil || axes[0] != axes[1] else { return nil }
        let isReversed = axes[0] == .longitude || axes[0] == nil && axes[1] == .latitude
        let values = zip([a, b], sides).map { value, side in
            side == .south || side == .west ? -value.magnitude : value
        }
        return Coordinate(latitude: values[isReversed ? 1 : 0], longitude: values[isReversed ? 0 : 1])
    }

    /// Returns the marks of both angles: each stands before its angle, or each after it. `nil` if there are too many.
    private static func sides<Mark>(_ before: [Mark], _ between: [Mark], _ after: [Mark]) -> (
        first: Mark?, second: Mark?
    )? {
        switch (before.count, between.count, after.count) {
        case (0, 0, 0): (nil, nil)
        case (2, 0, 0): (before[0], before[1])
        case (1, 1, 0): (before[0], between[0])
        case (1, 0, 1): (before[0], after[0])
        case (1, 0, 0): (before[0], nil)
        case (0, 1, 1): (between[0], after[0])
        case (0, 2, 0): (between[0], between[1])
        case (0, 1, 0): (between[0], nil)
        case (0, 0, 1): (nil, after[0])
        case (0, 0, 2): (after[0], after[1])
        default: nil
        }
    }

    /// Returns the angle of degrees, minutes and perhaps seconds that are written as one number: `4708.46`, `0093117.4`.
    private func packedAngle(_ number: CoordinateTokens.Number) -> Double? {
        let hasSeconds = number.digits >= 6
        guard number.digits <= 7 else { return nil }
        var parts: [Double] = []
        var rest = number.value
        for unit in hasSeconds ? [10_000.0, 100] : [100.0] {
            parts.append((rest / unit).rounded(.down))
            rest -= parts[parts.count - 1] * unit
        }
        parts.append(rest)
        guard parts.dropFirst().allSatisfy({ $0 < 60 }) else { return nil }
        let value = parts.reversed().reduce(0) { $0 / 60 + $1 }
        return number.isNegative ? -value : value
    }

    /// Returns an angle in degrees; `nil` if the numbers are not its degrees, minutes and seconds. The sign of -0 counts.
    private func angle(_ numbers: ArraySlice<CoordinateTokens.Number>) -> Double? {
        guard (1...3).contains(numbers.count), let degrees = numbers.first else { return nil }
        for (place, number) in numbers.enumerated() {
            guard number.unit == nil || number.unit == place else { return nil }
            guard place == 0 || number.value < 60 && !number.hasSign else { return nil }
            guard place == numbers.count - 1 || !number.hasFraction else { return nil }
        }
        let value = numbers.reversed().reduce(0) { $0 / 60 + $1.value }
        return degrees.isNegative ? -value : value
    }
}
