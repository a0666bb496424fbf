/// The address of gpsd.
public enum GPSDAddress: Hashable, Sendable {
    /// A host name or numeric address, and a port. Every user of the machine can connect to such a port, and so bypass all
    /// policies.
    case tcp(host: String = defaultHost, port: Int = defaultPort)
    /// The absolute path of a Unix socket, which file permissions protect.
    case unix(path: String)

    /// The host of a gpsd on this machine.
    public static let defaultHost = "127.0.0.1"
    /// gpsd's assigned port.
    public static let defaultPort = 2947

    /// True if a connection does not leave the machine.
    package var isLocal: Bool {
        switch self {
        case .unix: true
        case .tcp(let host, _): host == "localhost" || host == "::1" || host.hasPrefix("127.")
        }
    }
}

extension GPSDAddress: CustomStringConvertible {
    /// `127.0.0.1:2947`, `[::1]:2947` or the path.
    public var description: String {
        switch self {
        case .unix(let path): path
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        }
    }
}

extension GPSDAddress {
    /// Parses `HOST:PORT`, `[ADDRESS]:PORT`, `HOST` with gpsd's default port, or the absolute path of a Unix socket.
    package init?(_ text: String) {
        if text.hasPrefix("/") {
            self = .unix(path: text)
            return
        }
        var host = Substring(text)
        var port = Self.defaultPort
        // The colons of an IPv6 address separate no port: that requires brackets. `::1:2947` is refused, because its end
        // could be either.
        let isBareIPv6 = text.count { $0 == ":" } > 1 && !text.hasPrefix("[")
        let last = text.split(separator: ":", omittingEmptySubsequences: false).last ?? ""
        if isBareIPv6, last.utf8.count >= 4, last.allSatisfy(\.isNumber) { return nil }
        if !isBareIPv6, let colon = text.lastIndex(of: ":"), !text.hasSuffix("]") {
            guard let number = Int(text[text.index(after: colon)...]), (1...65_535).contains(number) else { return nil }
            host = text[..<colon]
            port = number
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty, !host.contains(where: { $0 == "/" || $0.isWhitespace || $0 == "[" || $0 == "]" }) else {
            return nil
        }
        self = .tcp(host: String(host), port: port)
    }
}
