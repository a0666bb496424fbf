import XMLWalk

/// Walks an XML property list, which names the line of everything in it.
struct XMLOutliner {
    private enum Element {
        case plist(isFull: Bool)
        case dictionary(ListPath, lines: [String: Int], pendingKey: String?)
        case array(ListPath, count: Int)
        case key(line: Int)
        case scalar(String)
    }

    private var result: PropertyListOutline
    private var open: [Element] = []
    private var keyText: [UInt8] = []
    private var isStopped = false
    private var line = 1

    private init(file: String) {
        self.result = PropertyListOutline(file: file)
    }

    static func outline(_ bytes: [UInt8], file: String) -> PropertyListOutline {
        var outliner = XMLOutliner(file: file)
        do throws(XMLFault) {
            try XMLWalk.over(bytes, encoding: "UTF-8") { event, line in
                outliner.line = line
                outliner.receive(event)
                return !outliner.isStopped
            }
        } catch {
            outliner.result.report("This is not well-formed XML: \(error.reason).", line: error.line)
        }
        return outliner.result
    }

    private mutating func receive(_ event: XMLEvent) {
        switch event {
        case .start(let name, _): start(name.local)
        case .end: end()
        case .text(let bytes): text(bytes)
        case .comment: comment()
        case .encoding(let encoding):
            if encoding.lowercased() != "utf-8" { fail("This must be in UTF-8, not in \(encoding.quoted).") }
        case .doctype(let hasDeclarations):
            // Apple's own DOCTYPE names a document type definition, which nobody fetches. One that brings declarations
            // could define entities that expand without end.
            if hasDeclarations { fail("A DOCTYPE with declarations of its own is refused; remove them.") }
        case .unknownEntity(let entity): fail("The entity &\(entity); is not known; write the text itself.")
        }
    }

    /// Reports and ends the walk: what follows would only be consequences.
    private mutating func fail(_ message: String) {
        result.report(message, line: line)
        stop()
    }

    private mutating func stop() {
        isStopped = true
    }

    private mutating func start(_ name: String) {
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
    private mutating func place(_ element: (ListPath) -> Element) {
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

    private mutating func end() {
        switch open.popLast() {
        case .key(let line): add(key: String(decoding: keyText, as: UTF8.self), line: line)
        case .dictionary(_, _, .some): fail("The last key of this dictionary has no value.")
        case .plist(isFull: false): fail("This property list holds no value.")
        default: break
        }
    }

    private mutating func add(key: String, line: Int) {
        guard case .dictionary(let path, var lines, _) = open.popLast() else { return }
        if let earlier = lines[key] {
            result.report(
                "This key stands on line \(earlier) already; keep one of the two.", at: path.key(key), line: line)
        }
        lines[key] = lines[key] ?? line
        result.note(line: line, of: path.key(key))
        open.append(.dictionary(path, lines: lines, pendingKey: key))
    }

    private mutating func text(_ bytes: UnsafeBufferPointer<UInt8>) {
        switch open.last {
        case .key: keyText += bytes
        case .scalar: break
        default:
            if !bytes.allSatisfy({ " \t\r\n".utf8.contains($0) }) { fail("This text stands outside of any value.") }
        }
    }

    private mutating func comment() {
        switch open.last {
        case .key, .scalar: fail("A comment cannot stand inside a key or value.")
        default: break
        }
    }
}
