import LocationConfiguration
import LocationSources

extension GPSDEndpoint {
    init(_ configured: DaemonConfiguration.Endpoint) {
        switch configured {
        case .tcp(let host, let port): self = .tcp(host: host, port: port)
        case .unix(let path): self = .unix(path: path)
        }
    }

    /// Parses `HOST:PORT`, `[ADDRESS]:PORT`, `HOST` with gpsd's default port, or the absolute path of a Unix socket.
    init?(address: String) {
        if address.hasPrefix("/") {
            self = .unix(path: address)
            return
        }
        var host = Substring(address)
        var port = 2947
        // The colons of an IPv6 address separate no port: that requires brackets. `::1:2947` is refused, because its end
        // could be either.
        let isBareIPv6 = address.count { $0 == ":" } > 1 && !address.hasPrefix("[")
        let last = address.split(separator: ":", omittingEmptySubsequences: false).last ?? ""
        if isBareIPv6, last.utf8.count >= 4, last.allSatisfy(\.isNumber) { return nil }
        if !isBareIPv6, let colon = address.lastIndex(of: ":"), !address.hasSuffix("]") {
            guard let number = Int(address[address.index(after: colon)...]), (1...65_535).contains(number) else {
                return nil
            }
            host = address[..<colon]
            port = number
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty, !host.contains(where: { $0 == "/" || $0.isWhitespace || $0 == "[" || $0 == "]" }) else {
            return nil
        }
        self = .tcp(host: String(host), port: port)
    }
}
