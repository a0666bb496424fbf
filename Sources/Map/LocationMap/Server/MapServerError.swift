import PageServing

/// An error of a ``MapServer`` that cannot listen at its port.
public struct MapServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The port, 0 to 65,535.
    public let port: Int
    /// The error number of the system, such as `EADDRINUSE`.
    public let errorNumber: Int32

    /// A sentence with the port, the reason, and the remedy.
    public var description: String {
        PortError(port: port, errorNumber: errorNumber).description
    }
}
