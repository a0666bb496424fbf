import Glibc

/// An error of a ``MapServer`` that cannot listen at its port.
public struct MapServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The port, 0 to 65,535.
    public let port: Int
    /// The error number of the system, such as `EADDRINUSE`.
    public let errorNumber: Int32

    /// A sentence with the port, the reason, and the remedy.
    public var description: String {
        switch errorNumber {
        case EADDRINUSE:
            "Port \(port) is in use by another program. Choose another port, or 0 for any that is free."
        case EACCES:
            "Port \(port) is reserved for programs of root. Choose one above 1023, or 0 for any that is free."
        default: "The map cannot be served at port \(port): \(String(cString: strerror(errorNumber)))."
        }
    }
}
