/// The errors of `org.varlink.service`, which every service may answer with.
extension VarlinkError {
    /// No such interface here.
    public static func interfaceNotFound(_ interface: String) -> VarlinkError {
        standard("InterfaceNotFound", ["interface": .string(interface)])
    }

    /// The interface has no such method.
    ///
    /// - Parameter method: the full name, `org.example.Interface.Method`.
    public static func methodNotFound(_ method: String) -> VarlinkError {
        standard("MethodNotFound", ["method": .string(method)])
    }

    /// The interface describes the method, but this service does not have it.
    ///
    /// - Parameter method: the full name, `org.example.Interface.Method`.
    public static func methodNotImplemented(_ method: String) -> VarlinkError {
        standard("MethodNotImplemented", ["method": .string(method)])
    }

    /// A parameter is missing, of the wrong type or outside what is allowed.
    ///
    /// - Parameter parameter: its path, `a.b` for the field `b` of the parameter `a`.
    public static func invalidParameter(_ parameter: String) -> VarlinkError {
        standard("InvalidParameter", ["parameter": .string(parameter)])
    }

    /// The method answers more than once and must be called with `"more": true`.
    public static var expectedMore: VarlinkError { standard("ExpectedMore", [:]) }

    /// The peer may not do this.
    public static var permissionDenied: VarlinkError { standard("PermissionDenied", [:]) }

    private static func standard(_ name: String, _ parameters: [String: JSONValue]) -> VarlinkError {
        VarlinkError(name: "\(InterfaceDescription.serviceName).\(name)", values: parameters)
    }
}
