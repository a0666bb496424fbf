/// The request of a method call, validated except for the rights of its caller.
public enum Request: Hashable, Sendable {
    /// `Manager.GetClient`: the same client object for each call on a connection.
    case getClient
    /// `Manager.CreateClient`: a new client object.
    case createClient
    /// `Manager.DeleteClient`; `nil` for a path that cannot be a client object's.
    case deleteClient(UInt64?)
    /// `Manager.AddAgent`, without the id, which is only a claim.
    case addAgent
    /// `Client.Start`
    case start(client: UInt64)
    /// `Client.Stop`
    case stop(client: UInt64)
    /// `Properties.GetAll`
    case properties(ObjectPath)
    /// `Properties.Get`
    case property(ObjectPath, String)
    /// `Properties.Set` of a client object
    case set(client: UInt64, ClientProperty)
    /// `Introspectable.Introspect`; `nil` for an object above those with members.
    case introspect(ObjectPath?)

    /// Parses a method call.
    ///
    /// - Parameters:
    ///   - interface: `nil` if the call names none, which the bus allows.
    ///   - arguments: `nil` for a signature that no method here has. The value of a variant is in its place.
    public init(path: String, interface: String?, member: String, arguments: [BusValue]?) throws(BusError) {
        let object = ObjectPath(path)
        func isCall(_ wanted: Interface, _ name: String) -> Bool {
            member == name && (interface == nil || interface == wanted.rawValue)
        }
        if isCall(.introspectable, "Introspect") {
            guard object != nil || Self.isAboveObjects(path) else { throw .unknownObject(path) }
            self = .introspect(object)
            return
        }
        guard let object else { throw .unknownObject(path) }
        if isCall(.properties, member) {
            self = try Self.properties(object, member, arguments, isNamed: interface != nil)
            return
        }
        guard interface == nil || interface == object.interface.rawValue else {
            throw .unknownInterface(interface ?? "")
        }
        self = try Self.own(object, member, arguments)
    }

    /// True for the paths above the objects, which browsing programs introspect.
    private static func isAboveObjects(_ path: String) -> Bool {
        path == ObjectPath.root || path == "\(ObjectPath.root)/Client"
    }

    private static func own(
        _ object: ObjectPath, _ member: String, _ arguments: [BusValue]?
    ) throws(BusError) -> Request {
        func requireNone() throws(BusError) {
            guard arguments?.isEmpty == true else { throw .invalidArguments("\(member) takes no parameters.") }
        }
        switch (object, member) {
        case (.manager, "GetClient"):
            try requireNone()
            return .getClient
        case (.manager, "CreateClient"):
            try requireNone()
            return .createClient
        case (.manager, "DeleteClient"):
            guard let arguments, arguments.count == 1, case .path(let path) = arguments[0] else {
                throw .invalidArguments("DeleteClient takes the path of a client object (o).")
            }
            guard case .client(let client) = ObjectPath(path) else { return .deleteClient(nil) }
            return .deleteClient(client)
        case (.manager, "AddAgent"):
            guard let arguments, arguments.count == 1, case .text = arguments[0] else {
                throw .invalidArguments("AddAgent takes a desktop id (s).")
            }
            return .addAgent
        case (.client(let client), "Start"):
            try requireNone()
            return .start(client: client)
        case (.client(let client), "Stop"):
            try requireNone()
            return .stop(client: client)
        default: throw .unknownMethod(member)
        }
    }

    private static func properties(
        _ object: ObjectPath, _ member: String, _ arguments: [BusValue]?, isNamed: Bool
    ) throws(BusError) -> Request {
        guard ["Get", "GetAll", "Set"].contains(member) else {
            // Without an interface it may be a method of the object's own interface.
            if !isNamed { return try own(object, member, arguments) }
            throw .unknownMethod(member)
        }
        guard let arguments, case .text(let interface)? = arguments.first else {
            throw .invalidArguments("\(member) takes the name of an interface (s) first.")
        }
        guard interface.isEmpty || interface == object.interface.rawValue else { throw .unknownInterface(interface) }
        if member == "GetAll" {
            guard arguments.count == 1 else { throw .invalidArguments("GetAll takes the name of an interface (s).") }
            return .properties(object)
        }
        guard arguments.count >= 2, case .text(let name) = arguments[1] else {
            throw .invalidArguments("\(member) takes the name of a property (s) second.")
        }
        if member == "Get" {
            guard arguments.count == 2 else { throw .invalidArguments("Get takes an interface and a property (ss).") }
            return .property(object, name)
        }
        guard arguments.count == 3 else {
            throw .invalidArguments("Set takes an interface, a property and a value (ssv).")
        }
        guard case .client(let client) = object else {
            throw Properties.names(of: object).contains(name) ? .readOnly(name) : .unknownProperty(name)
        }
        return .set(client: client, try ClientProperty(name, arguments[2]))
    }
}
