/// The address of gpsd.
public enum GPSDEndpoint: Hashable, Sendable {
    /// A host name or numeric address, and a port; gpsd's default is 2947.
    case tcp(host: String, port: Int)
    /// The path of a Unix socket.
    case unix(path: String)

    /// True if a connection does not leave the machine.
    var isLocal: Bool {
        switch self {
        case .unix: true
        case .tcp(let host, _): host == "localhost" || host == "::1" || host.hasPrefix("127.")
        }
    }
}

extension GPSDEndpoint: CustomStringConvertible {
    /// `127.0.0.1:2947`, `[::1]:2947` or the path.
    public var description: String {
        switch self {
        case .unix(let path): path
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        }
    }
}
