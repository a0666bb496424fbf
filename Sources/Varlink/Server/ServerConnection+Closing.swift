import NIOCore

/// How a connection ends.
///
/// Closing a Unix socket at once would break the write of a peer that is still sending, before it could read why. So a
/// connection that ends with an error lingers: our side is shut down, what still comes is thrown away, and the end is the
/// peer's closing or a short deadline.
extension ServerConnection {
    func finish(_ ending: ConnectionStateMachine.Ending) {
        if let reason = ending.reason { log(reason) }
        if ending.error != nil {
            isLingering = !isInputClosed && core.linger()
            deadline = eventLoop.scheduleTask(in: limits.lingerTime) { [channel] in channel.close(promise: nil) }
        }
        let flushed = eventLoop.makePromise(of: Void.self)
        flushed.futureResult.whenComplete { [channel, isLingering] _ in
            channel.close(mode: isLingering ? .output : .all, promise: nil)
        }
        context.writeAndFlush(NIOAny(ending.error?.encoded ?? ByteBuffer()), promise: flushed)
    }
}
