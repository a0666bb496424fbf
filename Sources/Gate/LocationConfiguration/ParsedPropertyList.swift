/// The result of parsing a property list: its values with their lines, or problems.
///
/// Not Foundation's decoder, which recurses without limit (some thousand nested arrays end the process), silently takes
/// the last of duplicate keys and reports no lines.
struct ParsedPropertyList {
    /// The greatest depth of nested dictionaries and arrays.
    static let maximumDepth = 64
    /// The largest number of values.
    static let maximumCount = 20_000

    let file: String
    /// The value of the list; `nil` until it has been parsed.
    var root: PropertyListValue?
    /// The line of each value, or of its key if it has one.
    private(set) var lines: [ListPath: Int] = [:]
    private var count = 0
    /// The problems found.
    private(set) var problems: [ConfigurationProblem] = []

    init(file: String) {
        self.file = file
    }

    mutating func report(_ message: String, at path: ListPath = .root, line: Int? = nil) {
        problems.append(ConfigurationProblem(file: file, keyPath: path.text, line: line, message: message))
    }

    mutating func note(line: Int, of path: ListPath) {
        if lines[path] == nil { lines[path] = line }
    }

    /// Counts a value inside `depth` others. Returns false and reports a problem if it exceeds a limit.
    mutating func admit(depth: Int, line: Int? = nil) -> Bool {
        count += 1
        guard depth < Self.maximumDepth else {
            report("This is nested deeper than \(Self.maximumDepth) levels.", line: line)
            return false
        }
        guard count <= Self.maximumCount else {
            report("This has more than \(Self.maximumCount) values.", line: line)
            return false
        }
        return true
    }
}
