import NIOCore
import TestSupport
import Testing

@testable import Varlink

/// The memory limit for a group of connections.
@Suite(.timeLimit(.minutes(10))) struct ByteAccountTests {
    private let tooMuch = #"{"error":"org.example.TooMuch","parameters":{"limit":1000}}"#
    private let account = ByteAccount(limit: 1000)

    private func ping(_ text: String) -> ByteBuffer {
        ByteBuffer(string: #"{"method":"org.example.Ping.Ping","parameters":{"ping":"\#(text)"}}"# + "\0")
    }

    private func hold(padding: Int) -> ByteBuffer {
        let text = String(repeating: "x", count: padding)
        return ByteBuffer(string: #"{"method":"org.example.Ping.Hold","parameters":{"x":"\#(text)"}}"# + "\0")
    }

    /// Waits until `trigger` has brought the balance to a value that it did not have before.
    private func expectBalance(
        _ test: TestServer, _ isAsExpected: @escaping @Sendable (Int) -> Bool, after trigger: () async throws -> Void
    ) async throws {
        try await test.wait(for: "the balance", after: trigger, until: { isAsExpected(account.balance) })
    }

    @Test("of incomplete messages, unanswered calls and queued calls, the one above the limit ends its connection")
    func input() async throws {
        try await TestServer.run(account: account) { test in
            var peers: [SocketPeer] = []
            for _ in 0..<4 { peers.append(try await SocketPeer(path: test.path)) }
            try await peers[0].send(ByteBuffer(string: String(repeating: " ", count: 200)))
            // One is being answered, and the other is queued.
            try await peers[1].send(hold(padding: 100))
            try await test.wait(for: .called("Hold"))
            try await expectBalance(test, { (550..<650).contains($0) }) {
                try await peers[1].send(hold(padding: 200))
            }
            // There is room for calls that are answered at once.
            try await peers[2].send(ping("x"))
            #expect(try await json(peers[2].receive()) == json(#"{"parameters":{"pong":"x"}}"#))
            try await peers[3].send(ByteBuffer(string: String(repeating: " ", count: 600)))
            #expect(try await json(peers[3].receive()) == json(tooMuch))
            #expect(try await peers[3].receive() == nil)
            #expect(test.log.lines.count == 1)
            #expect(test.log.lines.first?.contains("more than 1000 bytes held") == true)

            // The other connections are unaffected, and answered calls return their share.
            try await peers[3].close()
            try await test.onLoop { test.service.release() }
            #expect(try await json(peers[1].receive()) == json(#"{"parameters":{"held":"released"}}"#))
            try await test.wait(for: .called("Hold"))
            try await expectBalance(test, { $0 == 200 }) {
                try await test.onLoop { test.service.release() }
                #expect(try await json(peers[1].receive()) == json(#"{"parameters":{"held":"released"}}"#))
            }
            try await expectBalance(test, { $0 == 0 }) { try await peers[0].close() }
        }
    }

    @Test("the error answers the open call only")
    func openCall() async throws {
        try await TestServer.run(account: account) { test in
            let peer = try await SocketPeer(path: test.path)
            try await peer.send(ByteBuffer(string: #"{"method":"org.example.Ping.Forever","more":true}"# + "\0"))
            #expect(try await json(peer.receive()) == json(#"{"parameters":{"number":0},"continues":true}"#))
            try await peer.send(hold(padding: 1000))
            try await test.wait(for: .cancelled)
            #expect(try await json(peer.receive()) == json(tooMuch))
            #expect(try await peer.receive() == nil)
        }
    }

    @Test("of unread replies, the one above the limit ends its connection")
    func output() async throws {
        try await TestServer.run(account: account) { test in
            let reader = try await SocketPeer(path: test.path)
            let peer = try await SocketPeer(path: test.path)
            try await peer.send(ByteBuffer(string: #"{"method":"org.example.Ping.Forever","more":true}"# + "\0"))
            try await test.wait(for: .called("Forever"))
            // Far less than the limit of one connection.
            try await test.onLoop {
                guard let call = test.service.endlessCall, let reply = try? EncodedReply(["number": 1], continues: true)
                else { return }
                for _ in 0..<1000 { call.reply(reply) }
            }
            try await test.wait(for: .cancelled)
            try await test.wait(for: .disconnected)
            #expect(test.log.lines.count == 1)
            #expect(test.log.lines.first?.contains("it does not read, and") == true)
            #expect(try await test.onLoop { account.balance } == 0)
            try await reader.send(ping("y"))
            #expect(try await json(reader.receive()) == json(#"{"parameters":{"pong":"y"}}"#))
        }
    }
}
