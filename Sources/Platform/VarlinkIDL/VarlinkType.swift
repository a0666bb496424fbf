/// A type of the Varlink interface definition language.
public indirect enum VarlinkType: Sendable, Equatable {
    /// `bool`
    case bool
    /// `int`: 64 bits, signed.
    case int
    /// `float`: 64 bits.
    case float
    /// `string`
    case string
    /// `object`: any JSON object.
    case object
    /// `any`: any JSON value.
    case any
    /// A type declared in the same interface.
    case named(String)
    /// `[]element`
    case array(VarlinkType)
    /// `[string]element`
    case map(VarlinkType)
    /// `?wrapped`: may be absent or null. Never directly inside another optional.
    case optional(VarlinkType)
    /// `(name: type, …)`, also the empty `()`.
    case structure([Field])
    /// `(name, …)`
    case enumeration([Case])

    /// A field of a structure.
    public struct Field: Sendable, Equatable {
        /// The key in the JSON object.
        public let name: String
        /// The type of its value.
        public let type: VarlinkType
        /// The comment above the field, without the `#`; empty if there is none.
        public let documentation: String

        /// A field of a description built in code; the parser creates them from text.
        public init(name: String, type: VarlinkType, documentation: String = "") {
            self.name = name
            self.type = type
            self.documentation = documentation
        }
    }

    /// A case of an enumeration.
    public struct Case: Sendable, Equatable {
        /// The string in JSON.
        public let name: String
        /// The comment above the case, without the `#`; empty if there is none.
        public let documentation: String

        /// A case of a description built in code; the parser creates them from text.
        public init(_ name: String, documentation: String = "") {
            self.name = name
            self.documentation = documentation
        }
    }
}
