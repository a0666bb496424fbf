import Glibc
import NIOCore
import NIOEmbedded
import NIOPosix
import TestSupport
import Testing

@testable import Varlink

struct Ping: Codable, Sendable { var ping: String }
struct Pong: Codable, Sendable { var pong: String }
struct Number: Codable, Sendable, Equatable { var number: Int }
struct To: Codable, Sendable { var to: Int }
struct Code: Codable, Sendable { var code: Int }

@Suite(.timeLimit(.minutes(10))) struct ClientTests {
    private let prefix = "org.example.Ping."

    @Test("calls return their replies")
    func roundTrip() async throws {
        try await TestServer.run { test in
            let client = try await VarlinkClient.connect(to: test.path)
            let pong = try await client.call(prefix + "Ping", Ping(ping: "é\u{0}\n"), returning: Pong.self)
            #expect(pong.pong == "é\u{0}\n")
            try await client.oneway(prefix + "Ping", Ping(ping: "x"))
            let error = await #expect(throws: VarlinkError.self) {
                try await client.call(prefix + "Fail", Code(code: 7))
            }
            #expect(try error?.parameters(as: Code.self).code == 7)
            #expect(error == VarlinkError(name: "org.example.Ping.Failed", parameters: Code(code: 7)))
            await client.close()
            await #expect(throws: VarlinkConnectionError(reason: .closed, path: test.path)) {
                try await client.call(prefix + "Ping", Ping(ping: "x"), returning: Pong.self)
            }
        }
    }

    @Test("replies of pipelined calls reach their tasks")
    func pipelinedRepliesReachTheirTasks() async throws {
        try await TestServer.run { test in
            let client = try await VarlinkClient.connect(to: test.path)
            try await withThrowingTaskGroup { group in
                for number in 0..<50 {
                    group.addTask {
                        let text = String(repeating: "\(number),", count: 200)
                        let pong = try await client.call(prefix + "Ping", Ping(ping: text), returning: Pong.self)
                        #expect(pong.pong == text)
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("a stream ends and the connection continues")
    func streamEndsAndConnectionContinues() async throws {
        try await TestServer.run { test in
            let client = try await VarlinkClient.connect(to: test.path)
            let replies = try await client.stream(prefix + "Count", To(to: 500), of: Number.self)
            async let pong = client.call(prefix + "Ping", Ping(ping: "after"), returning: Pong.self)
            var numbers: [Int] = []
            for try await reply in replies { numbers.append(reply.number) }
            #expect(numbers == Array(1...500))
            #expect(try await pong.pong == "after")
        }
    }

    @Test("a stream throws an error reply")
    func streamThrowsAnErrorReply() async throws {
        try await TestServer.run { test in
            let client = try await VarlinkClient.connect(to: test.path)
            var replies = try await client.stream(prefix + "No", of: Number.self).makeAsyncIterator()
            await #expect(throws: VarlinkError.methodNotFound(prefix + "No")) { try await replies.next() }
            #expect(try await replies.next() == nil)
        }
    }

    @Test(
        "a stream with a rule for waiting elements reads at once, and its consumer gets the kept ones, and then the end"
    )
    func kept() async throws {
        let waiting = WaitingReplies<Number>(
            keep: { waiting, next in waiting = (try? next.get()).map { [$0] } ?? [] },
            decode: { try $0.parameters(as: Number.self) })
        let loop = NIOAsyncTestingEventLoop()
        let id = try await loop.submit { () -> UInt64 in
            var queue = ClientQueue()
            let id = queue.addStream(to: waiting)
            for number in 1...5 {
                let text = #"{"parameters":{"number":\#(number)},"continues":\#(number < 5)}"#
                queue.received(try #require(ReplyMessage(ByteBuffer(string: text))))
                #expect(queue.wantsRead)
                guard case .toSink(let sink, let reply) = queue.next() else { return 0 }
                sink.receive(reply)
            }
            #expect(!queue.isOpen(stream: id))
            return id
        }.get()
        #expect(id == 1)
        func next() async throws -> Number? {
            let promise = loop.makePromise(of: Number?.self)
            try await loop.submit { waiting.next(promise) }.get()
            return try await promise.futureResult.get()
        }
        #expect(try await next() == Number(number: 5))
        #expect(try await next() == nil)

        try await TestServer.run { test in
            let client = try await VarlinkClient.connect(to: test.path)
            let all = try await client.stream(prefix + "Count", To(to: 500), of: Number.self) { waiting, next in
                if case .success(let next) = next { waiting.append(next) }
            }
            var numbers: [Int] = []
            for try await reply in all { numbers.append(reply.number) }
            #expect(numbers == Array(1...500))
            var replies = try await client.stream(prefix + "No", of: Number.self) { waiting, next in
                if case .success(let next) = next { waiting.append(next) }
            }.makeAsyncIterator()
            await #expect(throws: VarlinkError.methodNotFound(prefix + "No")) { try await replies.next() }
            #expect(try await replies.next() == nil)
        }
    }

    @Test("an error before any call is the answer to the first one, also after the connection has ended")
    func refused() throws {
        var queue = ClientQueue()
        let refusal = #"{"error":"org.example.Full","parameters":{}}"#
        queue.received(try #require(ReplyMessage(ByteBuffer(string: refusal))))
        guard case .wait = queue.next() else { throw AwaitedInVain("the wait for a call", because: "there is none") }
        #expect(queue.isRefused)
        queue.addCall(MultiThreadedEventLoopGroup.singleton.next().makePromise(of: ReplyMessage.self))
        guard case .toCall(let promise, let reply) = queue.next() else {
            throw AwaitedInVain("the answer", because: "there is none")
        }
        #expect(reply.error?.name == "org.example.Full")
        promise.succeed(reply)
        // A second one answers nothing.
        queue.received(reply)
        guard case .violation = queue.next() else { throw AwaitedInVain("an error", because: "there is none") }
    }

    @Test("cancelling the consumer closes the connection")
    func cancellingTheConsumerClosesTheConnection() async throws {
        try await TestServer.run { test in
            let client = try await VarlinkClient.connect(to: test.path)
            let replies = try await client.stream(prefix + "Forever", of: Number.self)
            // A task of its own, because cancelling it is what is tested.
            let consumer = Task { for try await _ in replies {} }
            try await test.wait(for: .called("Forever"))
            consumer.cancel()
            await #expect(throws: (any Error).self) { try await consumer.value }
            try await test.wait(for: .cancelled)
            try await test.wait(for: .disconnected)
        }
    }

    @Test("releasing the iterator closes the connection")
    func releasingIteratorClosesConnection() async throws {
        try await TestServer.run { test in
            let client = try await VarlinkClient.connect(to: test.path)
            let replies = try await client.stream(prefix + "Forever", of: Number.self)
            for try await reply in replies {
                #expect(reply.number == 0)
                break
            }
            try await test.wait(for: .disconnected)
            withExtendedLifetime((client, replies)) {}
        }
    }

    @Test("releasing the client closes the connection")
    func releasingClientClosesConnection() async throws {
        try await TestServer.run { test in
            _ = try await VarlinkClient.connect(to: test.path).call(
                prefix + "Ping", Ping(ping: "x"), returning: Pong.self)
            try await test.wait(for: .disconnected)
        }
    }

    @Test("the end of the server fails waiting calls")
    func endOfServerFailsWaitingCalls() async throws {
        try await TestServer.run { test in
            let client = try await VarlinkClient.connect(to: test.path)
            // A task of its own, because it waits for the events below.
            let held = Task { try await client.call(prefix + "Hold", returning: Pong.self) }
            try await test.wait(for: .called("Hold"))
            await test.server.shutdown(within: .milliseconds(1))
            let error = await #expect(throws: VarlinkConnectionError.self) { try await held.value }
            #expect(error?.reason == .closedByPeer)
        }
    }

    @Test("a failed connection has its reason")
    func failedConnectionHasReason() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/socket"
        await #expect(throws: VarlinkConnectionError(reason: .noSuchFile, path: path)) {
            try await VarlinkClient.connect(to: path)
        }
        let (file, descriptor) = try SocketFile.bind(path: path, mode: 0o600)
        await #expect(throws: VarlinkConnectionError(reason: .refused, path: path)) {
            try await VarlinkClient.connect(to: path)
        }
        Glibc.close(descriptor)
        file.remove()
        let long = path + String(repeating: "x", count: 108)
        await #expect(throws: VarlinkConnectionError(reason: .pathTooLong, path: long)) {
            try await VarlinkClient.connect(to: long)
        }
        #expect(VarlinkConnectionError.Reason(errno: EACCES) == .permissionDenied)
    }
}
