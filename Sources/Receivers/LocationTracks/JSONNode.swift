import StrictJSON

/// A value of a JSON document, with the line it begins on.
struct JSONNode {
    enum Content {
        case null
        case boolean(Bool)
        case number(Double)
        case string(String)
        case array([JSONNode])
        case object([String: JSONNode])
    }

    var line: Int
    var content: Content

    subscript(name: String) -> JSONNode? {
        guard case .object(let members) = content else { return nil }
        return members[name]
    }

    /// The number of a member; `nil` if it is missing or something else.
    func number(_ name: String) -> Double? { self[name]?.number }

    var string: String? { if case .string(let string) = content { string } else { nil } }
    var number: Double? { if case .number(let number) = content { number } else { nil } }
    var array: [JSONNode]? { if case .array(let array) = content { array } else { nil } }
    var isNull: Bool { if case .null = content { true } else { false } }
}

extension JSONScanner {
    /// Reads any value.
    mutating func node() throws(JSONFlaw) -> JSONNode {
        let kind = try kind
        let line = line
        let content: JSONNode.Content
        switch kind {
        case .object:
            var members: [String: JSONNode] = [:]
            try openObject()
            while let name = try nextMember() { members[name] = try node() }
            content = .object(members)
        case .array:
            var elements: [JSONNode] = []
            try openArray()
            while try nextElement() { elements.append(try node()) }
            content = .array(elements)
        case .string: content = .string(try string())
        case .number: content = .number(try number())
        case .boolean: content = .boolean(try boolean())
        case .null:
            try skip()
            content = .null
        }
        return JSONNode(line: line, content: content)
    }
}

extension TrackRefusal {
    init(_ flaw: JSONFlaw) {
        switch flaw {
        case .malformed: reason = "this is not JSON"
        case .cutShort: reason = "the file ends here, in the midst of its document: it was cut short"
        case .tooDeep: reason = "there are more than \(JSONScanner.maximumDepth) values within one another"
        case .repeatedName(let path): reason = "the member \(path) stands in it twice"
        }
    }
}
