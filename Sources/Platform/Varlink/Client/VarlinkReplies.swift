/// The replies to one call, as an asynchronous sequence.
///
/// Ends after the last reply; throws the ``VarlinkError`` of an error reply, and ``VarlinkConnectionError`` if the
/// connection breaks. Unless the stream decides which replies wait (``VarlinkClient/Keep``), the socket is read only
/// while the next reply is requested, so the service notices a slow reader and can skip outdated replies. Can be
/// iterated once. Cancelling the iterating task, or releasing the iterator before the end, closes the connection.
public struct VarlinkReplies<Element: Decodable & Sendable>: AsyncSequence, Sendable {
    private let stream: ReplyStream
    private let waiting: WaitingReplies<Element>?

    init(client: VarlinkClient, id: UInt64, waiting: WaitingReplies<Element>?) {
        stream = ReplyStream(client: client, id: id)
        self.waiting = waiting
    }

    /// The iterator; a second one would share the replies with the first.
    public func makeAsyncIterator() -> Iterator {
        Iterator(stream: stream, waiting: waiting, end: EndOfIteration(stream: stream))
    }

    /// Requests one reply at a time.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        fileprivate let stream: ReplyStream
        fileprivate let waiting: WaitingReplies<Element>?
        fileprivate let end: EndOfIteration

        /// The next reply, `nil` after the last.
        public mutating func next() async throws -> Element? {
            if let waiting { return try await stream.client.connection.nextReply(ofStream: stream.id, in: waiting) }
            guard let reply = try await stream.client.connection.nextReply(ofStream: stream.id) else { return nil }
            return try stream.client.decode(reply, as: Element.self)
        }
    }
}

/// An open stream. Closes the connection when its replies can no longer be requested.
private final class ReplyStream: Sendable {
    let client: VarlinkClient
    let id: UInt64

    init(client: VarlinkClient, id: UInt64) {
        self.client = client
        self.id = id
    }

    deinit { drop() }

    func drop() { client.connection.dropStream(id) }
}

/// Tied to the lifetime of an iterator, which may end before its sequence.
private final class EndOfIteration: Sendable {
    private let stream: ReplyStream

    init(stream: ReplyStream) {
        self.stream = stream
    }

    deinit { stream.drop() }
}
