import Dispatch
import Glibc
import Logging
import NIOCore
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import Varlink

@Suite(.timeLimit(.minutes(10))) struct ServerTests {
    private let prefix = "org.example.Ping."
    private let hold = #"{"method":"org.example.Ping.Hold"}"# + "\0"
    private let held = #"{"parameters":{"held":"released"}}"#
    private let forever = #"{"method":"org.example.Ping.Forever","more":true}"# + "\0"
    private let bye = #"{"error":"org.example.Bye","parameters":{}}"#
    private let first = #"{"parameters":{"number":0},"continues":true}"#

    @Test("a peer that is refused can read the error")
    func refusedPeerCanReadError() async throws {
        try await TestServer.run(refusal: .permissionDenied) { test in
            let peer = try await SocketPeer(path: test.path)
            #expect(
                try await json(peer.receive()) == json(String(buffer: VarlinkError.permissionDenied.encoded).dropNul))
            // The server's write side is shut down, but a peer in the middle of sending can finish.
            try await peer.send(ByteBuffer(string: hold))
            #expect(try await peer.receive() == nil)
            #expect(test.log.lines.count == 1)
        }
    }

    /// While a call is open and another waits, further input stays in the kernel.
    @Test("a peer that does not wait for answers gets all of them")
    func pipeliningPeerGetsAllAnswers() async throws {
        try await TestServer.run { test in
            let peer = try await SocketPeer(path: test.path)
            try await peer.send(ByteBuffer(string: hold))
            try await test.wait(for: .called("Hold"))
            let pings = (0..<500).map { #"{"method":"\#(prefix)Ping","parameters":{"ping":"\#($0)"}}"# + "\0" }
            try await peer.send(ByteBuffer(string: pings.joined()))
            let held = try await test.onLoop { test.service.connection?.machine.heldBytes } ?? 0
            // The content of one read: four buffers.
            #expect((1..<5000).contains(held))
            try await test.onLoop { test.service.release() }
            #expect(try await json(peer.receive()) == json(self.held))
            for number in 0..<500 {
                #expect(try await json(peer.receive()) == json(#"{"parameters":{"pong":"\#(number)"}}"#))
            }
            try await peer.close()
            try await test.wait(for: .disconnected)
            #expect(test.log.lines == [])
        }
    }

    @Test("the end of a peer that is not being read is noticed")
    func endOfUnreadPeerIsNoticed() async throws {
        try await TestServer.run { test in
            let peer = try await SocketPeer(path: test.path)
            try await peer.send(ByteBuffer(string: forever))
            #expect(try await json(peer.receive()) == json(first))
            try await test.wait(
                for: "a peer that is not read",
                after: { try await peer.send(ByteBuffer(string: String(repeating: hold, count: 100))) },
                until: { test.service.connection?.machine.wantsRead == false })
            try await peer.close()
            try await test.wait(for: .cancelled)
            try await test.wait(for: .disconnected)
        }
    }

    @Test("an incomplete message behind many calls ends the connection in its turn")
    func incompleteMessageBehindCallsEndsConnectionInTurn() async throws {
        try await TestServer.run { test in
            let peer = try await SocketPeer(path: test.path)
            let ping = #"{"method":"\#(prefix)Ping","parameters":{"ping":"x"}}"# + "\0"
            try await peer.send(ByteBuffer(string: hold + String(repeating: ping, count: 500) + "{\"meth"))
            try await peer.stopSending()
            try await test.wait(for: .called("Hold"))
            try await test.onLoop { test.service.release() }
            #expect(try await json(peer.receive()) == json(held))
            for _ in 0..<500 { #expect(try await json(peer.receive()) == json(#"{"parameters":{"pong":"x"}}"#)) }
            #expect(try await peer.receive() == nil)
            #expect(test.log.lines.count == 1)
            #expect(test.log.lines.first?.contains("in the middle of a message") == true)
        }
    }

    @Test("calls of a peer that has gone are processed")
    func messagesOfDepartedPeerAreProcessed() async throws {
        try await TestServer.run { test in
            let peer = try await SocketPeer(path: test.path)
            let oneway = #"{"method":"\#(prefix)Ping","parameters":{"ping":"x"},"oneway":true}"# + "\0"
            try await peer.send(ByteBuffer(string: oneway + oneway + hold + oneway))
            try await peer.close()
            var events: [PingService.Event] = []
            for await event in test.service.events {
                events.append(event)
                if event == .disconnected { break }
            }
            // The last one was behind a call that was cancelled because nobody waited for its answer.
            #expect(events == [.connected, .called("Ping"), .called("Ping"), .called("Hold"), .disconnected])
        }
    }

    @Test("a peer that has ended its input is answered")
    func peerWithEndedInputIsAnswered() async throws {
        try await TestServer.run { test in
            let peer = try await SocketPeer(path: test.path)
            try await peer.send(ByteBuffer(string: hold))
            try await peer.stopSending()
            try await test.wait(for: .called("Hold"))
            try await test.onLoop { test.service.release() }
            #expect(try await json(peer.receive()) == json(held))
            #expect(try await peer.receive() == nil)
            #expect(test.log.lines == [])
        }
    }

    /// While the server is busy, connections queue; non-blocking ones would fail if the queue were full.
    @Test("a thousand clients connect while the server is busy")
    func thousandClientsConnectToBusyServer() async throws {
        try await TestServer.run { test in
            let (busy, free) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            async let occupied: Void = test.onLoop {
                busy.signal()
                free.wait()
            }
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    busy.wait()
                    continuation.resume()
                }
            }
            let address = try UnixAddress(test.path)
            var descriptors: [CInt] = []
            for _ in 0..<1000 {
                let descriptor = try address.makeSocket()
                descriptors.append(descriptor)
                #expect(address.withSockaddr { connect(descriptor, $0, $1) } == 0)
            }
            free.signal()
            try await occupied
            for descriptor in descriptors { close(descriptor) }
            let peer = try await SocketPeer(path: test.path)
            try await peer.send(ByteBuffer(string: hold))
            try await test.wait(for: .called("Hold"))
            try await test.onLoop { test.service.release() }
            #expect(try await json(peer.receive()) == json(held))
        }
    }

    @Test("an incomplete message at the end is discarded")
    func incompleteFinalMessageIsDiscarded() async throws {
        try await TestServer.run { test in
            let peer = try await SocketPeer(path: test.path)
            try await peer.send(ByteBuffer(string: "{\"method"))
            try await peer.close()
            try await test.wait(for: .disconnected)
            #expect(test.log.lines.count == 1)
            #expect(test.log.lines.first?.contains("in the middle of a message") == true)
        }
    }

    @Test("a call ends with its connection")
    func callEndsWithConnection() async throws {
        try await TestServer.run { test in
            let peer = try await SocketPeer(path: test.path)
            try await peer.send(ByteBuffer(string: forever))
            #expect(try await json(peer.receive()) == json(first))
            try await peer.close()
            try await test.wait(for: .cancelled)
            try await test.wait(for: .disconnected)
            #expect(try await test.onLoop { test.service.endlessCall?.isWritable } == false)
        }
    }

    @Test("a shutdown ends streams with the error and lets calls finish")
    func shutdownEndsStreamsAndFinishesCalls() async throws {
        try await TestServer.run { test in
            let stream = try await SocketPeer(path: test.path)
            try await stream.send(ByteBuffer(string: forever + hold))
            #expect(try await json(stream.receive()) == json(first))
            let call = try await SocketPeer(path: test.path)
            try await call.send(ByteBuffer(string: hold))
            try await test.wait(for: .called("Hold"))
            async let ended: Void = test.server.shutdown(replying: VarlinkError(name: "org.example.Bye"))
            #expect(try await json(stream.receive()) == json(bye))
            #expect(try await json(stream.receive()) == json(bye))
            #expect(try await stream.receive() == nil)
            try await test.onLoop { test.service.release() }
            #expect(try await json(call.receive()) == json(held))
            #expect(try await call.receive() == nil)
            await ended
            try await test.server.run()
            #expect(access(test.path, F_OK) != 0)
        }
    }

    @Test("a shutdown answers clients that have just connected")
    func shutdownAnswersNewClients() async throws {
        var limits = ServerLimits()
        limits.firstCallTime = .minutes(1)
        try await TestServer.run(limits: limits) { test in
            let stream = try await SocketPeer(path: test.path)
            try await stream.send(ByteBuffer(string: forever))
            #expect(try await json(stream.receive()) == json(first))
            let fresh = try await SocketPeer(path: test.path)
            for _ in 0..<2 { try await test.wait(for: .connected) }
            async let ended: Void = test.server.shutdown(replying: VarlinkError(name: "org.example.Bye"))
            #expect(try await json(stream.receive()) == json(bye), "it has begun to end")
            try await fresh.send(ByteBuffer(string: hold))
            #expect(try await json(fresh.receive()) == json(bye))
            #expect(try await fresh.receive() == nil)
            await ended
        }
    }

    @Test("a shutdown does not wait for ever")
    func shutdownDoesNotWaitForEver() async throws {
        try await TestServer.run { test in
            let silent = try await SocketPeer(path: test.path)
            let open = try await SocketPeer(path: test.path)
            try await open.send(ByteBuffer(string: hold))
            try await test.wait(for: .called("Hold"))
            await test.server.shutdown(replying: VarlinkError(name: "org.example.Bye"), within: .milliseconds(1))
            #expect(try await silent.receive() == nil)
            #expect(try await json(open.receive()) == json(bye))
            #expect(try await open.receive() == nil)
        }
    }

    /// The owner of the stream keeps only the newest value while the peer does not read.
    @Test("a slow reader gets the newest value")
    func slowReaderGetsNewest() async throws {
        try await TestServer.run { test in
            let client = try await VarlinkClient.connect(to: test.path)
            var replies = try await client.stream(prefix + "Forever", of: Number.self).makeAsyncIterator()
            #expect(try await replies.next() == Number(number: 0))
            let publisher = Publisher()
            try await test.onLoop {
                guard let call = test.service.endlessCall, let connection = test.service.connection else { return }
                publisher.start(on: call, of: connection, last: 10_000)
            }
            var received: [Int] = []
            while let number = try await replies.next()?.number, number < 10_000 { received.append(number) }
            #expect(received == received.sorted())
            #expect(received.count < 100)
            #expect((1...4096).contains(publisher.maximumUnread))
        }
    }

    /// Replies that fit into the socket, fit partly, and have to queue, one behind the other.
    @Test("every reply arrives complete and in order")
    func repliesArriveCompleteAndInOrder() async throws {
        try await TestServer.run { test in
            let peer = try await SocketPeer(path: test.path)
            let long = String(repeating: "x", count: 30_000)
            let calls = (1...3).map { _ in
                #"{"method":"\#(prefix)Count","parameters":{"to":200},"more":true}"# + "\0"
                    + #"{"method":"\#(prefix)Ping","parameters":{"ping":"\#(long)"}}"# + "\0"
            }
            try await peer.send(ByteBuffer(string: calls.joined()))
            for _ in calls {
                for number in 1...200 {
                    let end = number < 200 ? #","continues":true}"# : "}"
                    #expect(try await json(peer.receive()) == json(#"{"parameters":{"number":\#(number)}"# + end))
                }
                #expect(try await json(peer.receive()) == json(#"{"parameters":{"pong":"\#(long)"}}"#))
            }
        }
    }

    @Test("a stream whose owner ignores back-pressure is closed")
    func streamIgnoringBackPressureIsClosed() async throws {
        var limits = ServerLimits()
        limits.unreadBytes = 10_000
        try await TestServer.run(limits: limits) { test in
            let peer = try await SocketPeer(path: test.path)
            try await peer.send(ByteBuffer(string: forever))
            #expect(try await json(peer.receive()) == json(first))
            try await test.onLoop {
                guard let call = test.service.endlessCall, let reply = try? EncodedReply(["number": 1], continues: true)
                else { return }
                for _ in 0..<10_000 { call.reply(reply) }
            }
            try await test.wait(for: .cancelled)
            try await test.wait(for: .disconnected)
            #expect(test.log.lines.count == 1)
            #expect(test.log.lines.first?.contains("does not read") == true)
        }
    }

    /// A peer that only writes: its replies and then its calls stay in the kernel.
    @Test("a peer that never reads is not read either")
    func nonReadingPeerIsNotRead() async throws {
        try await TestServer.run { test in
            let peer = try await SocketPeer(path: test.path)
            let call = #"{"method":"org.varlink.service.GetInfo"}"# + "\0"
            // Too many to be answered without reading; the send blocks on the full socket until the peer closes.
            async let sent: Void = peer.send(ByteBuffer(string: String(repeating: call, count: 50_000)))
            let other = try await VarlinkClient.connect(to: test.path)
            let pong = try await other.call(prefix + "Ping", Ping(ping: "x"), returning: Pong.self)
            #expect(pong.pong == "x")
            try await peer.close()
            try await sent
        }
    }

    @Test("only a stale socket is replaced")
    func replacesAStaleSocketOnly() async throws {
        try await TestServer.run { test in
            await #expect(throws: VarlinkServerError.alreadyListening(test.path)) {
                try await bind(test.path)
            }
            let directory = try TemporaryDirectory()
            let path = directory.path + "/socket"
            // Listening without the lock file, like another program.
            let address = try UnixAddress(path)
            let descriptor = try address.makeSocket()
            #expect(address.withSockaddr { Glibc.bind(descriptor, $0, $1) } == 0)
            #expect(listen(descriptor, 1) == 0)
            await #expect(throws: VarlinkServerError.alreadyListening(path)) { try await bind(path) }
            Glibc.close(descriptor)
            let server = try await bind(path)
            var status = stat()
            #expect(lstat(path, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o640)
            await server.shutdown()
            #expect(access(path, F_OK) != 0)
            #expect(access(path + ".lock", F_OK) != 0)
            let long = "/tmp/" + String(repeating: "x", count: 103)
            await #expect(throws: VarlinkServerError.pathTooLong(long)) { try await bind(long) }
            await #expect(throws: VarlinkServerError.notASocket(directory.path)) { try await bind(directory.path) }
        }
    }

    @Test("a passed listening socket is used")
    func takesAListeningDescriptor() async throws {
        let directory = try TemporaryDirectory()
        let (file, descriptor) = try SocketFile.bind(path: directory.path + "/socket", mode: 0o600)
        #expect(listen(descriptor, 1) == 0)
        let server = try await VarlinkServer.bind(
            PingService(), to: .descriptor(descriptor), on: MultiThreadedEventLoopGroup.singleton.next(),
            logger: LogRecorder().logger)
        let client = try await VarlinkClient.connect(to: directory.path + "/socket")
        #expect(try await client.call(prefix + "Ping", Ping(ping: "x"), returning: Pong.self).pong == "x")
        await server.shutdown()
        file.remove()
    }

    @discardableResult
    private func bind(_ path: String) async throws -> VarlinkServer {
        try await VarlinkServer.bind(
            PingService(), to: .path(path, mode: 0o640), on: MultiThreadedEventLoopGroup.singleton.next(),
            logger: LogRecorder().logger)
    }
}

/// A well-behaved owner of a stream: writes while the peer reads, and otherwise keeps only the newest number.
private final class Publisher: Sendable {
    private struct Reply: Encodable {
        let number: Int
        let padding = String(repeating: "x", count: 450)
    }

    private let unread = Mutex(0)
    /// The largest amount of unread bytes in the process.
    var maximumUnread: Int { unread.withLock { $0 } }

    func start(on call: ServerCall, of connection: ServerConnection, last: Int) {
        let send = { [weak call] (number: Int) in
            guard let reply = try? EncodedReply(Reply(number: number), continues: number < last) else { return }
            call?.reply(reply)
        }
        for number in 1..<last where call.isWritable {
            send(number)
            let waiting = (try? connection.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
            unread.withLock { $0 = max($0, waiting) }
        }
        // The peer has not read for long; skipped numbers are not repeated.
        call.onWritable = { send(last) }
    }
}

extension String {
    var dropNul: String { String(dropLast()) }
}
