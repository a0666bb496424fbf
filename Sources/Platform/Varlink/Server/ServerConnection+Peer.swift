import NIOCore

/// Handles the actions of the peer.
extension ServerConnection {
    /// Handles the connection of the peer.
    func start() {
        core.opened(self)
        core.service.accept(self) { [self] in accepted($0) }
        advance()
    }

    /// Handles the service's decision to accept or reject the peer.
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

    /// Handles the end of a read.
    func readCompleted() {
        advance()
        guard share?.checkOverdraft() == true, machine.abort() else { return }
        cancelOpenCall()
        let limit = share?.limit ?? 0
        finish(.init(lastWord: .fault(.tooManyBytes(limit: limit)), reason: "it sends, and \(overdraftReason)"))
        advance()
    }

    /// Handles the connection's turn: the next message may be processed.
    func takeTurn() {
        machine.takeTurn()
        advance()
    }

    /// Handles the end of the peer's input; it may still read.
    func inputClosed() {
        closing.isInputClosed = true
        if closing.isLingering { return channel.close(promise: nil) }
        machine.inputClosed()
        advance()
    }

    func writabilityChanged() {
        machine.isWritable = channel.isWritable
        guard channel.isWritable else { return }
        openCall?.onWritable?()
        advance()
    }

    /// Handles the end of the connection. Messages received before are still processed, because a peer need not wait
    /// for answers.
    func disconnected() {
        isGone = true
        output.close()
        closing.deadline?.cancel()
        machine.disconnected()
        advance()
    }

    /// Charges the account for the memory that the connection holds now.
    func settle() {
        share?.set(machine.heldBytes + output.queuedBytes)
    }

    /// The log message for a connection that is closed because of that.
    var overdraftReason: String { "the connections of its user have more than \(share?.limit ?? 0) bytes held" }

    /// Decides whether the channel reads more.
    func read() {
        if machine.wantsRead {
            context.read()
        } else {
            isReadHeld = true
        }
    }
}
