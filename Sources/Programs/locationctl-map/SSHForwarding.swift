import Glibc

/// The forwarding of the map's port to the machine from which the user is logged in by ssh.
enum SSHForwarding {
    /// Returns the command that forwards the port of `address` to the other end of an ssh session; `nil` without a session.
    ///
    /// - Parameters:
    ///   - address: The address of the map, such as `http://127.0.0.1:40001/…`.
    ///   - connection: The value of `SSH_CONNECTION`: the address and port of the client, then those of this machine. `nil` if
    ///     it is not set.
    ///   - user: The user's name; `nil` if it is unknown.
    static func command(for address: String, connection: String?, user: String?) -> String? {
        let fields = connection?.split(separator: " ") ?? []
        guard fields.count == 4, let sshPort = UInt16(fields[3]), let port = port(of: address) else { return nil }
        let host = fields[2]
        guard !host.isEmpty, host.allSatisfy({ isPlain($0) }), !host.hasPrefix("-") else { return nil }
        let login =
            user.flatMap { !$0.isEmpty && $0.allSatisfy(isPlain) && !$0.hasPrefix("-") ? "\($0)@" : nil } ?? ""
        return "ssh \(sshPort == 22 ? "" : "-p \(sshPort) ")-L \(port):127.0.0.1:\(port) \(login)\(host)"
    }

    /// The command for this process.
    static func command(for address: String) -> String? {
        func variable(_ name: String) -> String? { getenv(name).flatMap { String(validatingCString: $0) } }
        return command(for: address, connection: variable("SSH_CONNECTION"), user: variable("USER"))
    }

    private static func port(of address: String) -> UInt16? {
        guard let host = address.split(separator: "/", omittingEmptySubsequences: true).dropFirst().first else {
            return nil
        }
        return host.split(separator: ":").last.flatMap { UInt16($0) }
    }

    /// True for a character that every shell takes as it is.
    private static func isPlain(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || ".:-_".contains(character))
    }
}
