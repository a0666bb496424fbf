import XMLEvents

/// Sets and removes one key of an XML property list's outermost dictionary in the list's text, and leaves all other bytes
/// as they are: comments, order, indentation, line endings.
///
/// The edited text is read back: what it holds differs from the original in that key alone.
package struct PropertyListEditor {
    /// A key of the outermost dictionary, with its value.
    private struct Entry {
        /// The bytes from `<key>` to `</key>`.
        var key: Range<Int>
        /// The bytes of the value's element.
        var value: Range<Int>
        /// True if the value has a comment inside.
        var isCommented = false
    }

    private let file: String
    private let text: [UInt8]
    private let root: [String: PropertyListValue]
    private let document: PropertyListDocument
    private var entries: [String: Entry] = [:]
    /// The bytes of the tag that ends the dictionary, or of `<dict/>`.
    private var end = 0..<0

    /// An editor of `text`, the content of `file`.
    ///
    /// - Throws: when the text is not a valid XML property list whose value is a dictionary, or has a key twice.
    package init(_ text: [UInt8], file: String) throws(InvalidConfiguration) {
        let document = try PropertyListDocument(text, file: file)
        guard let root = document.root.dictionary else {
            throw InvalidConfiguration([
                ConfigurationProblem(
                    file: file, line: document.line(of: .root),
                    message: "This must be a dictionary, not \(document.root.kind).")
            ])
        }
        (self.file, self.text, self.document, self.root) = (file, text, document, root)
        findEntries()
    }

    /// The value of a key; `nil` without one.
    package func value(of key: String) -> PropertyListValue? { root[key] }

    /// True if the dictionary has no keys.
    package var isEmpty: Bool { root.isEmpty }

    /// The text with a key set to a value, which is added at the end unless the key is there already.
    ///
    /// - Throws: when a comment inside the present value would be lost, or the value cannot be written in XML.
    package func setting(_ key: String, to value: PropertyListValue) throws(InvalidConfiguration) -> [UInt8] {
        guard let entry = entries[key] else { return try verified(adding(key, value), key, value) }
        try checkComments(of: entry, key)
        let new = Self.element(
            value, indentation: indentation(at: entry.value.lowerBound), unit: unit, newline: newline)
        return try verified(replacing(entry.value, by: new), key, value)
    }

    /// The text without a key.
    ///
    /// - Throws: when a comment inside its value would be lost.
    package func removing(_ key: String) throws(InvalidConfiguration) -> [UInt8] {
        guard let entry = entries[key] else { return text }
        try checkComments(of: entry, key)
        // Anything but white space between key and value is a comment, and stays.
        guard text[entry.key.upperBound..<entry.value.lowerBound].allSatisfy(\.isXMLSpace) else {
            let withoutValue = replacing(entry.value, by: "")
            return try verified(
                Array(withoutValue[..<entry.key.lowerBound] + withoutValue[entry.key.upperBound...]), key, nil)
        }
        return try verified(
            replacing(wholeLines(entry.key.lowerBound..<entry.value.upperBound), by: ""), key, nil)
    }

    // MARK: The places in the text

    private mutating func findEntries() {
        var depth = 0
        var name: [UInt8] = []
        var key: Range<Int>?
        var value: (start: Int, isCommented: Bool)?
        var isInKey = false
        // The document was parsed before, so there is nothing left to refuse.
        try? XMLEventParser.over(text, encoding: "UTF-8") { event, position in
            switch event {
            case .start(let element):
                // Inside of <plist> and <dict>.
                if depth == 2, element.name == "key" {
                    isInKey = true
                    name = []
                    key = position.bytes
                } else if depth == 2 {
                    value = (position.bytes.lowerBound, false)
                } else if depth == 1 {
                    end = position.bytes
                }
                depth += 1
            case .end:
                depth -= 1
                if depth == 2, isInKey {
                    isInKey = false
                    key = key.map { $0.lowerBound..<position.bytes.upperBound }
                } else if depth == 2, let found = value, let range = key {
                    entries[String(decoding: name, as: UTF8.self)] = Entry(
                        key: range, value: found.start..<position.bytes.upperBound, isCommented: found.isCommented)
                    value = nil
                } else if depth == 1, !position.bytes.isEmpty {
                    end = position.bytes
                }
            case .text(let bytes): if isInKey { name += bytes }
            case .comment: value?.isCommented = true
            case .encoding, .doctype, .unknownEntity: break
            }
            return true
        }
    }

    private func checkComments(of entry: Entry, _ key: String) throws(InvalidConfiguration) {
        guard entry.isCommented else { return }
        let path = ListPath.root.key(key)
        throw InvalidConfiguration([
            ConfigurationProblem(
                file: file, keyPath: path.text, line: document.line(of: path),
                message: "This has a comment inside, which would be lost. Change it with an editor.")
        ])
    }

    /// The white space before `index` on its line.
    private func indentation(at index: Int) -> String {
        String(decoding: text[lineStart(of: index)..<index].prefix(while: \.isXMLBlank), as: UTF8.self)
    }

    private func lineStart(of index: Int) -> Int {
        text[..<index].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    }

    /// True if only white space is before `index` on its line.
    private func isFirstOnItsLine(_ index: Int) -> Bool {
        let start = lineStart(of: index)
        return start > 0 && text[start..<index].allSatisfy(\.isXMLBlank)
    }

    /// The range with the rest of its lines, if that is only white space.
    private func wholeLines(_ range: Range<Int>) -> Range<Int> {
        let rest = text[range.upperBound...].prefix(while: \.isXMLSpace)
        guard isFirstOnItsLine(range.lowerBound), let newline = rest.firstIndex(of: UInt8(ascii: "\n")) else {
            return range
        }
        return lineStart(of: range.lowerBound)..<newline + 1
    }

    // MARK: The new text

    private var newline: String {
        guard let first = text.firstIndex(of: UInt8(ascii: "\n")), first > 0 else { return "\n" }
        return text[first - 1] == UInt8(ascii: "\r") ? "\r\n" : "\n"
    }

    /// The indentation of a level: that of the first key that is indented alone, otherwise four spaces.
    private var unit: String {
        let outer = indentation(at: end.lowerBound)
        let inner = entries.values.map(\.key.lowerBound).sorted().first(where: isFirstOnItsLine).map(indentation)
        guard let inner, inner.hasPrefix(outer), inner.count > outer.count else { return "    " }
        return String(inner.dropFirst(outer.count))
    }

    private func replacing(_ range: Range<Int>, by new: String) -> [UInt8] {
        Array(text[..<range.lowerBound] + new.utf8 + text[range.upperBound...])
    }

    private func adding(_ key: String, _ value: PropertyListValue) -> [UInt8] {
        let outer = indentation(at: end.lowerBound)
        let inner = outer + unit
        let tag = text[end]
        let entry = { (separator: String) in
            "<key>\(key.escapedForXML)</key>" + separator
                + Self.element(value, indentation: inner, unit: unit, newline: newline)
        }
        let separator = value.isContainer ? newline + inner : ""
        if tag.suffix(2).elementsEqual("/>".utf8) {
            let open = String(decoding: tag.dropLast(2), as: UTF8.self).trimmedEnd + ">"
            return replacing(
                end, by: "\(open)\(newline)\(inner)\(entry(separator))\(newline)\(outer)</dict>")
        }
        guard isFirstOnItsLine(end.lowerBound) else {
            // The dictionary ends within a line.
            return replacing(end.lowerBound..<end.lowerBound, by: entry(""))
        }
        let start = lineStart(of: end.lowerBound)
        return replacing(start..<start, by: "\(inner)\(entry(separator))\(newline)")
    }

    /// The element of a value. Its first line is not indented.
    static func element(
        _ value: PropertyListValue, indentation: String, unit: String, newline: String
    ) -> String {
        let inner = indentation + unit
        func nested(_ value: PropertyListValue) -> String {
            element(value, indentation: inner, unit: unit, newline: newline)
        }
        func block(_ name: String, _ lines: [String]) -> String {
            guard !lines.isEmpty else { return "<\(name)/>" }
            return "<\(name)>\(newline)" + lines.map { inner + $0 + newline }.joined() + "\(indentation)</\(name)>"
        }
        return switch value {
        case .dictionary(let entries):
            block(
                "dict",
                entries.sorted { $0.key < $1.key }.map { key, value in
                    let separator = value.isContainer ? newline + inner : ""
                    return "<key>\(key.escapedForXML)</key>\(separator)\(nested(value))"
                })
        case .array(let elements): block("array", elements.map(nested))
        case .string(let text): "<string>\(text.escapedForXML)</string>"
        case .boolean(let flag): flag ? "<true/>" : "<false/>"
        case .integer(let number): "<integer>\(number)</integer>"
        // Without the number of an invalid value, which the reader refuses.
        case .real(let number): "<real>\(number.isFinite ? "\(number)" : "")</real>"
        case .other: "<data></data>"
        }
    }

    /// The text, unless it holds anything else than the original with `key` set to `value`.
    private func verified(
        _ new: [UInt8], _ key: String, _ value: PropertyListValue?
    ) throws(InvalidConfiguration) -> [UInt8] {
        var expected = root
        expected[key] = value
        if value != .other, (try? PropertyListDocument(new, file: file))?.root == .dictionary(expected) { return new }
        throw InvalidConfiguration([
            ConfigurationProblem(
                file: file, keyPath: ListPath.root.key(key).text,
                message: "This cannot be changed by a command. Change it with an editor.")
        ])
    }
}

extension PropertyListValue {
    /// The text of an XML property list with this value.
    ///
    /// - Parameter comment: a comment before it; `nil` for none.
    package func document(comment: String? = nil) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        \(comment.map { "<!-- \($0) -->\n" } ?? "")<plist version="1.0">
        \(PropertyListEditor.element(self, indentation: "", unit: "    ", newline: "\n"))
        </plist>

        """
    }

    /// True for a dictionary or an array with something in it, which takes lines of its own.
    fileprivate var isContainer: Bool {
        switch self {
        case .dictionary(let entries): !entries.isEmpty
        case .array(let elements): !elements.isEmpty
        default: false
        }
    }
}

extension UInt8 {
    fileprivate var isXMLBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
    fileprivate var isXMLSpace: Bool { isXMLBlank || self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r") }
}

extension String {
    /// The text as XML's character data. A carriage return would otherwise be read as a line feed.
    var escapedForXML: String {
        replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\r", with: "&#13;")
    }

    fileprivate var trimmedEnd: String {
        String(self[..<(lastIndex { !$0.isWhitespace }.map { index(after: $0) } ?? startIndex)])
    }
}
