import TextSupport
import Logging
import NIOCore

/// Performs the actions of the state machine.
extension ServerConnection {
    /// Performs actions until the state machine says to wait. Replies given meanwhile are handled by the same loop.
    func advance() {
        guard !isAdvancing else { return }
        isAdvancing = true
        defer { isAdvancing = false }
        while perform(machine.next()) {}
        if isGone, machine.isEnded { return forget() }
        settle()
        if isReadHeld, !isGone, machine.wantsRead {
            isReadHeld = false
            context.read()
        }
    }

    private func perform(_ action: ConnectionStateMachine.Action) -> Bool {
        switch action {
        case .wait: return false
        case .queue: core.queue(self)
        case .dispatch(let message): dispatch(message)
        case .answer(let error): write(error.encoded)
        case .endStream(let error):
            if let error { write(error.encoded) }
            cancelOpenCall()
        case .finish(let ending): finish(ending)
        }
        return true
    }

    private func dispatch(_ message: CallMessage) {
        do {
            switch try core.directory.route(message) {
            case .reply(let reply):
                answer(reply.buffer)
            case .session:
                callNumber += 1
                let call = ServerCall(message, number: callNumber, on: self)
                openCall = OpenCall(number: callNumber, call: ObjectIdentifier(call))
                session?.receive(call)
            }
        } catch {
            answer(error.encoded)
        }
    }

    /// Answers the dispatched call by the server itself.
    private func answer(_ bytes: ByteBuffer) {
        if machine.answered(continues: false) == .write { write(bytes) }
    }

    /// True while a call awaits its last reply.
    func isOpen(_ call: ServerCall) -> Bool {
        eventLoop.preconditionInEventLoop()
        return openCall?.call == ObjectIdentifier(call)
    }

    /// True if a call is open and the peer has read all previous replies.
    func isWritable(for call: ServerCall) -> Bool { isOpen(call) && machine.isWritable }

    /// Ends the open call without a last reply, if there is one.
    func cancelOpenCall() {
        let cancelled = openCall
        openCall = nil
        cancelled?.onCancel?()
    }

    /// Writes a reply to a call, if it is open.
    func reply(_ bytes: ByteBuffer, continues: Bool, to call: ServerCall) {
        guard isOpen(call) else { return }
        let outcome = machine.answered(continues: continues)
        switch outcome {
        case .write: write(bytes)
        case .expectedMore: write(VarlinkError.expectedMore.encoded)
        case .discard: break
        }
        if continues, outcome == .write {
            if !machine.isWritable { checkUnread() }
        } else {
            openCall = nil
            call.answered()
            advance()
        }
    }

    private func write(_ bytes: ByteBuffer) {
        guard !isGone, let rest = output.write(bytes) else { return }
        let written = eventLoop.makePromise(of: Void.self)
        let count = rest.readableBytes
        written.futureResult.assumeIsolated().whenComplete {
            self.output.queueEnded(count, $0)
            self.settle()
        }
        context.writeAndFlush(NIOAny(rest), promise: written)
        settle()
        if share?.checkOverdraft() == true { close(reason: "it does not read, and \(overdraftReason)") }
    }

    /// Closes the connection if its owner keeps writing although the peer does not read.
    private func checkUnread() {
        let unread = (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        if unread > machine.limits.unreadBytes { close(reason: "it does not read: \(unread) bytes are waiting") }
    }

    /// Handles a call that was released without an answer.
    func dropped(callNumber: UInt64, method: String, isOneway: Bool) {
        guard callNumber == openCall?.number, !machine.isEnded else { return }
        openCall = nil
        if !isOneway { core.logger.error("A call of \(LogText(method)) was dropped without an answer") }
        answer(core.service.error(for: .callDropped(method: method)).encoded)
        advance()
    }

    func replyNotEncodable(_ error: any Error, method: String) -> VarlinkError {
        core.logger.error("The reply to \(LogText(method)) cannot be encoded: \(error)")
        return core.service.error(for: .replyNotEncodable(method: method))
    }

    /// Starts the shutdown of the server.
    func shutdown(_ error: VarlinkError?) {
        machine.shutdown(error)
        advance()
    }

    /// Ends the wait for the first call during a shutdown.
    func missedFirstCall() {
        machine.missedFirstCall()
        advance()
    }

    /// Ends the wait for everything during a shutdown.
    func shutdownTimedOut() {
        if let error = machine.shutdownTimedOut() { write(error.encoded) }
        if isGone { machine.closed() }
        advance()
        close(reason: "its calls or replies outlasted the time to shut down")
    }
}
