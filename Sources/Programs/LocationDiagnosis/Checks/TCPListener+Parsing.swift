extension TCPListener {
    /// The listeners in `/proc/net/tcp` or `/proc/net/tcp6` (proc_net_tcp in the kernel's documentation). The second field of
    /// a line is the local address and port in hexadecimal, the fourth is the state, 0A for listening. Addresses are 32-bit
    /// words in the byte order of this machine.
    package static func listeners(inTable text: String) -> [TCPListener] { sockets(inTable: text).map(\.listener) }

    /// The listeners with the users who have opened them and the inodes of their sockets: the eighth and the tenth field.
    static func sockets(inTable text: String) -> [(listener: TCPListener, userID: UInt32, inode: UInt64)] {
        text.split(separator: "\n").dropFirst().compactMap { line -> (TCPListener, UInt32, UInt64)? in
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            guard fields.count > 3, fields[3] == "0A" else { return nil }
            let parts = fields[1].split(separator: ":")
            guard parts.count == 2, let port = UInt16(parts[1], radix: 16), let bytes = addressBytes(parts[0]) else {
                return nil
            }
            let (user, inode) = fields.count > 9 ? (UInt32(fields[7]), UInt64(fields[9])) : (nil, nil)
            return (TCPListener(address: name(of: bytes), port: port), user ?? 0, inode ?? 0)
        }
    }

    /// The bytes of an address in network byte order; `nil` unless there are 4 or 16.
    private static func addressBytes(_ hexadecimal: Substring) -> [UInt8]? {
        let digits = Array(hexadecimal.utf8)
        guard digits.count == 8 || digits.count == 32 else { return nil }
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: digits.count, by: 8) {
            guard let word = UInt32(String(decoding: digits[start..<start + 8], as: UTF8.self), radix: 16) else {
                return nil
            }
            withUnsafeBytes(of: word) { bytes += $0 }
        }
        return bytes
    }

    private static func name(of bytes: [UInt8]) -> String {
        if bytes.count == 4 { return bytes.map { "\($0)" }.joined(separator: ".") }
        if bytes.dropLast().allSatisfy({ $0 == 0 }) {
            return bytes[15] == 0 ? "::" : "::\(String(bytes[15], radix: 16))"
        }
        if bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == 0xff, bytes[11] == 0xff {
            return "::ffff:" + bytes.suffix(4).map { "\($0)" }.joined(separator: ".")
        }
        return stride(from: 0, to: 16, by: 2)
            .map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }.joined(separator: ":")
    }
}
