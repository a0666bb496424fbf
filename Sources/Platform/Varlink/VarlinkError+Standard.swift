import VarlinkIDL

/// The errors of `org.varlink.service`, which every service may use.
extension VarlinkError {
    /// The interface does not exist.
    public static func interfaceNotFound(_ interface: String) -> VarlinkError {
        standard("InterfaceNotFound", ["interface": .string(interface)])
    }

    /// The method does not exist in the interface.
    ///
    /// - Parameter method: the full name, `org.example.Interface.Method`.
    public static func methodNotFound(_ method: String) -> VarlinkError {
        standard("MethodNotFound", ["method": .string(method)])
    }

    /// The interface describes the method, but this service does not implement it.
    ///
    /// - Parameter method: the full name, `org.example.Interface.Method`.
    public static func methodNotImplemented(_ method: String) -> VarlinkError {
        standard("MethodNotImplemented", ["method": .string(method)])
    }

    /// A parameter is missing, of the wrong type or out of range.
    ///
    /// - Parameter parameter: its path, `a.b` for the field `b` of the parameter `a`.
    public static func invalidParameter(_ parameter: String) -> VarlinkError {
        standard("InvalidParameter", ["parameter": .string(parameter)])
    }

    /// The method answers with a stream and must be called with `"more": true`.
    public static var expectedMore: VarlinkError { standard("ExpectedMore", [:]) }

    /// The peer lacks permission.
    public static var permissionDenied: VarlinkError { standard("PermissionDenied", [:]) }

    private static func standard(_ name: String, _ parameters: [String: JSONValue]) -> VarlinkError {
        VarlinkError(name: "\(InterfaceDescription.serviceName).\(name)", values: parameters)
    }
}
