import NIOCore

/// Decides what happens next on a connection: which call is dispatched, what the server answers itself, when to close.
///
/// Replies leave in the order of the calls, so only one call is open at a time. What comes behind it is kept as it came,
/// and no further read (``wantsRead``) once that is a whole message: the rest waits in the kernel, and then in the peer. A
/// message is looked at when the connection has a turn, so that those of one peer that has many take turns with those of
/// others. Events change the state; ``next()`` then says what to do and is asked again until it says to wait.
struct ConnectionStateMachine {
    enum Action: Equatable {
        case wait
        /// Something is due to be looked at: report ``turn()`` when it is this connection's.
        case queue
        /// Give this call to whoever answers it, and report with ``answered(continues:)``.
        case dispatch(CallMessage)
        /// Answer a call that was never dispatched.
        case answer(VarlinkError)
        /// End the open stream, with this error if there is one.
        case endStream(VarlinkError?)
        case finish(Ending)
    }

    /// How a connection ends.
    struct Ending: Equatable {
        /// What is said before closing.
        enum LastWord: Equatable {
            case error(VarlinkError)
            case fault(ServerFault)
        }

        var lastWord: LastWord?
        /// For the log; `nil` if nothing is the matter.
        var reason: String?
    }

    /// What to do with a reply.
    enum Verdict: Equatable {
        case write
        /// Nobody waits for it: the call was made with `oneway`.
        case discard
        /// More than one reply to a call without `more`.
        case expectedMore
    }

    private enum State: Equatable {
        /// The service has not decided yet whether the peer may stay.
        case accepting
        case idle
        /// No more of the call than decides about its replies: this is looked at for each of a stream's.
        case answering(wantsMore: Bool, isOneway: Bool)
        case ended
    }

    private enum Turn {
        case notWanted, wanted, here
    }

    private let limits: ServerLimits
    private var state = State.accepting
    private var turn = Turn.notWanted
    private var input: ConnectionInput
    /// Those of the call that was dispatched last, which the session may look at until it is answered.
    private var openBytes = 0
    private var rejection: Ending?
    private var shutdownError: VarlinkError??
    /// Whether the peer has called, or is not waited for any more.
    private var isFirstCallOver = false

    /// Whether the peer has gone, and what it sent before is all there is left to do.
    private var isGone = false

    /// False while the peer does not read.
    var isWritable = true

    init(limits: ServerLimits) {
        self.limits = limits
        input = ConnectionInput(limit: limits.messageSize)
    }

    var isEnded: Bool { state == .ended }

    /// How much memory that takes which is not answered.
    var heldBytes: Int {
        if case .answering = state { input.byteCount + openBytes } else { input.byteCount }
    }

    /// False while the peer's bytes are better left in the kernel. After the end they are read and thrown away.
    var wantsRead: Bool {
        switch state {
        case .accepting: false
        case .idle: isWritable && !isStopping && (input.first == nil || !input.isMoreBehind)
        case .answering: isWritable && !isStopping && input.first == nil
        case .ended: true
        }
    }

    /// Whether the server shuts down and nothing more is taken in.
    private var isStopping: Bool { shutdownError.map { $0 == nil || isFirstCallOver } ?? false }

    /// The peer may stay.
    mutating func accepted() {
        if state == .accepting { state = .idle }
    }

    /// The peer may not stay, whatever it has sent.
    mutating func rejected(_ ending: Ending) {
        if state == .accepting { rejection = ending }
    }

    /// Bytes have come in.
    mutating func received(_ bytes: ByteBuffer) {
        // After the end they are still read, so that the peer can finish writing.
        guard state != .ended else { return }
        input.append(bytes)
        if input.first != nil { isFirstCallOver = true }
    }

    /// The peer will send nothing more, but may still read.
    mutating func inputClosed() {
        input.close()
    }

    /// It is this connection's turn.
    mutating func takeTurn() {
        turn = .here
    }

    /// A reply to the open call is to be written.
    mutating func answered(continues: Bool) -> Verdict {
        guard case .answering(let wantsMore, let isOneway) = state else { return .discard }
        if continues, !isOneway {
            if wantsMore { return .write }
            state = .idle
            return .expectedMore
        }
        state = .idle
        return isOneway ? .discard : .write
    }

    /// The server shuts down: streams end, waiting calls are answered with the error, the open call may finish. So is the
    /// first call of a peer that has just connected, until ``missedFirstCall()``: it is on its way.
    mutating func shutdown(_ error: VarlinkError?) {
        guard shutdownError == nil else { return }
        shutdownError = .some(error)
    }

    /// A peer that has not called by now is waited for no longer.
    mutating func missedFirstCall() {
        if shutdownError != nil { isFirstCallOver = true }
    }

    /// The time to shut down is over.
    ///
    /// - Returns: What is to be said to a peer that still waits for an answer.
    mutating func shutdownTimedOut() -> VarlinkError? {
        guard case .answering(_, isOneway: false) = state, isWritable, let error = shutdownError else { return nil }
        state = .ended
        return error
    }

    /// Ends it out of turn: what is said now answers the open call, and nothing that waits is answered.
    ///
    /// - Returns: false if it had ended before.
    mutating func abort() -> Bool {
        guard state != .ended else { return false }
        closed()
        return true
    }

    /// The peer has gone. The open call is cancelled, and nothing behind it counts any more. Where none is open, what it
    /// has sent is looked at all the same: a peer need not wait for an answer.
    mutating func disconnected() {
        isGone = true
        input.close()
        if case .answering = state { closed() }
    }

    mutating func closed() {
        state = .ended
        input.clear()
    }

    mutating func next() -> Action {
        switch state {
        case .ended:
            return .wait
        case .accepting:
            if let rejection { return finish(rejection) }
            return isStopping || isGone && input.first == nil ? finish(Ending()) : .wait
        case .answering(let wantsMore, let isOneway):
            if isGone { return finish(Ending()) }
            guard let shutdownError, wantsMore, !isOneway else { return .wait }
            state = .idle
            return .endStream(shutdownError)
        case .idle:
            return isWritable || isGone || shutdownError != nil ? nextOfInput() : .wait
        }
    }

    private mutating func nextOfInput() -> Action {
        guard input.first != nil, shutdownError != .some(nil) else {
            return input.isClosed || isStopping ? finish(Ending()) : .wait
        }
        switch turn {
        case .notWanted:
            turn = .wanted
            return .queue
        case .wanted:
            return .wait
        case .here:
            turn = .notWanted
            return lookAt(input.take())
        }
    }

    private mutating func lookAt(_ frame: FrameDecoder.Frame?) -> Action {
        switch frame {
        case .message(let message):
            do {
                let call = try CallMessage(message)
                if let shutdownError {
                    guard let error = shutdownError, !call.isOneway else { return next() }
                    return .answer(error)
                }
                state = .answering(wantsMore: call.wantsMore, isOneway: call.isOneway)
                openBytes = call.heldBytes
                return .dispatch(call)
            } catch {
                return finish(Ending(lastWord: .error(error), reason: CallMessage.reason(error)))
            }
        case .tooLong:
            return finish(
                Ending(
                    lastWord: .fault(.messageTooLong(limit: limits.messageSize)),
                    reason: "it sent a message that is too long"))
        case .incomplete:
            return finish(Ending(reason: "it stopped in the middle of a message"))
        case nil:
            return next()
        }
    }

    private mutating func finish(_ ending: Ending) -> Action {
        closed()
        return .finish(ending)
    }
}
