package import LocationModel

/// Reads `/etc/geolocation`, GeoClue's file with the position of a machine that does not move: latitude, longitude, altitude
/// (m) and accuracy (m), each on a line of its own. A `#` begins a comment; empty lines do not count.
///
/// Only root may be able to change the file, because it is the position of all users.
package enum GeolocationFile {
    package static let path = "/etc/geolocation"

    /// The reason why the file is not used.
    package enum Refusal: Error, Hashable, CustomStringConvertible {
        /// It is readable and trusted, and its content is invalid.
        case malformed(ConfigurationProblem)
        /// It cannot be read, or users other than root may write it.
        case untrusted(ConfigurationProblem)

        package var problem: ConfigurationProblem {
            switch self {
            case .malformed(let problem), .untrusted(let problem): problem
            }
        }

        package var description: String { problem.description }
    }

    /// The position in the file; `nil` without a file.
    package static func read(_ path: String = path) throws(Refusal) -> FixedLocation? {
        let content: [UInt8]?
        do throws(ConfigurationProblem) {
            content = try ConfigurationFile.protectedContent(of: path)
        } catch {
            throw .untrusted(error)
        }
        // An empty file is a link to /dev/null, or one that somebody is about to write.
        guard let content, !content.isEmpty else { return nil }
        do throws(ConfigurationProblem) {
            return try location(content, file: path)
        } catch {
            throw .malformed(error)
        }
    }

    /// The names of the numbers in a message, with their ranges, in the order of the lines.
    private static let numbers: [(name: String, range: ClosedRange<Double>)] = [
        ("latitude", -90...90), ("longitude", -180...180), ("altitude", FixedLocation.altitudes),
        ("accuracy", FixedLocation.accuracies),
    ]

    /// The position in a file's content.
    static func location(_ content: [UInt8], file: String) throws(ConfigurationProblem) -> FixedLocation {
        var values: [Double] = []
        var lastLine = 1
        for (index, line) in content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated()
        {
            let text = String(decoding: line.prefix { $0 != UInt8(ascii: "#") }, as: UTF8.self)
            let words = text.split { $0 == " " || $0 == "\t" || $0 == "\r" || $0 == "\r\n" }
            guard let word = words.first else { continue }
            lastLine = index + 1
            func problem(_ message: String) -> ConfigurationProblem {
                ConfigurationProblem(file: file, line: index + 1, message: message)
            }
            guard values.count < numbers.count else {
                throw problem("There are more than four numbers: \(String(word).quoted).")
            }
            let (name, range) = numbers[values.count]
            guard words.count == 1, let value = number(word) else {
                throw problem("This must be the \(name), one number, not \(words.joined(separator: " ").quoted).")
            }
            guard range.contains(value) else {
                throw problem("The \(name) must be from \(range.text), not \(String(word).quoted).")
            }
            values.append(value)
        }
        guard values.count == numbers.count, let coordinate = Coordinate(latitude: values[0], longitude: values[1])
        else {
            throw ConfigurationProblem(
                file: file, line: lastLine,
                message:
                    "The \(numbers[min(values.count, numbers.count - 1)].name) is missing. The file has four lines: latitude, "
                    + "longitude, altitude and accuracy.")
        }
        return FixedLocation(coordinate: coordinate, altitude: values[2], horizontalAccuracy: values[3])
    }

    private static func number(_ text: Substring) -> Double? {
        // Without NaN, infinities and hexadecimal numbers.
        guard text.utf8.allSatisfy({ "+-.0123456789eE".utf8.contains($0) }) else { return nil }
        return Double(text)
    }
}

extension ClosedRange<Double> {
    /// The range in a message: `-90 to 90`.
    var text: String { "\(lowerBound.shortText) to \(upperBound.shortText)" }
}

extension Double {
    /// The number without a fraction of zero.
    var shortText: String { Int(exactly: self).map(String.init) ?? "\(self)" }
}
