/// An object of GeoClue on the bus, by its path below ``root``.
public enum ObjectPath: Hashable, Sendable {
    /// `/org/freedesktop/GeoClue2`
    public static let root = "/org/freedesktop/GeoClue2"
    /// The path for no object: a client's `Location` before its first fix.
    public static let none = "/"

    /// The object with `GetClient`, shared by all callers.
    case manager
    /// A client object.
    case client(UInt64)
    /// A location announced by a client object.
    case location(client: UInt64, number: UInt64)

    /// The object at a path; `nil` for any other path. Numbers are decimal and without leading zeros, so that an object has
    /// exactly one path.
    public init?(_ path: String) {
        guard path.hasPrefix(Self.root + "/") else { return nil }
        let parts = path.dropFirst(Self.root.count + 1).split(separator: "/", omittingEmptySubsequences: false)
        switch parts.count {
        case 1 where parts[0] == "Manager": self = .manager
        case 2 where parts[0] == "Client":
            guard let client = Self.number(parts[1]) else { return nil }
            self = .client(client)
        case 4 where parts[0] == "Client" && parts[2] == "Location":
            guard let client = Self.number(parts[1]), let number = Self.number(parts[3]) else { return nil }
            self = .location(client: client, number: number)
        default: return nil
        }
    }

    /// The path.
    public var text: String {
        switch self {
        case .manager: "\(Self.root)/Manager"
        case .client(let client): "\(Self.root)/Client/\(client)"
        case .location(let client, let number): "\(Self.root)/Client/\(client)/Location/\(number)"
        }
    }

    /// The interface of the object besides the standard ones.
    public var interface: Interface {
        switch self {
        case .manager: .manager
        case .client: .client
        case .location: .location
        }
    }

    private static func number(_ text: Substring) -> UInt64? {
        guard let number = UInt64(text), "\(number)" == text else { return nil }
        return number
    }
}

/// The interfaces of GeoClue's objects and agents, and the standard interfaces that they have.
public enum Interface: String, Sendable {
    case manager = "org.freedesktop.GeoClue2.Manager"
    case client = "org.freedesktop.GeoClue2.Client"
    case location = "org.freedesktop.GeoClue2.Location"
    case agent = "org.freedesktop.GeoClue2.Agent"
    case properties = "org.freedesktop.DBus.Properties"
    case introspectable = "org.freedesktop.DBus.Introspectable"

    /// The well-known name of the service on the bus.
    public static let busName = "org.freedesktop.GeoClue2"
    /// The path of an agent's object.
    public static let agentPath = "/org/freedesktop/GeoClue2/Agent"
}
