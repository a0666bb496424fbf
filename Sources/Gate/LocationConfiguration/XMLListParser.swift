import XMLEvents

/// Parses an XML property list.
struct XMLListParser {
    /// An open element.
    private struct Element {
        enum Kind {
            case plist, dictionary, array
            case key(line: Int)
            case scalar(String)
        }

        let kind: Kind
        var path = ListPath.root
        /// The values of an array.
        var elements: [PropertyListValue] = []
        /// The values of a dictionary, the lines of its keys, and the key whose value is still to come.
        var entries: [String: PropertyListValue] = [:]
        var lines: [String: Int] = [:]
        var pendingKey: String?
    }

    private var result: ParsedPropertyList
    private var open: [Element] = []
    /// The text of the open key or scalar.
    private var text: [UInt8] = []
    private var isStopped = false
    private var line = 1

    private init(file: String) {
        self.result = ParsedPropertyList(file: file)
    }

    static func parse(_ bytes: [UInt8], file: String) -> ParsedPropertyList {
        var parser = XMLListParser(file: file)
        do throws(XMLFault) {
            try XMLEventParser.over(bytes, encoding: "UTF-8") { event, position in
                parser.line = position.line
                parser.receive(event)
                return !parser.isStopped
            }
        } catch {
            parser.result.report("This is not well-formed XML: \(error.reason).", line: error.line)
        }
        return parser.result
    }

    private mutating func receive(_ event: XMLEvent) {
        switch event {
        case .start(let element): start(element.name)
        case .end: end()
        case .text(let bytes): add(text: bytes)
        case .comment: comment()
        case .encoding(let encoding):
            if encoding.lowercased() != "utf-8" { fail("This must be in UTF-8, not in \(encoding.quoted).") }
        case .doctype(let hasDeclarations):
            // Apple's DOCTYPE names an external document type definition, which is never fetched. Own declarations could
            // define entities that expand without limit.
            if hasDeclarations { fail("A DOCTYPE with declarations of its own is refused; remove them.") }
        case .unknownEntity(let entity): fail("The entity &\(entity); is not known; write the text itself.")
        }
    }

    /// Reports a problem and stops, because further problems would be mere consequences.
    private mutating func fail(_ message: String) {
        result.report(message, line: line)
        stop()
    }

    private mutating func stop() {
        isStopped = true
    }

    private mutating func start(_ name: String) {
        switch (name, open.last?.kind) {
        case ("plist", nil): open.append(Element(kind: .plist))
        case (_, nil): fail("A property list begins with <plist>, not with <\(name)>.")
        case (_, .key): fail("A <key> cannot contain <\(name)>.")
        case (_, .scalar(let outer)): fail("An element <\(outer)> cannot contain <\(name)>.")
        case ("key", .dictionary):
            guard open.last?.pendingKey == nil else { return fail("The key before this one has no value.") }
            text.removeAll()
            open.append(Element(kind: .key(line: line)))
        case ("dict", _): place(.dictionary)
        case ("array", _): place(.array)
        case ("string", _), ("integer", _), ("real", _), ("true", _), ("false", _), ("date", _), ("data", _):
            text.removeAll()
            place(.scalar(name))
        default: fail("<\(name)> cannot stand here in a property list.")
        }
    }

    /// Opens a value inside the current element.
    private mutating func place(_ kind: Element.Kind) {
        let path: ListPath
        switch open.last?.kind {
        case .array: path = open[open.count - 1].path.index(open[open.count - 1].elements.count)
        case .dictionary:
            guard let key = open[open.count - 1].pendingKey else {
                return fail("This value has no <key> before it.")
            }
            path = open[open.count - 1].path.key(key)
        default:
            guard result.root == nil else { return fail("A property list holds one value; this is a second one.") }
            path = .root
        }
        // All open elements except <plist> are around this value.
        guard result.admit(depth: open.count - 1, line: line) else { return stop() }
        result.note(line: line, of: path)
        open.append(Element(kind: kind, path: path))
    }

    private mutating func end() {
        guard let element = open.popLast() else { return }
        switch element.kind {
        case .key(let line): add(key: String(decoding: text, as: UTF8.self), line: line)
        case .scalar(let name): if let value = scalar(name) { add(value) }
        case .array: add(.array(element.elements))
        case .dictionary:
            guard element.pendingKey == nil else { return fail("The last key of this dictionary has no value.") }
            add(.dictionary(element.entries))
        case .plist: if result.root == nil { fail("This property list holds no value.") }
        }
    }

    /// Adds a complete value to the element around it.
    private mutating func add(_ value: PropertyListValue) {
        let outer = open.count - 1
        switch open.last?.kind {
        case .array: open[outer].elements.append(value)
        case .dictionary:
            if let key = open[outer].pendingKey.take() { open[outer].entries[key] = value }
        default: result.root = value
        }
    }

    private mutating func add(key: String, line: Int) {
        let outer = open.count - 1
        let path = open[outer].path.key(key)
        if let earlier = open[outer].lines[key] {
            result.report("This key is already on line \(earlier); keep one of the two.", at: path, line: line)
        } else {
            open[outer].lines[key] = line
        }
        open[outer].pendingKey = key
        result.note(line: line, of: path)
    }

    private mutating func add(text bytes: UnsafeBufferPointer<UInt8>) {
        switch open.last?.kind {
        case .key, .scalar: text += bytes
        default:
            if !bytes.allSatisfy({ " \t\r\n".utf8.contains($0) }) { fail("This text is outside of any value.") }
        }
    }

    /// The value of an element without child elements; `nil` after a failure.
    private mutating func scalar(_ name: String) -> PropertyListValue? {
        let text = String(decoding: text, as: UTF8.self)
        switch name {
        case "string": return .string(text)
        case "integer": return Self.integer(text).map { .integer($0) } ?? .other
        case "real": return Double(Self.trimmed(text)).map { .real($0) } ?? .other
        case "true", "false":
            guard text.isEmpty else {
                fail("<\(name)> cannot contain text.")
                return nil
            }
            return .boolean(name == "true")
        default: return .other
        }
    }

    /// A decimal integer, or a hexadecimal one that begins with `0x`.
    private static func integer(_ text: String) -> Int? {
        let text = trimmed(text)
        let isNegative = text.hasPrefix("-")
        let digits = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text
        let isHexadecimal = digits.hasPrefix("0x") || digits.hasPrefix("0X")
        let number = isHexadecimal ? digits.dropFirst(2) : digits
        // The initializer would accept a second sign.
        guard number.utf8.allSatisfy({ ("0123456789abcdefABCDEF").utf8.contains($0) }) else { return nil }
        return Int((isNegative ? "-" : "") + number, radix: isHexadecimal ? 16 : 10)
    }

    private static func trimmed(_ text: String) -> Substring {
        func isSpace(_ character: Character) -> Bool { character.isWhitespace && character.isASCII }
        let start = text.drop(while: isSpace)
        return start.lastIndex(where: { !isSpace($0) }).map { start[...$0] } ?? ""
    }

    private mutating func comment() {
        switch open.last?.kind {
        case .key, .scalar: fail("A comment cannot stand inside a key or value.")
        default: break
        }
    }
}
