/// A parsed `.varlink` file.
///
/// The text is kept as it was written, because `GetInterfaceDescription` returns it with its comments.
public struct InterfaceDescription: Sendable, Equatable {
    /// The interface's name, for example `org.varlink.service`.
    public let name: String
    /// The whole file.
    public let text: String
    /// The comment above the `interface` line, without the `#`; empty if there is none.
    public let documentation: String
    /// All declarations, in the order of the file. Names are unique.
    public let members: [Member]
    private let memberByName: [String: Member]

    /// A declaration in an interface.
    public enum Member: Sendable, Equatable {
        /// `type Name (…)`
        case type(TypeDeclaration)
        /// `method Name(…) -> (…)`
        case method(Method)
        /// `error Name (…)`
        case error(TypeDeclaration)

        /// The name without that of the interface.
        public var name: String {
            switch self {
            case .type(let declaration), .error(let declaration): declaration.name
            case .method(let method): method.name
            }
        }

        /// The comment above it.
        public var documentation: String {
            switch self {
            case .type(let declaration), .error(let declaration): declaration.documentation
            case .method(let method): method.documentation
            }
        }
    }

    /// A named type, or an error with the type of its parameters.
    public struct TypeDeclaration: Sendable, Equatable {
        /// The name without that of the interface.
        public let name: String
        /// A structure or an enumeration; for an error always a structure.
        public let type: VarlinkType
        /// The comment above it.
        public let documentation: String
    }

    /// A method with the fields of its call and of each reply.
    public struct Method: Sendable, Equatable {
        /// The name without that of the interface.
        public let name: String
        /// The fields of `parameters` in a call.
        public let input: [VarlinkType.Field]
        /// The fields of `parameters` in a reply.
        public let output: [VarlinkType.Field]
        /// The comment above it.
        public let documentation: String
    }

    /// Parses a description.
    ///
    /// - Throws: ``InterfaceDescriptionError``, with line and column.
    public init(_ text: String) throws(InterfaceDescriptionError) {
        var parser = try InterfaceParser(text)
        let parsed = try parser.parse()
        self.name = parsed.name
        self.text = text
        self.documentation = parsed.documentation
        self.members = parsed.members
        self.memberByName = Dictionary(parsed.members.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The member of this name (without that of the interface), if it is declared.
    public func member(_ name: String) -> Member? { memberByName[name] }

    /// The method of this name (without that of the interface), if it is declared.
    public func method(_ name: String) -> Method? {
        guard case .method(let method) = memberByName[name] else { return nil }
        return method
    }

    /// The declared methods, in the order of the file.
    public var methods: [Method] {
        members.compactMap { if case .method(let method) = $0 { method } else { nil } }
    }

    /// The declared types, in the order of the file.
    public var types: [TypeDeclaration] {
        members.compactMap { if case .type(let declaration) = $0 { declaration } else { nil } }
    }

    /// The declared errors, in the order of the file.
    public var errors: [TypeDeclaration] {
        members.compactMap { if case .error(let declaration) = $0 { declaration } else { nil } }
    }
}
