import Testing
import VarlinkIDL

@testable import InterfaceGenerator

@Suite(.timeLimit(.minutes(10))) struct InterfaceGeneratorTests {
    private func swift(_ members: String, names: SwiftNames = SwiftNames()) throws -> String {
        try InterfaceGenerator.swift(
            for: InterfaceDescription("# About it.\ninterface org.example.Demo\n\(members)"), names: names)
    }

    /// What follows the text of the interface, without the last brace and the indentation of the members.
    private func declarations(_ members: String, names: SwiftNames = SwiftNames()) throws -> String {
        let lines = try swift(members, names: names).split(separator: "\n", omittingEmptySubsequences: false)
        let end = try #require(lines.firstIndex(of: "\"\"\"#"))
        return lines[(end + 2)...].dropLast(2).map { $0.dropFirst(4) }.joined(separator: "\n")
    }

    @Test("an interface becomes an enum with its name and the text of the file")
    func interface() throws {
        #expect(
            try swift("# No \\ or \" is in the way.\nerror Gone ()\n") == ##"""
                // Generated from org.example.Demo.varlink.
                public import LocationModel

                /// About it.
                public enum DemoInterface {
                    /// The name of the interface.
                    public static let name = "org.example.Demo"
                    /// The description of the interface, for introspection.
                    public static let text = #"""
                # About it.
                interface org.example.Demo
                # No \ or " is in the way.
                error Gone ()

                """#

                    /// No \ or " is in the way.
                    public struct Gone: InterfaceError {
                        /// The fully qualified name.
                        public static let name = "org.example.Demo.Gone"

                        /// The only value.
                        public init() {
                        }
                    }
                }

                """##)
    }

    static let rows: [(varlink: String, swift: String)] = [
        (
            "# Modes.\ntype Mode (\n# Off.\noff,\n# By\n#\n# default.\ndefault)",
            """
            /// Modes.
            public enum Mode: OpenEnumeration {
                /// Off.
                case off
                /// By
                ///
                /// default.
                case `default`
                /// A case of a later release, by its name in the interface.
                case unknown(String)

                /// The cases of this release.
                public static let allCases: [Self] = [.off, .`default`]

                /// The name in the interface.
                public var rawValue: String {
                    switch self {
                    case .off: "off"
                    case .`default`: "default"
                    case .unknown(let name): name
                    }
                }
            }
            """
        ),
        (
            "# States.\ntype State (\n# Not known.\nunknown,\n# On.\non)",
            """
            /// States.
            public enum State: String, Codable, Hashable, Sendable, CaseIterable {
                /// Not known.
                case unknown
                /// On.
                case on

                /// Reads a name that this release does not know as `unknown`.
                public init(from decoder: any Decoder) throws {
                    self = Self(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .unknown
                }
            }
            """
        ),
        (
            "# All.\ntype All (\n# A.\na: bool,\n# B.\nb: ?[]int,\n# C.\nc: [string]float,\n# D.\nd: []?All,\n# E.\nin: string)",
            """
            /// All.
            public struct All: Codable, Hashable, Sendable {
                /// A.
                public var a: Bool
                /// B.
                public var b: [Int]?
                /// C.
                public var c: [String: Double]
                /// D.
                public var d: [All?]
                /// E.
                public var `in`: String

                /// A value with these members.
                public init(a: Bool, b: [Int]? = nil, c: [String: Double], d: [All?], `in`: String) {
                    self.a = a
                    self.b = b
                    self.c = c
                    self.d = d
                    self.`in` = `in`
                }
            }
            """
        ),
        (
            "# Outer.\ntype Outer (\n# Kinds.\nkind: ?[](\n# One.\none))",
            """
            /// Outer.
            public struct Outer: Codable, Hashable, Sendable {
                /// Kinds.
                public enum Kind: OpenEnumeration {
                    /// One.
                    case one
                    /// A case of a later release, by its name in the interface.
                    case unknown(String)

                    /// The cases of this release.
                    public static let allCases: [Self] = [.one]

                    /// The name in the interface.
                    public var rawValue: String {
                        switch self {
                        case .one: "one"
                        case .unknown(let name): name
                        }
                    }
                }

                /// Kinds.
                public var kind: [Kind]?

                /// A value with these members.
                public init(kind: [Kind]? = nil) {
                    self.kind = kind
                }
            }
            """
        ),
        (
            "# Do.\nmethod Do() -> (\n# A.\na: int)\n# Again.\nmethod Again() -> (a: int)\n# End.\nmethod End() -> ()",
            """
            /// Do.
            public enum Do: InterfaceMethod {
                /// The fully qualified name.
                public static let name = "org.example.Demo.Do"

                /// No parameters.
                public typealias Parameters = Nothing

                /// The reply; each one of a stream.
                public struct Reply: Codable, Hashable, Sendable {
                    /// A.
                    public var a: Int

                    /// A value with these members.
                    public init(a: Int) {
                        self.a = a
                    }
                }
            }

            /// Again.
            public enum Again: InterfaceMethod {
                /// The fully qualified name.
                public static let name = "org.example.Demo.Again"

                /// No parameters.
                public typealias Parameters = Nothing

                /// The reply; each one of a stream.
                public typealias Reply = Do.Reply
            }

            /// End.
            public enum End: InterfaceMethod {
                /// The fully qualified name.
                public static let name = "org.example.Demo.End"

                /// No parameters.
                public typealias Parameters = Nothing

                /// An empty reply.
                public typealias Reply = Nothing
            }
            """
        ),
    ]

    @Test("types, errors and methods become Swift with their comments", arguments: rows)
    func declarations(row: (varlink: String, swift: String)) throws {
        #expect(try declarations(row.varlink) == row.swift)
    }

    @Test("a type of LocationModel is an alias, and a point in time a Timestamp")
    func names() throws {
        let text = "# Here.\ntype Here (\n# X.\nx: float)\n# At.\ntype At (\n# T.\nt: ?string,\n# Here.\nhere: Here)"
        let swift = try declarations(text, names: SwiftNames(types: ["Here": "Place"], timestamps: ["At.t"]))
        #expect(swift.hasPrefix("/// Here.\npublic typealias Here = Place\n"))
        #expect(swift.contains("public init(t: Timestamp? = nil, here: Here)"))
    }

    @Test("an enumeration of a program's requests gets no case for unknown values")
    func closedEnumeration() throws {
        let text = "# M.\nmethod M(\n# W.\nway: (\n# Up.\nup)) -> ()"
        let swift = try declarations(text, names: SwiftNames(closedEnumerations: ["M.way"]))
        #expect(swift.contains("public enum Way: String, Codable, Hashable, Sendable, CaseIterable {\n"))
        #expect(!swift.contains("unknown"))
    }

    @Test(
        "a description that is incomplete or cannot be expressed in Swift is refused",
        arguments: [
            ("type T (\n# A.\na: int)", "T: has no comment"),
            ("# T.\ntype T (a: int)", "T.a: has no comment"),
            ("# T.\ntype T (a)", "T.a: has no comment"),
            ("# T.\ntype T (\n# A.\na: (b: int))", "T.a.b: has no comment"),
            ("# M.\nmethod M(a: int) -> ()", "M.a: has no comment"),
            ("# M.\nmethod M() -> (a: int)", "M.a: has no comment"),
            ("# E.\nerror E (a: int)", "E.a: has no comment"),
            ("# Model.\ntype Model (a: int)", "Model.a: has no comment"),
            ("# T.\ntype T (\n# A.\na: []any)", "T.a: a value of any type has no Swift type"),
            ("# T.\ntype T (\n# A.\na: object)", "T.a: a value of any type has no Swift type"),
        ])
    func refusals(text: String, message: String) {
        let model = text.contains("Model") ? ["Model": "Place"] : [:]
        let error = #expect(throws: GenerationError.self) { try swift(text, names: SwiftNames(types: model)) }
        #expect(error?.description == message)
    }

    @Test("a name in the table that the interface does not have is refused")
    func staleNames() {
        let text = "# At.\ntype At (\n# T.\nt: int)"
        for (names, message) in [
            (SwiftNames(types: ["Gone": "Place"]), "Gone: has a Swift name, but is not declared"),
            (SwiftNames(closedEnumerations: ["At.t"]), "At.t: is a closed enumeration, but not declared as one"),
            (SwiftNames(timestamps: ["At.t"]), "At.t: is a point in time, but not declared as a string"),
        ] {
            let error = #expect(throws: GenerationError.self) { try swift(text, names: names) }
            #expect(error?.description == message)
        }
    }
}
