/// A problem in a configuration file, and its remedy.
public struct ConfigurationProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file or directory.
    public let file: String
    /// The key: `Match.Executable`, `ClientDirectories[1]`; `nil` for the whole file.
    public let keyPath: String?
    /// The line in an XML file, from 1; `nil` if unknown.
    public let line: Int?
    /// One or two sentences with the problem and the remedy.
    public let message: String

    /// True if this user may not read the file.
    package var isUnreadable = false

    /// A problem of `file`.
    public init(file: String, keyPath: String? = nil, line: Int? = nil, message: String) {
        self.file = file
        self.keyPath = keyPath
        self.line = line
        self.message = message
    }

    /// `FILE:LINE: KEYPATH: message`, without unknown parts. A file name with unsafe characters is escaped.
    public var description: String {
        let place = line.map { "\(file.singleLine):\($0)" } ?? file.singleLine
        return [place, keyPath, message].compactMap { $0 }.joined(separator: ": ")
    }
}

/// A configuration file that is not used because of its problems.
public struct InvalidConfiguration: Error, Hashable, Sendable, CustomStringConvertible {
    /// The problems; at least one.
    public let problems: [ConfigurationProblem]

    init(_ problems: [ConfigurationProblem]) {
        self.problems = problems
    }

    /// The problems, one a line.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}
