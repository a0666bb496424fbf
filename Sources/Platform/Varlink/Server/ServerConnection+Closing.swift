import NIOCore

/// Ends a connection in an orderly way.
///
/// Closing a Unix socket at once would break the write of a peer that is still sending, before it could read the error.
/// So a connection that ends with an error lingers: its write side is shut down, input is discarded, and it closes when
/// the peer does or after a short time.
extension ServerConnection {
    /// The progress of a connection towards its end.
    struct Closing {
        /// True after the end of the peer's input.
        var isInputClosed = false
        /// True while input is read and discarded, so that the peer can read the error.
        var isLingering = false
        /// Closes a connection that lingers too long.
        var deadline: Scheduled<Void>?
        /// True once the end was reported.
        var isForgotten = false
    }

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
            closing.isLingering = !closing.isInputClosed && core.linger()
            closing.deadline = eventLoop.scheduleTask(in: machine.limits.lingerTime) { [channel] in
                channel.close(promise: nil)
            }
        }
        let flushed = eventLoop.makePromise(of: Void.self)
        flushed.futureResult.whenComplete { [channel, closing] _ in
            channel.close(mode: closing.isLingering ? .output : .all, promise: nil)
        }
        context.writeAndFlush(NIOAny(error?.encoded ?? ByteBuffer()), promise: flushed)
    }

    /// Reports the end of the connection, once, when nothing is left to be done.
    func forget() {
        guard isGone, !closing.isForgotten else { return }
        closing.isForgotten = true
        cancelOpenCall()
        session?.disconnected()
        session = nil
        core.closed(self)
        share?.set(0)
        share = nil
    }
}
