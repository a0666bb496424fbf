import FoundationEssentials

/// A property list that was read whole and is safe to look into; its values are not checked yet.
struct PropertyListDocument {
    let file: String
    let root: PropertyListValue
    private let lines: [ListPath: Int]

    /// Reads an XML or binary list.
    init(_ bytes: [UInt8], file: String) throws(InvalidConfiguration) {
        func refused(_ message: String) -> InvalidConfiguration {
            InvalidConfiguration([ConfigurationProblem(file: file, message: message)])
        }
        guard !bytes.isEmpty else { throw refused("This file is empty; a property list is expected.") }
        let outline: PropertyListOutline
        if bytes.starts(with: "bplist".utf8) {
            outline = BinaryOutliner.outline(bytes, file: file)
        } else if Self.looksLikeXML(bytes) {
            outline = XMLOutliner.outline(bytes, file: file)
        } else {
            throw refused(
                "This is neither an XML property list in UTF-8 nor a binary one; the old text format is not read.")
        }
        guard outline.problems.isEmpty else { throw InvalidConfiguration(outline.problems) }
        // The decoder must have seen what the outliner saw, or what was checked is not what would be used.
        guard let root = try? PropertyListDecoder().decode(PropertyListValue.self, from: Data(bytes)),
            root.count == outline.count
        else {
            throw refused("This cannot be decoded as a property list; write it anew with a property-list editor.")
        }
        self.file = file
        self.root = root
        self.lines = outline.lines
    }

    /// The line of the value at `path`, or of the nearest one around it if it is missing.
    func line(of path: ListPath) -> Int? {
        lines[path] ?? path.parent.flatMap { line(of: $0) }
    }

    private static func looksLikeXML(_ bytes: [UInt8]) -> Bool {
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = bytes.starts(with: byteOrderMark) ? bytes.dropFirst(byteOrderMark.count) : bytes[...]
        return text.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "<")
    }
}
