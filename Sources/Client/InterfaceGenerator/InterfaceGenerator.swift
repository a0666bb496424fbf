import VarlinkIDL

/// A part of a description that has no place in Swift, or lacks its comment.
struct GenerationError: Error, Equatable, CustomStringConvertible {
    var description: String
}

/// Writes the Swift types of one interface.
struct InterfaceGenerator {
    private let interface: InterfaceDescription
    private let names: SwiftNames
    private var source = SwiftSource()
    /// The methods whose replies are declared so far: an equal one is the same type.
    private var replies: [(method: String, fields: [VarlinkType.Field])] = []

    /// The paths of the enumerations that are written so far.
    private var enumerations: Set<String> = []

    /// Returns a source file.
    static func swift(for interface: InterfaceDescription, names: SwiftNames) throws(GenerationError) -> String {
        var generator = InterfaceGenerator(interface: interface, names: names)
        try generator.checkNames()
        try generator.writeInterface()
        if let name = names.closedEnumerations.subtracting(generator.enumerations).min() {
            throw GenerationError(description: "\(name): is a closed enumeration, but not declared as one")
        }
        return generator.source.text
    }

    private func checkNames() throws(GenerationError) {
        let types = Set(interface.types.map(\.name))
        for name in names.types.keys.sorted() where !types.contains(name) {
            throw GenerationError(description: "\(name): has a Swift name, but is not declared")
        }
        let fields = interface.members.flatMap { member in
            member.fields.filter(\.type.isString).map { "\(member.name).\($0.name)" }
        }
        for name in names.timestamps.sorted() where !fields.contains(name) {
            throw GenerationError(description: "\(name): is a point in time, but not declared as a string")
        }
    }

    private mutating func writeInterface() throws(GenerationError) {
        let name = interface.name.split(separator: ".").last.map(String.init) ?? interface.name
        source.line("// Generated from \(interface.name).varlink.")
        source.line("public import \(names.module)")
        source.line("")
        try writeDocumentation(interface.documentation, of: interface.name)
        try block("public enum \(name)Interface") { writer throws(GenerationError) in
            writer.writeName("", "The name of the interface.")
            writer.source.line("/// The description of the interface, for introspection.")
            writer.source.line("public static let text = #\"\"\"")
            writer.source.verbatim("\(writer.interface.text)\n\"\"\"#\n")
            for member in writer.interface.members {
                try writer.write(member)
            }
        }
    }

    private mutating func write(_ member: InterfaceDescription.Member) throws(GenerationError) {
        source.line("")
        try writeDocumentation(member.documentation, of: member.name)
        switch member {
        case .type(let type):
            guard let swift = names.types[type.name] else {
                return try writeType(type.type, named: type.name, path: type.name)
            }
            for part in type.type.parts { try checkDocumentation(part.documentation, of: "\(type.name).\(part.name)") }
            source.line("public typealias \(type.name) = \(swift)")
        case .error(let error):
            guard case .structure(let fields) = error.type else { return }
            try writeStructure(
                fields, named: error.name, path: error.name, conformances: "InterfaceError",
                members: { $0.writeName(".\(error.name)", "The fully qualified name.") })
        case .method(let method):
            try block("public enum \(method.name): InterfaceMethod") { writer throws(GenerationError) in
                writer.writeName(".\(method.name)", "The fully qualified name.")
                try writer.writeParameters(method)
                try writer.writeReply(method)
            }
        }
    }

    private mutating func writeParameters(_ method: InterfaceDescription.Method) throws(GenerationError) {
        source.line("")
        source.line(method.input.isEmpty ? "/// No parameters." : "/// The parameters.")
        guard !method.input.isEmpty else { return source.line("public typealias Parameters = Nothing") }
        try writeStructure(method.input, named: "Parameters", path: method.name)
    }

    private mutating func writeReply(_ method: InterfaceDescription.Method) throws(GenerationError) {
        source.line("")
        source.line(method.output.isEmpty ? "/// An empty reply." : "/// The reply; each one of a stream.")
        if method.output.isEmpty {
            source.line("public typealias Reply = Nothing")
        } else if let earlier = replies.first(where: { isSame($0.fields, method.output) }) {
            source.line("public typealias Reply = \(earlier.method).Reply")
        } else {
            replies.append((method.name, method.output))
            try writeStructure(method.output, named: "Reply", path: method.name)
        }
    }

    /// True if they differ at most in their comments.
    private func isSame(_ first: [VarlinkType.Field], _ second: [VarlinkType.Field]) -> Bool {
        first.map(\.name) == second.map(\.name) && first.map(\.type) == second.map(\.type)
    }

    // MARK: Types

    private mutating func writeType(_ type: VarlinkType, named name: String, path: String) throws(GenerationError) {
        switch type {
        case .structure(let fields):
            try writeStructure(fields, named: name, path: path)
        case .enumeration(let cases):
            try writeEnumeration(cases, named: name, path: path)
        default:
            return
        }
    }

    private mutating func writeEnumeration(
        _ cases: [VarlinkType.Case], named name: String, path: String
    ) throws(GenerationError) {
        enumerations.insert(path)
        let isOpen = !names.closedEnumerations.contains(path)
        // Such a case is what a name of a later release is read as.
        let hasUnknown = cases.contains { $0.name == "unknown" }
        let conformances =
            isOpen && !hasUnknown ? "OpenEnumeration" : "String, Codable, Hashable, Sendable, CaseIterable"
        try block("public enum \(name): \(conformances)") { writer throws(GenerationError) in
            for member in cases {
                try writer.writeDocumentation(member.documentation, of: "\(path).\(member.name)")
                writer.source.line("case \(escaped(member.name))")
            }
            guard isOpen else { return }
            if hasUnknown { return writer.writeDecoder() }
            writer.source.documentation("A case of a later release, by its name in the interface.")
            writer.source.line("case unknown(String)")
            writer.source.line("")
            writer.source.documentation("The cases of this release.")
            let all = cases.map { ".\(escaped($0.name))" }.joined(separator: ", ")
            writer.source.line("public static let allCases: [Self] = [\(all)]")
            writer.source.line("")
            writer.source.documentation("The name in the interface.")
            writer.source.open("public var rawValue: String")
            writer.source.line("switch self {")
            for member in cases { writer.source.line(#"case .\#(escaped(member.name)): "\#(member.name)""#) }
            writer.source.line("case .unknown(let name): name")
            writer.source.line("}")
            writer.source.close()
        }
    }

    private mutating func writeDecoder() {
        source.line("")
        source.documentation("Reads a name that this release does not know as `unknown`.")
        source.open("public init(from decoder: any Decoder) throws")
        source.line("self = Self(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .unknown")
        source.close()
    }

    private mutating func writeStructure(
        _ fields: [VarlinkType.Field], named name: String, path: String,
        conformances: String = "Codable, Hashable, Sendable", members: (inout Self) -> Void = { _ in }
    ) throws(GenerationError) {
        try block("public struct \(name): \(conformances)") { writer throws(GenerationError) in
            members(&writer)
            for field in fields {
                guard let type = field.type.anonymous else { continue }
                try writer.writeDocumentation(field.documentation, of: "\(path).\(field.name)")
                try writer.writeType(type, named: capitalized(field.name), path: "\(path).\(field.name)")
                writer.source.line("")
            }
            var types: [String] = []
            for field in fields {
                let type = try writer.swiftType(of: field, in: path)
                types.append(type)
                try writer.writeDocumentation(field.documentation, of: "\(path).\(field.name)")
                writer.source.line("public var \(escaped(field.name)): \(type)")
            }
            writer.writeInitializer(Array(zip(fields, types)))
        }
    }

    private mutating func writeInitializer(_ members: [(field: VarlinkType.Field, type: String)]) {
        let parameters = members.map {
            "\(escaped($0.field.name)): \($0.type)\($0.type.hasSuffix("?") ? " = nil" : "")"
        }
        source.line("")
        source.line(members.isEmpty ? "/// The only value." : "/// A value with these members.")
        source.open("public init(\(parameters.joined(separator: ", ")))")
        for (field, _) in members { source.line("self.\(escaped(field.name)) = \(escaped(field.name))") }
        source.close()
    }

    private func swiftType(of field: VarlinkType.Field, in path: String) throws(GenerationError) -> String {
        let isTime = names.timestamps.contains("\(path).\(field.name)")
        func name(of type: VarlinkType) throws(GenerationError) -> String {
            switch type {
            case .bool: "Bool"
            case .int: "Int"
            case .float: "Double"
            case .string: isTime ? "Timestamp" : "String"
            case .named(let name): name
            case .array(let element): "[\(try name(of: element))]"
            case .map(let element): "[String: \(try name(of: element))]"
            case .optional(let wrapped): "\(try name(of: wrapped))?"
            case .structure, .enumeration: capitalized(field.name)
            case .object, .any:
                throw GenerationError(description: "\(path).\(field.name): a value of any type has no Swift type")
            }
        }
        return try name(of: field.type)
    }

    // MARK: Parts

    private mutating func block(
        _ opening: String, _ body: (inout Self) throws(GenerationError) -> Void
    ) throws(GenerationError) {
        source.open(opening)
        try body(&self)
        source.close()
    }

    private mutating func writeName(_ member: String, _ documentation: String) {
        source.documentation(documentation)
        source.line("public static let name = \"\(interface.name)\(member)\"")
    }

    private mutating func writeDocumentation(_ comment: String, of path: String) throws(GenerationError) {
        try checkDocumentation(comment, of: path)
        source.documentation(comment)
    }

    private func checkDocumentation(_ comment: String, of path: String) throws(GenerationError) {
        guard comment.isEmpty else { return }
        throw GenerationError(description: "\(path): has no comment")
    }
}

// MARK: Names

private func capitalized(_ name: String) -> String { name.prefix(1).uppercased() + name.dropFirst() }

/// Fields and cases may be named like a keyword of Swift.
private func escaped(_ name: String) -> String {
    let keywords: Set = [
        "as", "break", "case", "catch", "class", "continue", "default", "defer", "do", "else", "enum", "extension",
        "false", "for", "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil",
        "operator", "private", "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct",
        "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
    ]
    return keywords.contains(name) ? "`\(name)`" : name
}

extension InterfaceDescription.Member {
    /// The fields of a structure or an error, or of a method in both directions.
    fileprivate var fields: [VarlinkType.Field] {
        switch self {
        case .type(let declaration), .error(let declaration):
            if case .structure(let fields) = declaration.type { fields } else { [] }
        case .method(let method): method.input + method.output
        }
    }
}

extension VarlinkType {
    fileprivate var isString: Bool { self == .string || self == .optional(.string) }

    /// The structure or enumeration that is declared in place, maybe as an element.
    fileprivate var anonymous: VarlinkType? {
        switch self {
        case .structure, .enumeration: self
        case .optional(let inner), .array(let inner), .map(let inner): inner.anonymous
        default: nil
        }
    }

    /// The fields or cases, with their comments.
    fileprivate var parts: [(name: String, documentation: String)] {
        switch self {
        case .structure(let fields): fields.map { ($0.name, $0.documentation) }
        case .enumeration(let cases): cases.map { ($0.name, $0.documentation) }
        default: []
        }
    }
}
