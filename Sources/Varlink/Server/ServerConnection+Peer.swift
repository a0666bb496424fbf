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
            guard !machine.isEnded else { return session.disconnected() }
            self.session = session
            machine.accepted()
        case .failure(let error):
            machine.rejected(.init(lastWord: .error(error), reason: "it was refused with \(error)"))
        }
        advance()
    }

    /// All that there was to read has been read.
    func readCompleted() {
        advance()
        guard share?.isToBlame() == true, machine.abort() else { return }
        openCall?.cancel()
        let limit = share?.limit ?? 0
        finish(.init(lastWord: .fault(.tooManyBytes(limit: limit)), reason: "it sends, and \(tooMuch)"))
        advance()
    }

    /// What was looked at next has its turn.
    func takeTurn() {
        machine.takeTurn()
        advance()
    }

    /// It will send nothing more, but may still read.
    func inputClosed() {
        isInputClosed = true
        if isLingering { return channel.close(promise: nil) }
        machine.inputClosed()
        advance()
    }

    func writabilityChanged() {
        machine.isWritable = channel.isWritable
        guard channel.isWritable else { return }
        openCall?.onWritable?()
        advance()
    }

    /// It is gone. What it sent before is looked at in its turn, for it may have said what it wanted and left.
    func disconnected() {
        isGone = true
        output.close()
        deadline?.cancel()
        machine.disconnected()
        advance()
    }

    /// Charges its account with what it has held now.
    func settle() {
        share?.set(machine.heldBytes + output.queuedBytes)
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
