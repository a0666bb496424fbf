/// Finds where keys and values stand in the text of an XML property list. It trusts that the list is well-formed.
struct PropertyListTokens {
    /// A dictionary in the text.
    struct Dictionary {
        var entries: [Entry]
        /// Where `</dict>` stands; `nil` for `<dict/>`.
        var close: Range<Int>?
        var range: Range<Int>
    }

    /// A key and its value.
    struct Entry {
        var key: String
        /// From `<key>` to the end of the value.
        var range: Range<Int>
        /// The value, where it is a dictionary.
        var dictionary: Dictionary?
        /// Whether a comment stands between the key and the value's end.
        var hasComment: Bool
    }

    private enum Token {
        case open(String), close(String), empty(String), comment
        case text(Range<Int>)
    }

    private let bytes: [UInt8]
    private var tokens: [(token: Token, range: Range<Int>)] = []
    private var next = 0

    init(_ bytes: [UInt8]) throws(PropertyListEdit.Refusal) {
        self.bytes = bytes
        var position = 0
        while position < bytes.count {
            let (token, end) = try token(at: position)
            if let token { tokens.append((token, position..<end)) }
            position = end
        }
    }

    /// The dictionary that the list is.
    mutating func rootDictionary() throws(PropertyListEdit.Refusal) -> Dictionary {
        next = 0
        while next < tokens.count {
            let (token, range) = tokens[next]
            next += 1
            switch token {
            case .open("dict"): return try dictionary(from: range.lowerBound)
            case .empty("dict"): throw refusal("it is empty")
            default: continue
            }
        }
        throw refusal("it is no XML property list with a dictionary")
    }

    private func refusal(_ reason: String) -> PropertyListEdit.Refusal { PropertyListEdit.Refusal(reason: reason) }

    // MARK: Structure

    /// Reads a dictionary whose opening tag has been passed.
    private mutating func dictionary(from start: Int) throws(PropertyListEdit.Refusal) -> Dictionary {
        var entries: [Entry] = []
        while next < tokens.count {
            let (token, range) = tokens[next]
            next += 1
            switch token {
            case .close("dict"): return Dictionary(entries: entries, close: range, range: start..<range.upperBound)
            case .open("key"): entries.append(try entry(from: range.lowerBound))
            default: continue
            }
        }
        throw refusal("a dictionary in it has no end")
    }

    /// Reads a key, whose opening tag has been passed, and its value.
    private mutating func entry(from start: Int) throws(PropertyListEdit.Refusal) -> Entry {
        var key = ""
        var hasComment = false
        var isInKey = true
        while next < tokens.count {
            let (token, range) = tokens[next]
            next += 1
            switch token {
            case .text(let text): if isInKey { key += String(decoding: bytes[text], as: UTF8.self) }
            case .comment: hasComment = true
            case .close("key"): isInKey = false
            case .empty(let name):
                let dictionary = name == "dict" ? Dictionary(entries: [], close: nil, range: range) : nil
                return Entry(key: key, range: start..<range.upperBound, dictionary: dictionary, hasComment: hasComment)
            case .open("dict"):
                let dictionary = try dictionary(from: range.lowerBound)
                return Entry(
                    key: key, range: start..<dictionary.range.upperBound, dictionary: dictionary, hasComment: hasComment
                )
            case .open(let name):
                let (end, inside) = try passElement(name)
                return Entry(key: key, range: start..<end, dictionary: nil, hasComment: hasComment || inside)
            case .close: throw refusal("a key in it has no value")
            }
        }
        throw refusal("a key in it has no value")
    }

    /// Passes over an element whose opening tag has been passed: where it ends, and whether a comment is in it.
    private mutating func passElement(_ name: String) throws(PropertyListEdit.Refusal) -> (end: Int, hasComment: Bool) {
        var depth = 1
        var hasComment = false
        while next < tokens.count {
            let (token, range) = tokens[next]
            next += 1
            switch token {
            case .open: depth += 1
            case .close: depth -= 1
            case .comment: hasComment = true
            case .empty, .text: break
            }
            if depth == 0 { return (range.upperBound, hasComment) }
        }
        throw refusal("<\(name)> in it has no end")
    }

    // MARK: Text

    /// The token at `position` and where it ends; no token for declarations.
    private func token(at position: Int) throws(PropertyListEdit.Refusal) -> (Token?, Int) {
        guard bytes[position] == UInt8(ascii: "<") else {
            let end = bytes[position...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
            return (.text(position..<end), end)
        }
        if starts("<!--", at: position) { return (.comment, try end(of: "-->", from: position + 4)) }
        if starts("<![CDATA[", at: position) {
            let end = try end(of: "]]>", from: position + 9)
            return (.text(position + 9..<end - 3), end)
        }
        if starts("<?", at: position) { return (nil, try end(of: "?>", from: position + 2)) }
        if starts("<!", at: position) { return (nil, try endOfTag(from: position)) }
        let end = try endOfTag(from: position)
        let isClosing = bytes[position + 1] == UInt8(ascii: "/")
        let isEmpty = bytes[end - 2] == UInt8(ascii: "/")
        let body = bytes[(position + (isClosing ? 2 : 1))..<(end - (isEmpty ? 2 : 1))]
        let name = String(decoding: body.prefix { !" \t\r\n".utf8.contains($0) }, as: UTF8.self)
        return (isClosing ? .close(name) : isEmpty ? .empty(name) : .open(name), end)
    }

    private func starts(_ text: String, at position: Int) -> Bool { bytes[position...].starts(with: text.utf8) }

    private func end(of text: String, from start: Int) throws(PropertyListEdit.Refusal) -> Int {
        var position = start
        while position < bytes.count {
            if starts(text, at: position) { return position + text.utf8.count }
            position += 1
        }
        throw refusal("“\(text)” is missing in it")
    }

    /// Where a tag ends: at the first `>` that is in no quotation marks.
    private func endOfTag(from start: Int) throws(PropertyListEdit.Refusal) -> Int {
        var quote: UInt8?
        for position in start..<bytes.count {
            let byte = bytes[position]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                return position + 1
            }
        }
        throw refusal("a tag in it has no end")
    }
}
