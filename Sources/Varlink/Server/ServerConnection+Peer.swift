import NIOCore

/// What the peer does.
extension ServerConnection {
    /// It has connected.
    func start() {
        core.opened(self)
        core.service.accept(self) { [self] in accepted($0) }
        advance()
    }

    /// The service has decided.
    private func accepted(_ decision: Result<any VarlinkSession, VarlinkError>) {
        eventLoop.preconditionInEventLoop()
        switch decision {
        case .success(let session):
            guard !isGone else { return session.disconnected() }
            self.session = session
            machine.accepted()
        case .failure(let error):
            machine.rejected(.init(error: error, reason: "it was refused with \(error)"))
        }
        let frames = earlyFrames
        earlyFrames = []
        for frame in frames { received(frame) }
        if isInputClosed { machine.inputClosed() }
        advance()
    }

    func received(_ frame: FrameDecoder.Frame) {
        // After the end bytes are still read, so that the peer can finish writing, and thrown away.
        guard !machine.isEnded else { return }
        // When the channel closes, the decoder hears of it first and passes on what it still had.
        if !channel.isActive { output.close() }
        guard !machine.isAccepting else { return earlyFrames.append(frame) }
        switch frame {
        case .message(let message):
            received(message)
        case .tooLong:
            refuse(.messageTooLong(limit: limits.messageSize), "it sent a message that is too long")
        case .incomplete:
            machine.refused(.init(reason: "it stopped in the middle of a message"))
        }
        advance()
    }

    private func received(_ message: ByteBuffer) {
        do {
            guard !machine.received(try CallMessage(message)) else { return }
            refuse(
                .tooManyCalls(limit: limits.pipelinedCalls), "it sent too many calls at once")
        } catch {
            var reason = "it sent a message that is not a call"
            if case .string(let field) = error.parameters["parameter"] { reason += ": wrong \(field)" }
            machine.refused(.init(error: error, reason: reason))
        }
    }

    private func refuse(_ fault: ServerFault, _ reason: String) {
        machine.refused(.init(error: core.service.error(for: fault), reason: reason))
    }

    /// It will send nothing more, but may still read.
    func inputClosed() {
        isInputClosed = true
        if isLingering { return channel.close(promise: nil) }
        if !machine.isAccepting { machine.inputClosed() }
        advance()
    }

    func writabilityChanged() {
        machine.isWritable = channel.isWritable
        guard channel.isWritable else { return }
        openCall?.onWritable?()
        advance()
    }

    /// It is gone.
    func disconnected() {
        isGone = true
        earlyFrames = []
        output.close()
        machine.closed()
        deadline?.cancel()
        openCall?.cancel()
        session?.disconnected()
        session = nil
        core.closed(self)
        share?.set(0)
        share = nil
    }

    /// All that there was to read has been read.
    func settleInput() {
        settle()
        guard share?.isToBlame() == true, machine.abort() else { return }
        openCall?.cancel()
        let limit = share?.limit ?? 0
        finish(.init(error: core.service.error(for: .tooManyBytes(limit: limit)), reason: "it sends, and \(tooMuch)"))
        advance()
    }

    /// Charges its account with what it has held now.
    func settle() {
        share?.set(keptBytes + earlyBytes + machine.heldBytes + output.queuedBytes)
    }

    /// What is said of a connection that is ended for that.
    var tooMuch: String { "the connections of its user have more than \(share?.limit ?? 0) bytes held" }

    /// The channel asks whether to read.
    func read() {
        if machine.wantsRead {
            context.read()
        } else {
            isReadHeld = true
        }
    }
}
