import HTTPTypes
import NIOCore
import NIOHTTPTypes
import Synchronization

/// Limits the connections of a server without refusing a request: when there is one too many, the connection that has
/// waited longest for a request is closed. A peer that opens idle connections displaces its own only.
final class ConnectionLimit: Sendable {
    private struct State {
        var count = 0
        /// The connections without a request in progress, the longest idle first.
        var waiting: [(id: ObjectIdentifier, channel: any Channel)] = []
    }

    private let maximum: Int
    private let state = Mutex(State())

    init(_ maximum: Int) { self.maximum = maximum }

    /// Adds a connection, which is idle at first. Another one may be closed for it.
    fileprivate func open(_ channel: any Channel) {
        let surplus = state.withLock { state -> (any Channel)? in
            state.count += 1
            state.waiting.append((ObjectIdentifier(channel), channel))
            guard state.count > maximum else { return nil }
            return state.waiting.removeFirst().channel
        }
        surplus?.close(promise: nil)
    }

    fileprivate func close(_ channel: any Channel) {
        state.withLock { state in
            state.count -= 1
            state.waiting.removeAll { $0.id == ObjectIdentifier(channel) }
        }
    }

    /// Marks a connection as busy once its request is complete, or as idle once the response is.
    fileprivate func set(_ channel: any Channel, isWaiting: Bool) {
        state.withLock { state in
            state.waiting.removeAll { $0.id == ObjectIdentifier(channel) }
            if isWaiting { state.waiting.append((ObjectIdentifier(channel), channel)) }
        }
    }
}

/// Reports a connection to a ``ConnectionLimit``.
final class ConnectionLimitHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let limit: ConnectionLimit
    private var isOpen = false

    init(_ limit: ConnectionLimit) { self.limit = limit }

    func channelActive(context: ChannelHandlerContext) {
        isOpen = true
        limit.open(context.channel)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        // Connections of other users are closed before they reach this handler.
        if isOpen { limit.close(context.channel) }
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .end = unwrapInboundIn(data) { limit.set(context.channel, isWaiting: false) }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { limit.set(context.channel, isWaiting: true) }
        context.write(data, promise: promise)
    }
}
