/// The address of a positioning server: an `https` URL. Plain `http` leads to this machine only.
package struct ServerAddress: Hashable, Sendable, CustomStringConvertible {
    /// The URL as it was written.
    package let url: String
    /// The server's name with its port, without a path, which may contain a key.
    package let name: String

    /// The server's name.
    package var description: String { name }

    /// The reason why a text is not accepted.
    package enum Flaw: Error, Hashable, Sendable, CustomStringConvertible {
        case notAURL, insecure

        /// A sentence with the remedy.
        package var description: String {
            switch self {
            case .notAURL: "This is not the URL of a server; give one such as https://server.example/v1/geolocate."
            case .insecure:
                "This must begin with https://. Plain http:// would show every network on the way where you are, so it is "
                    + "accepted for this machine only (http://127.0.0.1, http://[::1], http://localhost)."
            }
        }
    }

    /// Reads a URL.
    ///
    /// - Parameter allowsPlain: true to accept plain `http` to any host.
    package init(_ url: String, allowsPlain: Bool = false) throws(Flaw) {
        guard url.utf8.count <= 2048,
            url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && !#"\"<>^`{|}#"#.utf8.contains($0) }),
            let separator = url.firstRange(of: "://")
        else { throw .notAURL }
        let scheme = url[..<separator.lowerBound].lowercased()
        guard scheme == "https" || scheme == "http" else { throw scheme.isEmpty ? .notAURL : .insecure }
        let authority = url[separator.upperBound...].prefix { $0 != "/" && $0 != "?" }
        // A user's name would be sent as a password, and hide the server's name from who reads the URL.
        guard !authority.contains("@"), let host = Self.host(of: authority) else { throw .notAURL }
        guard scheme == "https" || allowsPlain || Self.isLoopback(host) else { throw .insecure }
        self.url = url
        name = authority.lowercased()
    }

    /// The host of `HOST`, `HOST:PORT` or `[ADDRESS]:PORT` in ASCII; `nil` for something else.
    private static func host(of authority: Substring) -> String? {
        let (host, port): (Substring, Substring?)
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            host = authority[authority.index(after: authority.startIndex)..<end]
            let rest = authority[authority.index(after: end)...]
            guard rest.isEmpty || rest.first == ":" else { return nil }
            port = rest.isEmpty ? nil : rest.dropFirst()
            guard !host.isEmpty, host.allSatisfy({ $0.isHexDigit || ":.".contains($0) }) else { return nil }
        } else {
            let parts = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            (host, port) = (parts[0], parts.count > 1 ? parts[1] : nil)
            guard !host.isEmpty, host.allSatisfy({ $0.isLetter || $0.isNumber || "-._".contains($0) }) else {
                return nil
            }
        }
        if let port, Int(port).map({ (1...65_535).contains($0) }) != true { return nil }
        return host.lowercased()
    }

    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
