/// A value of the types that GeoClue's members have.
public enum BusValue: Hashable, Sendable {
    case boolean(Bool)
    case number(UInt32)
    case real(Double)
    case text(String)
    case path(String)
    /// Seconds and microseconds since 1970-01-01T00:00:00Z.
    case time(seconds: UInt64, microseconds: UInt64)

    /// The type as the bus writes it (D-Bus specification, *Type System*).
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

/// A property with its value, in the order in which it is sent.
public typealias PropertyValue = (name: String, value: BusValue)

/// An error reply.
public struct BusError: Error, Hashable, Sendable {
    /// The name, `org.freedesktop.DBus.Error.…`.
    public let name: String
    /// What is wrong and what to do.
    public let message: String

    private init(_ name: String, _ message: String) {
        self.name = "org.freedesktop.DBus.Error.\(name)"
        self.message = message
    }

    /// The caller may not have this. The one error that clients tell from others.
    public static func accessDenied(_ message: String) -> BusError { BusError("AccessDenied", message) }
    /// There is no object at this path.
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
    /// The property cannot be set.
    public static func readOnly(_ name: String) -> BusError {
        BusError("PropertyReadOnly", "The property \(name) cannot be set.")
    }
    /// A parameter has another type or range.
    public static func invalidArguments(_ message: String) -> BusError { BusError("InvalidArgs", message) }
    /// The caller, or its user, has as many as one may have.
    public static func limitsExceeded(_ message: String) -> BusError { BusError("LimitsExceeded", message) }
    /// Something else is wrong.
    public static func failed(_ message: String) -> BusError { BusError("Failed", message) }
}
