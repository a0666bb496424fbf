import NIOCore

/// The receiving end of a stream that is read at once, whether its consumer waits or not. Event loop only.
protocol ReplySink: AnyObject, Sendable {
    /// False while so many replies wait that no more is read.
    var hasRoom: Bool { get }
    /// Takes the next reply.
    func receive(_ reply: ReplyMessage)
    /// Takes the end of the connection.
    func fail(_ error: any Error)
}

/// The replies of a stream that wait for their consumer. The stream decides which of them a newer one makes unnecessary.
///
/// `@unchecked Sendable` because it is confined to the event loop of its connection.
final class WaitingReplies<Reply: Decodable & Sendable>: ReplySink, @unchecked Sendable {
    typealias Keep = VarlinkClient.Keep<Reply>

    /// The number of waiting replies from which on no more is read.
    private static var most: Int { 256 }

    private let keep: Keep
    private let decode: @Sendable (ReplyMessage) throws -> Reply
    private var replies: [Reply] = []
    /// The end of the stream: an error, or the last reply.
    private var end: Result<Void, any Error>?
    private var consumer: EventLoopPromise<Reply?>?

    init(keep: @escaping Keep, decode: @escaping @Sendable (ReplyMessage) throws -> Reply) {
        (self.keep, self.decode) = (keep, decode)
    }

    var hasRoom: Bool { replies.count < Self.most }

    func receive(_ reply: ReplyMessage) {
        let next = Result { try decode(reply) }
        keep(&replies, next)
        switch next {
        case .success where reply.continues: break
        case .success: end = .success(())
        case .failure(let error): end = .failure(error)
        }
        deliver()
    }

    func fail(_ error: any Error) {
        guard end == nil else { return }
        end = .failure(error)
        deliver()
    }

    /// Passes the next reply to a consumer, now or when there is one; `nil` after the last. One at a time.
    func next(_ promise: EventLoopPromise<Reply?>) {
        precondition(consumer == nil, "two tasks wait for the same stream")
        consumer = promise
        deliver()
    }

    private func deliver() {
        guard let consumer, !replies.isEmpty || end != nil else { return }
        self.consumer = nil
        guard replies.isEmpty else { return consumer.succeed(replies.removeFirst()) }
        switch end {
        case .failure(let error):
            // Told once, as the error of a sequence is.
            end = .success(())
            consumer.fail(error)
        case .success, nil: consumer.succeed(nil)
        }
    }
}
