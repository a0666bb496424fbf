/// What a property list is made of, found before it is decoded.
///
/// Foundation's decoder recurses without limit (some thousand nested arrays end the process), takes the last of
/// duplicate keys in silence and knows no lines. So its input is walked first: `XMLOutliner`, `BinaryOutliner`.
struct PropertyListOutline {
    /// How deep dictionaries and arrays may nest.
    static let maximumDepth = 64
    /// How many values a list may hold. Shared objects of a binary list count each time they are used.
    static let maximumCount = 20_000

    let file: String
    /// The line of each value, or of its key where it has one; empty for a binary list.
    private(set) var lines: [ListPath: Int] = [:]
    /// How many values there are.
    private(set) var count = 0
    /// What was found wrong.
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

    /// Counts a value inside `depth` others. False, with a problem reported, if that is one too many.
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
