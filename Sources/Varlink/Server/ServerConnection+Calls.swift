import Logging
import NIOCore

/// What is done about the calls.
extension ServerConnection {
    /// Does what the state machine says until it says to wait. Answers given on the way are picked up by the same loop.
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
            openCall?.cancel()
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
                openCall = call
                session?.receive(call)
            }
        } catch {
            answer(error.encoded)
        }
    }

    /// The server's own answer to the call that was just dispatched.
    private func answer(_ bytes: ByteBuffer) {
        if machine.answered(continues: false) == .write { write(bytes) }
    }

    /// A reply to the open call.
    func write(_ bytes: ByteBuffer, continues: Bool, for call: ServerCall) {
        let verdict = machine.answered(continues: continues)
        switch verdict {
        case .write: write(bytes)
        case .expectedMore: write(VarlinkError.expectedMore.encoded)
        case .discard: break
        }
        if continues, verdict == .write {
            if !machine.isWritable { checkUnread() }
        } else {
            call.close()
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
        if share?.isToBlame() == true { close(reason: "it does not read, and \(tooMuch)") }
    }

    /// Nobody reads, and the owner of the stream writes on.
    private func checkUnread() {
        let unread = (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        if unread > limits.unreadBytes { close(reason: "it does not read: \(unread) bytes are waiting") }
    }

    /// A call was let go without an answer.
    func dropped(callNumber: UInt64, method: String, isOneway: Bool) {
        guard callNumber == self.callNumber, !machine.isEnded else { return }
        if !isOneway { core.logger.error("A call of \(LogText(method)) was dropped without an answer") }
        answer(core.service.error(for: .callDropped(method: method)).encoded)
        advance()
    }

    func replyNotEncodable(_ error: any Error, method: String) -> VarlinkError {
        core.logger.error("The reply to \(LogText(method)) cannot be encoded: \(error)")
        return core.service.error(for: .replyNotEncodable(method: method))
    }

    /// The server shuts down.
    func shutdown(_ error: VarlinkError?) {
        machine.shutdown(error)
        advance()
    }

    /// The server has waited long enough for the first call.
    func missedFirstCall() {
        machine.missedFirstCall()
        advance()
    }

    /// The server has waited long enough for everything.
    func shutdownTimedOut() {
        if let error = machine.shutdownTimedOut() { write(error.encoded) }
        if isGone { machine.closed() }
        advance()
        close(reason: "its calls or replies outlasted the time to shut down")
    }
}
