import NIOCore

/// The client's side of one connection.
///
/// `@unchecked Sendable` because its mutable state is confined to the event loop; the `async` methods hop there.
final class ClientConnection: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = FrameDecoder.Frame
    typealias OutboundOut = ByteBuffer

    private let path: String
    private let eventLoop: any EventLoop
    private var context: ChannelHandlerContext?
    private var queue = ClientQueue()
    private var isReading = false
    private var isAnswered = false
    private var failure: VarlinkConnectionError?

    init(path: String, eventLoop: any EventLoop) {
        self.path = path
        self.eventLoop = eventLoop
    }

    /// Sends a call and waits for its reply. A cancelled task stops waiting, and the reply is discarded.
    func call(_ bytes: ByteBuffer) async throws -> ReplyMessage {
        try await result { [self] promise in
            if let failure, !queue.isRefused { return promise.fail(failure) }
            queue.addCall(promise)
            send(bytes)
            deliver()
        }
    }

    /// Waits for a result that is promised to `begin`, on the event loop. `onCancel` follows when
    /// a cancelled task has stopped waiting.
    private func result<Value: Sendable>(
        _ begin: @escaping @Sendable (EventLoopPromise<Value>) -> Void, onCancel: @Sendable () -> Void = {}
    ) async throws -> Value {
        let promise = eventLoop.makePromise(of: Value.self)
        eventLoop.execute { begin(promise) }
        return try await withTaskCancellationHandler {
            try await promise.futureResult.get()
        } onCancel: {
            promise.fail(CancellationError())
            onCancel()
        }
    }

    /// Sends a call without a reply.
    func oneway(_ bytes: ByteBuffer) async throws {
        try await eventLoop.submit { try self.sendUnlessFailed(bytes) }.get()
    }

    /// Sends a call that is answered by a stream, whose replies go to `sink` or, without one, to who waits for them.
    func stream(_ bytes: ByteBuffer, to sink: (any ReplySink)? = nil) async throws -> UInt64 {
        try await eventLoop.submit {
            try self.sendUnlessFailed(bytes)
            let id = self.queue.addStream(to: sink)
            self.deliver()
            return id
        }.get()
    }

    /// The next reply of the stream of a sink, or `nil` after its last. Cancelling the task closes the connection.
    func nextReply<Reply>(ofStream id: UInt64, in waiting: WaitingReplies<Reply>) async throws -> Reply? {
        try await result { [self] promise in
            waiting.next(promise)
            readIfWanted()
        } onCancel: {
            dropStream(id)
        }
    }

    /// The next reply of a stream, or `nil` after its last. Cancelling the task closes the connection.
    func nextReply(ofStream id: UInt64) async throws -> ReplyMessage? {
        try await result { [self] in
            wait(forStream: id, $0)
        } onCancel: {
            dropStream(id)
        }
    }

    /// Abandons a stream. The connection is closed unless the stream has ended, because there is no other way to inform
    /// the service.
    func dropStream(_ id: UInt64) {
        eventLoop.execute {
            if self.queue.isOpen(stream: id) { self.fail(.closed) }
        }
    }

    /// Closes the connection; waiting calls fail with this reason.
    func close(_ reason: VarlinkConnectionError.Reason = .closed) {
        eventLoop.execute { self.fail(reason) }
    }

    /// True once a reply has been received.
    func hasAnswer() async -> Bool {
        // A connection whose event loop has ended gets no answer any more.
        (try? await eventLoop.submit { self.isAnswered }.get()) ?? false
    }

    private func sendUnlessFailed(_ bytes: ByteBuffer) throws {
        if let failure, !queue.isRefused { throw failure }
        send(bytes)
    }

    private func send(_ bytes: ByteBuffer) {
        context?.writeAndFlush(NIOAny(bytes), promise: nil)
        readIfWanted()
    }

    private func wait(forStream id: UInt64, _ promise: EventLoopPromise<ReplyMessage?>) {
        guard queue.isOpen(stream: id) else { return promise.succeed(nil) }
        if let failure, !queue.hasReply(forStream: id) { return promise.fail(failure) }
        queue.wait(forStream: id, promise)
        deliver()
    }

    private func deliver() {
        while true {
            switch queue.next() {
            case .wait: return readIfWanted()
            case .toCall(let promise, let reply): promise.succeed(reply)
            case .toStream(let promise, let reply): promise.succeed(reply)
            case .toSink(let sink, let reply): sink.receive(reply)
            case .violation: return fail(.protocolViolation("a reply that answers no call"))
            }
        }
    }

    private func readIfWanted() {
        guard queue.wantsRead, !isReading, let context else { return }
        isReading = true
        context.read()
    }

    /// Records why the connection fails, and closes it.
    private func fail(_ reason: VarlinkConnectionError.Reason) {
        fail(VarlinkConnectionError(reason: reason, path: path))
        context?.close(promise: nil)
    }

    /// Records the first failure only.
    private func fail(_ error: VarlinkConnectionError) {
        guard failure == nil else { return }
        failure = error
        queue.fail(error)
    }
}

extension ClientConnection {
    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .message(let message):
            isAnswered = true
            guard let reply = ReplyMessage(message) else { return fail(.protocolViolation("not a reply")) }
            queue.received(reply)
            deliver()
        case .tooLong: fail(.protocolViolation("a reply that is too long"))
        case .incomplete: break
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        isReading = false
        readIfWanted()
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(VarlinkConnectionError(reason: .closedByPeer, path: path))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(VarlinkConnectionError(error, path: path))
        context.close(promise: nil)
    }
}
