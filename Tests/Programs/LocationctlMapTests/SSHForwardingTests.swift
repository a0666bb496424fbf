import Testing

@testable import locationctl_map

@Suite("The map over ssh")
struct SSHForwardingTests {
    private static let address = "http://127.0.0.1:40001/Ab3/"

    @Test(
        "the command forwards the map's port to the user's end of the session",
        arguments: [
            ("192.0.2.7 50000 192.0.2.1 22", "alice", "ssh -L 40001:127.0.0.1:40001 alice@192.0.2.1"),
            ("2001:db8::7 50000 2001:db8::1 2222", "alice", "ssh -p 2222 -L 40001:127.0.0.1:40001 alice@2001:db8::1"),
            ("192.0.2.7 50000 192.0.2.1 22", nil, "ssh -L 40001:127.0.0.1:40001 192.0.2.1"),
            ("192.0.2.7 50000 192.0.2.1 22", "a; b", "ssh -L 40001:127.0.0.1:40001 192.0.2.1"),
        ] as [(String, String?, String)])
    func command(connection: String, user: String?, expected: String) {
        #expect(SSHForwarding.command(for: Self.address, connection: connection, user: user) == expected)
    }

    @Test(
        "without a session, or with one that cannot be read, there is none",
        arguments: [
            nil, "", "192.0.2.7 50000 192.0.2.1", "192.0.2.7 1 $(reboot) 22", "192.0.2.7 1 -oProxyCommand 22",
            "a b c d",
        ])
    func none(connection: String?) {
        #expect(SSHForwarding.command(for: Self.address, connection: connection, user: "alice") == nil)
    }
}
