/// The replies to one call, as they come.
///
/// Ends after the reply that says no more follow; throws the ``VarlinkError`` of an error reply and
/// ``VarlinkConnectionError`` if the connection breaks. While nobody asks for the next reply nothing is read from the
/// socket, so the service sees a slow reader and can skip what is out of date. Can be iterated over once. Cancelling the
/// task that iterates, or letting go of the iterator before the end, closes the connection.
public struct VarlinkReplies<Element: Decodable & Sendable>: AsyncSequence, Sendable {
    private let stream: ReplyStream

    init(client: VarlinkClient, id: UInt64) {
        stream = ReplyStream(client: client, id: id)
    }

    /// The iterator; a second one would share the replies with the first.
    public func makeAsyncIterator() -> Iterator {
        Iterator(stream: stream, end: EndOfIteration(stream: stream))
    }

    /// Asks the connection for one reply at a time.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        fileprivate let stream: ReplyStream
        fileprivate let end: EndOfIteration

        /// The next reply, `nil` after the last.
        public mutating func next() async throws -> Element? {
            guard let reply = try await stream.client.connection.nextReply(ofStream: stream.id) else { return nil }
            return try stream.client.decode(reply, as: Element.self)
        }
    }
}

/// An open stream: closes the connection when nobody can ask for its replies any more.
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

/// Lives as long as an iterator, which may be shorter than its sequence does.
private final class EndOfIteration: Sendable {
    private let stream: ReplyStream

    init(stream: ReplyStream) {
        self.stream = stream
    }

    deinit { stream.drop() }
}
