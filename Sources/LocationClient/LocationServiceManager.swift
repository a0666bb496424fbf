public import LocationInterface

/// The state of the location service, and its configuration.
///
/// For tools such as `locationctl`; a program that wants a location needs only ``LocationManager``.
public struct LocationServiceManager: Sendable {
    /// The Unix socket of the service.
    public var socketPath: String { connector.socketPath }

    let connector: ServiceConnector

    /// Asks the service at `socketPath`: by default the one `$LOCATIOND_SOCKET` names, else the system's.
    public init(socketPath: String? = nil) {
        connector = ServiceConnector(socketPath: socketPath)
    }

    /// The state of the service. Every program may ask.
    ///
    /// - Parameter satellites: whether the satellites are wanted that each receiver sees.
    public func status(satellites: Bool = false) async throws(LocationError) -> Status {
        try await connector.call(ManagerInterface.GetServiceStatus.self, .init(satellites: satellites ? true : nil))
    }

    /// Has the configuration read again, for root and the service's own user.
    ///
    /// - Returns: What was refused; what was in force before is still.
    public func reload() async throws(LocationError) -> [ConfigurationProblem] {
        try await connector.call(ManagerInterface.Reload.self, Nothing()).problems
    }
}
