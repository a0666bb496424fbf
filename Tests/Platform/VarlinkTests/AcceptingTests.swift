import Glibc
import NIOCore
import TestSupport
import Testing

@testable import Varlink

/// The time between a connection and the service's decision about its peer.
@Suite("Accepting a peer later", .timeLimit(.minutes(10)))
struct AcceptingTests {
    private let ping = ByteBuffer(string: #"{"method":"org.example.Ping.Ping","parameters":{"ping":"x"}}"# + "\0")
    private let pong = #"{"parameters":{"pong":"x"}}"#

    /// The number of bytes that wait in the kernel for the server. On its loop.
    private func unread(_ test: TestServer) -> Int? {
        var count: CInt = 0
        let result = try? test.service.connection?.withUnsafeDescriptor { ioctl($0, UInt(FIONREAD), &count) }
        return result == 0 ? Int(count) : nil
    }

    private func waitForClosing(_ test: TestServer) async throws {
        try await #require(test.service.connection).channel.closeFuture.get()
    }

    @Test("input stays in the kernel until then, and then all calls are answered in order")
    func accepted() async throws {
        try await TestServer.run(isHesitant: true) { test in
            let peer = try await SocketPeer(path: test.path)
            try await test.wait(for: .connected)
            for _ in 0..<3 { try await peer.send(ping) }
            #expect(try await test.onLoop { unread(test) } == 3 * ping.readableBytes)
            try await test.onLoop { test.service.decide() }
            for _ in 0..<3 { #expect(try await json(peer.receive()) == json(pong)) }
        }
    }

    @Test("a peer that has ended its input is answered, and then closed")
    func inputClosed() async throws {
        try await TestServer.run(isHesitant: true) { test in
            let peer = try await SocketPeer(path: test.path)
            try await test.wait(for: .connected)
            try await peer.send(ping)
            try await peer.send(ByteBuffer(string: "{\0"))
            // The end of the input arrives after everything sent before.
            try await test.wait(
                for: "the server's read of all input", after: { try await peer.stopSending() },
                until: { unread(test) == 0 })
            #expect(test.log.lines == [], "nothing is decoded")
            try await test.onLoop { test.service.decide() }
            #expect(try await json(peer.receive()) == json(pong))
            #expect(try await json(peer.receive()) == json(Conversation.wrong("message")))
            #expect(try await peer.receive() == nil)
        }
    }

    @Test("a peer that has ended its input reads its rejection, and its calls are ignored")
    func refused() async throws {
        try await TestServer.run(refusal: .permissionDenied, isHesitant: true) { test in
            let peer = try await SocketPeer(path: test.path)
            try await test.wait(for: .connected)
            try await peer.send(ping)
            try await test.wait(
                for: "the server's read of all input", after: { try await peer.stopSending() },
                until: { unread(test) == 0 })
            try await test.onLoop { test.service.decide() }
            #expect(
                try await json(peer.receive()) == json(String(buffer: VarlinkError.permissionDenied.encoded).dropNul))
            #expect(try await peer.receive() == nil)
        }
    }

    @Test("calls of a peer that has gone meanwhile are processed, and then its end is reported")
    func gone() async throws {
        let account = ByteAccount(limit: 1000)
        try await TestServer.run(account: account, isHesitant: true) { test in
            let peer = try await SocketPeer(path: test.path)
            try await test.wait(for: .connected)
            try await peer.send(ping)
            try await peer.close()
            try await waitForClosing(test)
            try await test.onLoop { test.service.decide() }
            try await test.wait(for: .called("Ping"))
            try await test.wait(for: .disconnected)
            #expect(try await test.onLoop { account.balance } == 0)
        }
    }

    @Test("input read at its end is charged to the peer's account")
    func charged() async throws {
        let account = ByteAccount(limit: 1000)
        try await TestServer.run(account: account, isHesitant: true) { test in
            let peer = try await SocketPeer(path: test.path)
            try await test.wait(for: .connected)
            for _ in 0..<20 { try await peer.send(ping) }
            try await peer.stopSending()
            #expect(try await peer.receive()?.contains("org.example.TooMuch") == true)
            #expect(try await peer.receive() == nil)
        }
    }

    @Test("a shutdown does not wait for the decision")
    func shutdown() async throws {
        try await TestServer.run(isHesitant: true) { test in
            let peer = try await SocketPeer(path: test.path)
            try await test.wait(for: .connected)
            try await peer.send(ping)
            await test.server.shutdown(replying: VarlinkError(name: "org.example.Bye"), within: .milliseconds(10))
            #expect(try await peer.receive() == nil)
            try await test.onLoop { test.service.decide() }
        }
    }
}
