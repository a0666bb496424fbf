package import LocationClient
import LocationInterface

/// The state and configuration of the location service.
///
/// For the programs of this package, such as `locationctl`. A program that needs a location uses only `LocationManager`.
package struct LocationServiceManager: Sendable {
    /// The path of the service's Unix socket.
    package var socketPath: String { connector.socketPath }

    let connector: ServiceConnector

    /// Creates a manager that connects to the service at `socketPath`; `nil` selects the socket in the environment
    /// variable `LOCATIOND_SOCKET`, or else the system's.
    package init(socketPath: String? = nil) {
        connector = ServiceConnector(socketPath: socketPath)
    }

    /// Returns the state of the service. Every program may call it.
    ///
    /// - Parameter satellites: True to include the satellites in view of each receiver. Default false.
    /// - Throws: ``LocationError/serviceUnavailable(reason:)``.
    package func status(satellites: Bool = false) async throws(LocationError) -> Status {
        try await connector.call(ManagerInterface.GetServiceStatus.self, .init(satellites: satellites ? true : nil))
    }

    /// Makes the service read its configuration again. Only for root and the user that the service runs as.
    ///
    /// - Returns: The parts that were refused. For these the previous configuration stays in force.
    /// - Throws: ``LocationError/permissionDenied(message:)`` or ``LocationError/serviceUnavailable(reason:)``.
    package func reload() async throws(LocationError) -> [ConfigurationProblem] {
        try await connector.call(ManagerInterface.Reload.self, Nothing()).problems
    }
}
