import CommandLineSupport
import FoundationEssentials
import Glibc
import LocationClient
import POSIXSupport

/// A file with settings of locationctl: `name = value` lines, and comments.
struct SettingsFile: Equatable {
    enum Name: String, CaseIterable {
        case units
        case coordinates
        /// A finding of doctor that was accepted; may occur more than once.
        case accepted

        /// The possible values; `nil` for any text.
        var values: [String]? {
            switch self {
            case .units: UnitSystem.allCases.map(\.rawValue)
            case .coordinates: CoordinateNotation.allCases.map(\.rawValue)
            case .accepted: nil
            }
        }
    }

    private static let longest = 65_536

    let path: String
    private(set) var lines: [String]

    init(path: String, text: String) {
        self.path = path
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        while lines.last?.isEmpty == true { lines.removeLast() }
    }

    /// Reads the file; one that does not exist has no settings.
    init(path: String) throws(Errno) {
        do throws(Errno) {
            self.init(path: path, text: String(decoding: try SmallFile.read(path, limit: Self.longest), as: UTF8.self))
        } catch {
            guard [ENOENT, ENOTDIR].contains(error.code) else { throw error }
            self.init(path: path, text: "")
        }
    }

    /// The values of a setting, in the order of the file.
    func values(of name: Name) -> [String] {
        lines.compactMap { Self.setting(in: $0) }.filter { $0.name == name.rawValue }.map(\.value)
    }

    /// The errors in the file, a sentence for each line.
    var problems: [String] {
        lines.indices.compactMap { index in
            let line = lines[index].drop(while: \.isWhitespace)
            guard !line.isEmpty, !line.hasPrefix("#") else { return nil }
            guard let setting = Self.setting(in: lines[index]), let name = Name(rawValue: setting.name) else {
                let names = Name.allCases.map(\.rawValue).joined(separator: ", ")
                return "\(path):\(index + 1): This is no setting. A line is NAME = VALUE; the names are \(names)."
            }
            guard let values = name.values, !values.contains(setting.value) else { return nil }
            return "\(path):\(index + 1): \(name.rawValue) is one of \(values.joined(separator: ", "))."
        }
    }

    /// Sets the only value of a setting.
    mutating func set(_ name: Name, to value: String) {
        let line = "\(name.rawValue) = \(value)"
        if let index = lines.firstIndex(where: { Self.setting(in: $0)?.name == name.rawValue }) {
            lines[index] = line
        } else {
            lines.append(line)
        }
    }

    /// Adds a value, unless it is there.
    mutating func add(_ name: Name, _ value: String) {
        if !values(of: name).contains(value) { lines.append("\(name.rawValue) = \(value)") }
    }

    /// Removes the values that meet a condition. Returns true if there were any.
    mutating func remove(_ name: Name, where condition: (String) -> Bool) -> Bool {
        let count = lines.count
        lines.removeAll { line in
            Self.setting(in: line).map { $0.name == name.rawValue && condition($0.value) } ?? false
        }
        return lines.count < count
    }

    /// Writes the file, and creates its directory if that does not exist.
    func save() throws(LocationError) {
        do {
            let directory = String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            try AtomicFile.write(Array((lines.joined(separator: "\n") + "\n").utf8), to: path)
        } catch {
            throw .refused(message: "\(path) cannot be written: \((error as? Errno)?.description ?? "\(error)")")
        }
    }

    private static func setting(in line: String) -> (name: String, value: String)? {
        guard line.first(where: { !$0.isWhitespace }) != "#" else { return nil }
        let parts = line.split(separator: "=", maxSplits: 1).map { part in
            let start = part.drop(while: \.isWhitespace)
            return String(start.reversed().drop(while: \.isWhitespace).reversed())
        }
        return parts.count == 2 ? (parts[0], parts[1]) : nil
    }
}
