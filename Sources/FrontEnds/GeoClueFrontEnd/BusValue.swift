/// A value of one of the types in GeoClue's interfaces.
public enum BusValue: Hashable, Sendable {
    case boolean(Bool)
    case number(UInt32)
    case real(Double)
    case text(String)
    case path(String)
    /// Seconds and microseconds since 1970-01-01T00:00:00Z.
    case time(seconds: UInt64, microseconds: UInt64)

    /// The type signature (D-Bus specification, *Type System*).
    public var signature: String {
        switch self {
        case .boolean: "b"
        case .number: "u"
        case .real: "d"
        case .text: "s"
        case .path: "o"
        case .time: "(tt)"
        }
    }
}

/// A property with its value. Arrays of them are in the order of sending.
public typealias PropertyValue = (name: String, value: BusValue)

/// An error reply.
public struct BusError: Error, Hashable, Sendable {
    /// The name, `org.freedesktop.DBus.Error.…`.
    public let name: String
    /// The description: the error and its remedy.
    public let message: String

    private init(_ name: String, _ message: String) {
        self.name = "org.freedesktop.DBus.Error.\(name)"
        self.message = message
    }

    /// The caller has no access. Clients handle this error differently from all others.
    public static func accessDenied(_ message: String) -> BusError { BusError("AccessDenied", message) }
    /// No object has this path.
    public static func unknownObject(_ path: String) -> BusError {
        BusError("UnknownObject", "There is no object \(path). Ask \(Interface.manager.rawValue).GetClient for one.")
    }
    /// The object has no such method.
    public static func unknownMethod(_ member: String) -> BusError {
        BusError("UnknownMethod", "The object has no method \(member) without parameters other than GeoClue's.")
    }
    /// The object has no such interface.
    public static func unknownInterface(_ name: String) -> BusError {
        BusError("UnknownInterface", "The object has no interface \(name).")
    }
    /// The object has no such property.
    public static func unknownProperty(_ name: String) -> BusError {
        BusError("UnknownProperty", "The object has no property \(name).")
    }
    /// The property is read-only.
    public static func readOnly(_ name: String) -> BusError {
        BusError("PropertyReadOnly", "The property \(name) cannot be set.")
    }
    /// A parameter has the wrong type or is out of range.
    public static func invalidArguments(_ message: String) -> BusError { BusError("InvalidArgs", message) }
    /// The caller or its user has reached a limit.
    public static func limitsExceeded(_ message: String) -> BusError { BusError("LimitsExceeded", message) }
    /// Another error.
    public static func failed(_ message: String) -> BusError { BusError("Failed", message) }
}
