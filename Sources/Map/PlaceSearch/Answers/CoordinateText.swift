public import LocationModel

/// Coordinates as people write and copy them.
///
/// `47.141, 9.5215`, `47.141 9.5215`, `47,141; 9,5215`, `47°08'27.6"N 9°31'17.4"E`, `N 47 8.46 E 9 31.29`, `9.5215 E,
/// 47.141 N`, `geo:47.141,9.5215;u=35` (RFC 5870), `8FVF4GRC+CJ` (a full plus code), and the addresses of pages of
/// OpenStreetMap and Google Maps. Without letters the latitude comes first.
public enum CoordinateText {
    /// Returns the coordinate in `text`, or `nil` if it is in none of these forms.
    public static func coordinate(_ text: String) -> Coordinate? {
        guard text.utf8.count <= 400 else { return nil }
        let text = text.lowercased()
        if text.hasPrefix("geo:") { return pair(text.dropFirst(4).prefix { $0 != ";" && $0 != "?" }) }
        if text.hasPrefix("http://") || text.hasPrefix("https://") { return inAddress(text) }
        return degrees(text) ?? PlusCode(text).flatMap { $0.isFull ? $0.area?.center : nil }
    }

    /// Returns the coordinate in the address of a map page, from the first known parameter.
    private static func inAddress(_ text: String) -> Coordinate? {
        if let code = text.firstRange(of: "plus.codes/") {
            return PlusCode(text[code.upperBound...]).flatMap { $0.isFull ? $0.area?.center : nil }
        }
        if let at = text.firstRange(of: "/@") { return pair(text[at.upperBound...].prefix { $0 != "z" && $0 != "/" }) }
        for name in ["mlat=", "lat="] {
            guard let start = text.firstRange(of: name) else { continue }
            let latitude = text[start.upperBound...].prefix { $0 != "&" && $0 != "#" }
            guard let next = text.firstRange(of: name.replacing("lat", with: "lon")) else { continue }
            return pair("\(latitude),\(text[next.upperBound...].prefix { $0 != "&" && $0 != "#" })"[...])
        }
        if let map = text.firstRange(of: "#map=") {
            let parts = text[map.upperBound...].split(separator: "&")[0].split(separator: "/")
            return parts.count == 3 ? pair("\(parts[1]),\(parts[2])"[...]) : nil
        }
        for name in ["q=", "ll=", "query="] {
            guard let start = text.firstRange(of: name) else { continue }
            let value = text[start.upperBound...].prefix { $0 != "&" && $0 != "#" }
            if let found = pair(Substring(value.replacing("%2c", with: ","))) { return found }
        }
        return nil
    }

    private static func pair(_ text: Substring) -> Coordinate? {
        let numbers = text.split(separator: ",").prefix(2).map { Double($0) }
        guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1] else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    // MARK: Degrees, minutes, seconds

    private enum Part {
        case number(Double)
        /// A unit, by the number of them in a degree: 1, 60 or 3600.
        case unit(Double)
        case north, south, east, west
        case separator
    }

    private static func degrees(_ text: String) -> Coordinate? {
        guard let parts = parts(text) else { return nil }
        var angles: [(value: Double, direction: Part?, units: Int)] = []
        var before: Part?
        var isOpen = false
        var expected = 1.0
        for part in parts {
            switch part {
            case .number(let number):
                if isOpen, expected <= 3600, expected > 1, number >= 0, number < 60, let last = angles.last,
                    abs(last.value).rounded() == abs(last.value) || last.units > 0
                {
                    let sign = last.value.sign == .minus ? -1.0 : 1
                    angles[angles.count - 1].value += sign * number / expected
                    angles[angles.count - 1].units += 1
                } else {
                    angles.append((number, before, 0))
                    before = nil
                    isOpen = true
                    expected = 1
                }
                expected *= 60
            case .unit(let unit):
                guard isOpen, expected == unit * 60 else { return nil }
            case .separator:
                isOpen = false
            case .north, .south, .east, .west:
                // A direction follows its number; before a number it counts only at the start, or after a number that
                // has a direction.
                if before == nil, isOpen, let last = angles.last, last.direction == nil {
                    angles[angles.count - 1].direction = part
                    isOpen = false
                } else {
                    before = part
                    isOpen = false
                }
            }
        }
        guard before == nil else { return nil }
        if angles.count > 2 { return regrouped(angles.map(\.value), parts) }
        guard angles.count == 2 else { return nil }
        return position(angles)
    }

    /// Splits the numbers of `47 8 27.6 9 31 17.4`, which has no directions, into two equal halves.
    private static func regrouped(_ values: [Double], _ parts: [Part]) -> Coordinate? {
        guard values.count == 4 || values.count == 6, parts.allSatisfy({ if case .number = $0 { true } else { false } })
        else { return nil }
        let half = values.count / 2
        func angle(_ values: ArraySlice<Double>) -> Double? {
            guard let whole = values.first, values.dropFirst().allSatisfy({ (0..<60).contains($0) }) else { return nil }
            let rest = values.dropFirst().reversed().reduce(0) { ($0 + $1) / 60 }
            return whole.sign == .minus ? whole - rest : whole + rest
        }
        guard let latitude = angle(values[..<half]), let longitude = angle(values[half...]) else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    private static func position(_ angles: [(value: Double, direction: Part?, units: Int)]) -> Coordinate? {
        var (latitude, longitude): (Double?, Double?) = (nil, nil)
        for angle in angles {
            switch angle.direction {
            case .north: latitude = angle.value
            case .south: latitude = -angle.value
            case .east: longitude = angle.value
            case .west: longitude = -angle.value
            default:
                if latitude == nil, angles[1].direction == nil {
                    latitude = angle.value
                } else {
                    longitude = angle.value
                }
            }
        }
        guard let latitude, let longitude else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    private static func parts(_ text: String) -> [Part]? {
        var parts: [Part] = []
        var rest = Substring(text)
        // With decimal commas, the numbers are separated by something else.
        let hasDecimalCommas = text.contains(";") || (!text.contains(".") && text.count { $0 == "," } >= 2)
        while let first = rest.first {
            if first.isASCII,
                first.isNumber || ((first == "-" || first == "+") && rest.dropFirst().first?.isNumber == true)
            {
                var word = String(rest.prefix(1))
                rest = rest.dropFirst()
                while let next = rest.first, next.isASCII,
                    next.isNumber || next == "."
                        || (next == "," && hasDecimalCommas && rest.dropFirst().first?.isNumber == true)
                {
                    word.append(next == "," ? "." : next)
                    rest = rest.dropFirst()
                }
                guard word.utf8.count <= 24, let number = Double(word) else { return nil }
                parts.append(.number(number))
                continue
            }
            rest = rest.dropFirst()
            switch first {
            case " ", "\t": continue
            case ",", ";", "/": parts.append(.separator)
            case "°", "º", "˚": parts.append(.unit(1))
            case "'", "′", "’", "‘": parts.append(.unit(60))
            case "\"", "″", "”", "“": parts.append(.unit(3600))
            case "−": rest = "-" + rest
            case "n": parts.append(.north)
            case "s": parts.append(.south)
            case "e", "o": parts.append(.east)
            case "w": parts.append(.west)
            default: return nil
            }
            // A direction is a single letter, not the start of a word.
            if first.isLetter, rest.first?.isLetter == true { return nil }
        }
        return parts.count <= 16 ? parts : nil
    }
}
