import NIOCore

/// Matches replies to calls by their order, and decides when to read.
///
/// The reply to a call is read at once, and so are those of a stream with a sink. Another stream is read only while its consumer
/// waits for the next reply: otherwise replies stay in the kernel, and the service notices the slow reader.
struct ClientQueue {
    private enum Entry {
        case call(EventLoopPromise<ReplyMessage>)
        case stream(id: UInt64, sink: (any ReplySink)?)
    }

    enum Delivery {
        case wait
        case toCall(EventLoopPromise<ReplyMessage>, ReplyMessage)
        case toStream(EventLoopPromise<ReplyMessage?>, ReplyMessage)
        case toSink(any ReplySink, ReplyMessage)
        /// A reply without a call, or a second reply to a call.
        case violation
    }

    private var entries = CircularBuffer<Entry>()
    /// Replies that arrived together with a wanted one and are not wanted yet.
    private var replies = CircularBuffer<ReplyMessage>()
    /// The consumer that waits for the next reply of a stream.
    private var consumer: (id: UInt64, promise: EventLoopPromise<ReplyMessage?>)?
    private var lastStream: UInt64 = 0
    /// True once there was a call.
    private var hasCalled = false

    /// True if the service has refused the connection: by an error before any call, which then is the answer to the first.
    var isRefused: Bool { !hasCalled && replies.first?.error != nil }

    var wantsRead: Bool {
        switch entries.first {
        case nil: false
        case .call: true
        case .stream(_, let sink?): sink.hasRoom
        case .stream(let id, nil): consumer?.id == id
        }
    }

    mutating func addCall(_ promise: EventLoopPromise<ReplyMessage>) {
        hasCalled = true
        entries.append(.call(promise))
    }

    /// Adds a stream, whose replies go to `sink` or, without one, to who waits for them.
    mutating func addStream(to sink: (any ReplySink)?) -> UInt64 {
        hasCalled = true
        lastStream += 1
        entries.append(.stream(id: lastStream, sink: sink))
        return lastStream
    }

    /// True until the stream's last reply has been delivered.
    func isOpen(stream id: UInt64) -> Bool {
        entries.contains { if case .stream(id, _) = $0 { true } else { false } }
    }

    /// Registers the consumer of an open stream; one at a time.
    mutating func wait(forStream id: UInt64, _ promise: EventLoopPromise<ReplyMessage?>) {
        precondition(consumer == nil, "two tasks wait for the same stream")
        consumer = (id, promise)
    }

    mutating func received(_ reply: ReplyMessage) {
        replies.append(reply)
    }

    /// The next delivery. Call it until it says to wait.
    mutating func next() -> Delivery {
        guard let reply = replies.first else { return .wait }
        switch entries.first {
        case nil:
            return isRefused ? .wait : .violation
        case .call(let promise):
            guard !reply.continues else { return .violation }
            entries.removeFirst()
            replies.removeFirst()
            return .toCall(promise, reply)
        case .stream(_, let sink?):
            replies.removeFirst()
            if !reply.continues { entries.removeFirst() }
            return .toSink(sink, reply)
        case .stream(let id, nil):
            guard let consumer, consumer.id == id else { return .wait }
            self.consumer = nil
            replies.removeFirst()
            if !reply.continues { entries.removeFirst() }
            return .toStream(consumer.promise, reply)
        }
    }

    /// Fails all waiting calls after the end of the connection. Received replies of a stream are kept.
    mutating func fail(_ error: any Error) {
        for case .call(let promise) in entries { promise.fail(error) }
        entries.removeAll { if case .call = $0 { true } else { false } }
        consumer?.promise.fail(error)
        consumer = nil
        for case .stream(_, let sink?) in entries { sink.fail(error) }
    }

    /// True if a reply of this stream has been received.
    func hasReply(forStream id: UInt64) -> Bool {
        guard case .stream(id, _) = entries.first else { return false }
        return !replies.isEmpty
    }
}
