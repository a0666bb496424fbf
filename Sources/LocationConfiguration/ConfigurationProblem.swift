/// One thing that is wrong in a configuration file, and what to do about it.
public struct ConfigurationProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file or directory it is about.
    public let file: String
    /// The key it is about: `Match.Executable`, `ClientDirectories[1]`; `nil` when it is about the whole file.
    public let keyPath: String?
    /// The line in an XML file, from 1; `nil` where there is none.
    public let line: Int?
    /// A sentence or two that say what is wrong and what would be right.
    public let message: String

    /// A problem of `file`.
    public init(file: String, keyPath: String? = nil, line: Int? = nil, message: String) {
        self.file = file
        self.keyPath = keyPath
        self.line = line
        self.message = message
    }

    /// `FILE:LINE: KEYPATH: message`, without what is not known; one line whatever the file is called.
    public var description: String {
        let place = line.map { "\(file.singleLine):\($0)" } ?? file.singleLine
        return [place, keyPath, message].compactMap { $0 }.joined(separator: ": ")
    }
}

/// A configuration file that is not used because of what is wrong in it.
public struct InvalidConfiguration: Error, Hashable, Sendable, CustomStringConvertible {
    /// Everything that was found; at least one problem.
    public let problems: [ConfigurationProblem]

    init(_ problems: [ConfigurationProblem]) {
        self.problems = problems
    }

    /// The problems, one a line.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}
