/// Parses the tokens of a description into its members.
struct InterfaceParser {
    /// The greatest depth of nested anonymous types, so that an untrusted description cannot exhaust the stack.
    private static let maximumDepth = 64

    private var scanner: InterfaceScanner
    private var names: Set<String> = []
    /// All uses of named types, with the errors to report if they are not declared: a declaration may follow its use.
    private var uses: [(name: String, error: InterfaceDescriptionError)] = []

    init(_ text: String) throws(InterfaceDescriptionError) {
        self.scanner = try InterfaceScanner(text)
    }

    mutating func parse() throws(InterfaceDescriptionError) -> (
        name: String, documentation: String, members: [InterfaceDescription.Member]
    ) {
        let documentation = scanner.documentation
        guard try take(word: "interface") else { throw expected("\"interface\"") }
        let name = try takeName("an interface name such as org.example.ping", where: Self.isInterfaceName)
        var members: [InterfaceDescription.Member] = []
        var types: Set<String> = []
        while scanner.token != .end {
            let member = try parseMember()
            if case .type(let declaration) = member { types.insert(declaration.name) }
            members.append(member)
        }
        for use in uses where !types.contains(use.name) { throw use.error }
        return (name, documentation, members)
    }

    private mutating func parseMember() throws(InterfaceDescriptionError) -> InterfaceDescription.Member {
        let documentation = scanner.documentation
        if try take(word: "type") {
            let name = try takeMemberName()
            return .type(.init(name: name, type: try parseBraces(depth: 0), documentation: documentation))
        }
        if try take(word: "method") {
            let name = try takeMemberName()
            let input = try parseFields()
            guard try take(sign: "->") else { throw expected("\"->\"") }
            return .method(.init(name: name, input: input, output: try parseFields(), documentation: documentation))
        }
        if try take(word: "error") {
            let name = try takeMemberName()
            return .error(.init(name: name, type: .structure(try parseFields()), documentation: documentation))
        }
        throw expected("\"type\", \"method\" or \"error\"")
    }

    private mutating func takeMemberName() throws(InterfaceDescriptionError) -> String {
        let place = scanner
        let name = try takeName("a name that begins with a capital letter", where: Self.isMemberName)
        guard names.insert(name).inserted else { throw place.error("\"\(name)\" is declared a second time") }
        return name
    }

    /// Parses the fields of a method or an error, which cannot be an enumeration.
    private mutating func parseFields() throws(InterfaceDescriptionError) -> [VarlinkType.Field] {
        let place = scanner
        guard case .structure(let fields) = try parseBraces(depth: 0) else {
            throw place.error("expected fields with types, not an enumeration")
        }
        return fields
    }

    /// Parses `(name: type, …)` or `(name, …)`; the first entry decides which of the two it is.
    private mutating func parseBraces(depth: Int) throws(InterfaceDescriptionError) -> VarlinkType {
        guard depth < Self.maximumDepth else { throw scanner.error("types are nested too deeply") }
        guard try take(sign: "(") else { throw expected("\"(\"") }
        var fields: [VarlinkType.Field] = []
        var cases: [VarlinkType.Case] = []
        var seen: Set<String> = []
        if try take(sign: ")") { return .structure([]) }
        repeat {
            let documentation = scanner.documentation
            let place = scanner
            let name = try takeName("a field name", where: Self.isFieldName)
            guard seen.insert(name).inserted else { throw place.error("\"\(name)\" is declared a second time") }
            if cases.isEmpty, try take(sign: ":") {
                fields.append(.init(name: name, type: try parseType(depth: depth + 1), documentation: documentation))
            } else if fields.isEmpty {
                cases.append(.init(name, documentation: documentation))
            } else {
                throw expected("\":\" after the field's name")
            }
        } while try take(sign: ",")
        guard try take(sign: ")") else { throw expected("\",\" or \")\"") }
        return cases.isEmpty ? .structure(fields) : .enumeration(cases)
    }

    private mutating func parseType(depth: Int) throws(InterfaceDescriptionError) -> VarlinkType {
        guard depth < Self.maximumDepth else { throw scanner.error("types are nested too deeply") }
        switch scanner.token {
        case .sign("?"):
            try scanner.advance()
            guard scanner.token != .sign("?") else { throw scanner.error("an optional of an optional") }
            return .optional(try parseType(depth: depth + 1))
        case .sign("[]"):
            try scanner.advance()
            return .array(try parseType(depth: depth + 1))
        case .sign("[string]"):
            try scanner.advance()
            return .map(try parseType(depth: depth + 1))
        case .sign("("):
            return try parseBraces(depth: depth + 1)
        case .word(let word):
            return try parseNamedType(word)
        case .sign, .end:
            throw expected("a type")
        }
    }

    private mutating func parseNamedType(_ word: String) throws(InterfaceDescriptionError) -> VarlinkType {
        let builtIn: [String: VarlinkType] = [
            "bool": .bool, "int": .int, "float": .float, "string": .string, "object": .object, "any": .any,
        ]
        if builtIn[word] == nil {
            guard Self.isMemberName(word) else { throw expected("a type") }
            uses.append((word, scanner.error("the type \"\(word)\" is not declared")))
        }
        try scanner.advance()
        return builtIn[word] ?? .named(word)
    }

    private func expected(_ what: String) -> InterfaceDescriptionError {
        scanner.error("expected \(what), found \(scanner.token.description)")
    }

    private mutating func take(word: String) throws(InterfaceDescriptionError) -> Bool {
        guard scanner.token == .word(word) else { return false }
        try scanner.advance()
        return true
    }

    private mutating func take(sign: String) throws(InterfaceDescriptionError) -> Bool {
        guard scanner.token == .sign(sign) else { return false }
        try scanner.advance()
        return true
    }

    private mutating func takeName(
        _ what: String, where isValid: (String) -> Bool
    ) throws(InterfaceDescriptionError) -> String {
        guard case .word(let word) = scanner.token, isValid(word) else { throw expected(what) }
        try scanner.advance()
        return word
    }
}
