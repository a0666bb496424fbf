import NIOCore

/// Ends a connection in an orderly way.
///
/// Closing a Unix socket at once would break the write of a peer that is still sending, before it could read the error.
/// So a connection that ends with an error lingers: its write side is shut down, input is discarded, and it closes when
/// the peer does or after a short deadline.
extension ServerConnection {
    func finish(_ ending: ConnectionStateMachine.Ending) {
        if let reason = ending.reason { log(reason) }
        if isGone { return }
        let error: VarlinkError? =
            switch ending.lastWord {
            case .error(let error): error
            case .fault(let fault): core.service.error(for: fault)
            case nil: nil
            }
        if error != nil {
            isLingering = !isInputClosed && core.linger()
            deadline = eventLoop.scheduleTask(in: limits.lingerTime) { [channel] in channel.close(promise: nil) }
        }
        let flushed = eventLoop.makePromise(of: Void.self)
        flushed.futureResult.whenComplete { [channel, isLingering] _ in
            channel.close(mode: isLingering ? .output : .all, promise: nil)
        }
        context.writeAndFlush(NIOAny(error?.encoded ?? ByteBuffer()), promise: flushed)
    }

    /// Reports the end of the connection, once, when nothing is left to be done.
    func forget() {
        guard isGone, !isForgotten else { return }
        isForgotten = true
        cancelOpenCall()
        session?.disconnected()
        session = nil
        core.closed(self)
        share?.set(0)
        share = nil
    }
}
