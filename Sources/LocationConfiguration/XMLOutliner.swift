import CExpat

/// Walks an XML property list with expat, which knows lines and stops at what is not well-formed.
///
/// A class because expat hands its callbacks one pointer.
final class XMLOutliner {
    private enum Element {
        case plist(isFull: Bool)
        case dictionary(ListPath, lines: [String: Int], pendingKey: String?)
        case array(ListPath, count: Int)
        case key(line: Int)
        case scalar(String)
    }

    private let parser: XML_Parser
    private var result: PropertyListOutline
    private var open: [Element] = []
    private var keyText: [UInt8] = []
    private var isStopped = false

    private init(parser: XML_Parser, file: String) {
        self.parser = parser
        self.result = PropertyListOutline(file: file)
    }

    static func outline(_ bytes: [UInt8], file: String) -> PropertyListOutline {
        guard let parser = XML_ParserCreate("UTF-8") else {
            var failure = PropertyListOutline(file: file)
            failure.report("There is not enough memory to read this.")
            return failure
        }
        defer { XML_ParserFree(parser) }
        let outliner = XMLOutliner(parser: parser, file: file)
        outliner.setHandlers()
        let status = withExtendedLifetime(outliner) {
            bytes.withUnsafeBytes {
                XML_Parse(parser, $0.bindMemory(to: CChar.self).baseAddress, CInt($0.count), CInt(XML_TRUE))
            }
        }
        let error = XML_GetErrorCode(parser)
        if status != XML_STATUS_OK, error != XML_ERROR_ABORTED {
            let reason = XML_ErrorString(error).map { String(cString: $0) } ?? "error \(error.rawValue)"
            outliner.result.report("This is not well-formed XML: \(reason).", line: outliner.line)
        }
        return outliner.result
    }

    private var line: Int { Int(XML_GetCurrentLineNumber(parser)) }

    /// Reports and ends the walk: what follows would only be consequences.
    private func fail(_ message: String) {
        result.report(message, line: line)
        stop()
    }

    private func stop() {
        isStopped = true
        XML_StopParser(parser, XML_Bool(XML_FALSE))
    }

    private func start(_ name: String) {
        switch (name, open.last) {
        case ("plist", nil): open.append(.plist(isFull: false))
        case (_, nil): fail("A property list begins with <plist>, not with <\(name)>.")
        case (_, .key): fail("A <key> cannot contain <\(name)>.")
        case (_, .scalar(let outer)): fail("An element <\(outer)> cannot contain <\(name)>.")
        case ("key", .dictionary(_, _, nil)):
            keyText.removeAll()
            open.append(.key(line: line))
        case ("key", .dictionary): fail("The key before this one has no value.")
        case ("dict", _): place { .dictionary($0, lines: [:], pendingKey: nil) }
        case ("array", _): place { .array($0, count: 0) }
        case ("string", _), ("integer", _), ("real", _), ("true", _), ("false", _), ("date", _), ("data", _):
            place { _ in .scalar(name) }
        default: fail("<\(name)> cannot stand here in a property list.")
        }
    }

    /// Opens a value at the place the element around it has for it.
    private func place(_ element: (ListPath) -> Element) {
        let path: ListPath
        switch open.popLast() {
        case .plist(isFull: false):
            path = .root
            open.append(.plist(isFull: true))
        case .array(let array, let count):
            path = array.index(count)
            open.append(.array(array, count: count + 1))
        case .dictionary(let dictionary, let lines, .some(let key)):
            path = dictionary.key(key)
            open.append(.dictionary(dictionary, lines: lines, pendingKey: nil))
        case .dictionary: return fail("This value has no <key> before it.")
        default: return fail("A property list holds one value; this is a second one.")
        }
        // All that is open, save <plist>, is around this value.
        guard result.admit(depth: open.count - 1, line: line) else { return stop() }
        result.note(line: line, of: path)
        open.append(element(path))
    }

    private func end() {
        switch open.popLast() {
        case .key(let line): add(key: String(decoding: keyText, as: UTF8.self), line: line)
        case .dictionary(_, _, .some): fail("The last key of this dictionary has no value.")
        case .plist(isFull: false): fail("This property list holds no value.")
        default: break
        }
    }

    private func add(key: String, line: Int) {
        guard case .dictionary(let path, var lines, _) = open.popLast() else { return }
        if let earlier = lines[key] {
            result.report(
                "This key stands on line \(earlier) already; keep one of the two.", at: path.key(key), line: line)
        }
        lines[key] = lines[key] ?? line
        result.note(line: line, of: path.key(key))
        open.append(.dictionary(path, lines: lines, pendingKey: key))
    }

    private func text(_ bytes: UnsafeBufferPointer<UInt8>) {
        switch open.last {
        case .key: keyText += bytes
        case .scalar: break
        default:
            if !bytes.allSatisfy({ " \t\r\n".utf8.contains($0) }) { fail("This text stands outside of any value.") }
        }
    }

    private func comment() {
        switch open.last {
        case .key, .scalar: fail("A comment cannot stand inside a key or value.")
        default: break
        }
    }
}

// MARK: - What expat calls

extension XMLOutliner {
    private func setHandlers() {
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetElementHandler(
            parser,
            { data, name, _ in XMLOutliner.with(data, name) { $0.start($1) } },
            { data, _ in XMLOutliner.with(data) { $0.end() } })
        XML_SetCharacterDataHandler(parser) { data, text, length in
            text?.withMemoryRebound(to: UInt8.self, capacity: Int(length)) { text in
                XMLOutliner.with(data) { $0.text(UnsafeBufferPointer(start: text, count: Int(length))) }
            }
        }
        XML_SetCommentHandler(parser) { data, _ in XMLOutliner.with(data) { $0.comment() } }
        XML_SetXmlDeclHandler(parser) { data, _, encoding, _ in
            XMLOutliner.with(data, encoding) { outliner, encoding in
                guard encoding.lowercased() != "utf-8" else { return }
                outliner.fail("This must be in UTF-8, not in \(encoding.quoted).")
            }
        }
        // Apple's own DOCTYPE names a document type definition, which nobody fetches. One that brings declarations
        // could define entities that expand without end.
        XML_SetStartDoctypeDeclHandler(parser) { data, _, _, _, hasDeclarations in
            XMLOutliner.with(data) {
                if hasDeclarations != 0 { $0.fail("A DOCTYPE with declarations of its own is refused; remove them.") }
            }
        }
        XML_SetSkippedEntityHandler(parser) { data, entity, _ in
            XMLOutliner.with(data, entity) { $0.fail("The entity &\($1); is not known; write the text itself.") }
        }
    }

    /// Calls `body` with the outliner that `data` points to, unless it has stopped: expat may go on for a few calls.
    private static func with(_ data: UnsafeMutableRawPointer?, _ body: (XMLOutliner) -> Void) {
        guard let data else { return }
        let outliner = Unmanaged<XMLOutliner>.fromOpaque(data).takeUnretainedValue()
        if !outliner.isStopped { body(outliner) }
    }

    /// The same with a text of expat's, if there is one.
    private static func with(
        _ data: UnsafeMutableRawPointer?, _ text: UnsafePointer<CChar>?, _ body: (XMLOutliner, String) -> Void
    ) {
        guard let text else { return }
        with(data) { body($0, String(cString: text)) }
    }
}
