/// A well-formed property list whose values have not been validated.
struct PropertyListDocument {
    let file: String
    let root: PropertyListValue
    private let lines: [ListPath: Int]

    /// A list without a file.
    init(_ root: PropertyListValue) { (file, self.root, lines) = ("", root, [:]) }

    /// Reads an XML list.
    init(_ bytes: [UInt8], file: String) throws(InvalidConfiguration) {
        func refused(_ message: String) -> InvalidConfiguration {
            InvalidConfiguration([ConfigurationProblem(file: file, message: message)])
        }
        guard !bytes.isEmpty else { throw refused("This file is empty; a property list is expected.") }
        guard !bytes.starts(with: "bplist".utf8) else {
            throw refused("This is a binary property list, which is not supported. Write it as XML.")
        }
        guard Self.looksLikeXML(bytes) else {
            throw refused("This is not an XML property list in UTF-8; the old text format is not supported.")
        }
        let parsed = XMLListParser.parse(bytes, file: file)
        guard parsed.problems.isEmpty, let root = parsed.root else { throw InvalidConfiguration(parsed.problems) }
        self.file = file
        self.root = root
        self.lines = parsed.lines
    }

    /// The line of the value at `path`, or of the innermost existing value around it.
    func line(of path: ListPath) -> Int? {
        lines[path] ?? path.parent.flatMap { line(of: $0) }
    }

    private static func looksLikeXML(_ bytes: [UInt8]) -> Bool {
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = bytes.starts(with: byteOrderMark) ? bytes.dropFirst(byteOrderMark.count) : bytes[...]
        return text.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "<")
    }
}
