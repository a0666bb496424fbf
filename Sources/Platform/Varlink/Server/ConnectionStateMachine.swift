import NIOCore

/// The state machine of a connection: which call to dispatch, what the server answers itself, when to close.
///
/// Replies leave in the order of the calls, so only one call is open at a time. Input behind it is kept undecoded, and
/// no more is read (``wantsRead``) once that is a whole message: the rest waits in the kernel, and then in the peer. A
/// message is processed in the connection's turn, so that a peer with many messages does not delay others. Events
/// change the state; ``next()`` then returns actions until it says to wait.
struct ConnectionStateMachine {
    enum Action: Equatable {
        case wait
        /// A message is due: call ``takeTurn()`` when it is this connection's turn.
        case queue
        /// Dispatch this call, and report its replies with ``answered(continues:)``.
        case dispatch(CallMessage)
        /// Answer a call that was never dispatched.
        case answer(VarlinkError)
        /// End the open stream, with this error if there is one.
        case endStream(VarlinkError?)
        case finish(Ending)
    }

    struct Ending: Equatable {
        /// The last message before closing.
        enum LastWord: Equatable {
            case error(VarlinkError)
            case fault(ServerFault)
        }

        var lastWord: LastWord?
        /// The reason for the log; `nil` for an ordinary end.
        var reason: String?
    }

    /// The handling of a reply.
    enum Outcome: Equatable {
        case write
        /// Nobody waits for it: the call was made with `oneway`.
        case discard
        /// More than one reply to a call without `more`.
        case expectedMore
    }

    private enum State: Equatable {
        /// The service has not accepted the peer yet.
        case accepting
        case idle
        /// Only the flags of the call that decide about its replies, because they are checked for each reply of a
        /// stream.
        case answering(wantsMore: Bool, isOneway: Bool)
        case ended
    }

    private enum Turn {
        case notWanted, wanted, here
    }

    private var state = State.accepting
    /// False while the peer does not read.
    var isWritable = true
    /// The limits in force when the connection was made.
    let limits: ServerLimits
    private var turn = Turn.notWanted
    private var input: ConnectionInput
    /// The size of the last dispatched call, which the session may read until it is answered.
    private var openBytes = 0
    private var rejection: Ending?
    /// The shutdown of the server; `nil` before it.
    private var currentShutdown: ServerShutdown?
    /// True once the peer has made a call, or is no longer waited for.
    private var isFirstCallOver = false

    /// True after the end of the connection, while previous input is still processed.
    private var isGone = false

    init(limits: ServerLimits) {
        self.limits = limits
        input = ConnectionInput(limit: limits.messageSize)
    }

    var isEnded: Bool { state == .ended }

    /// The approximate memory of unanswered messages.
    var heldBytes: Int {
        if case .answering = state { input.byteCount + openBytes } else { input.byteCount }
    }

    /// False while input is better left in the kernel. After the end, input is read and discarded.
    var wantsRead: Bool {
        switch state {
        case .accepting: false
        case .idle: isWritable && !isStopping && (input.first == nil || !input.isMoreBehind)
        case .answering: isWritable && !isStopping && input.first == nil
        case .ended: true
        }
    }

    /// True if the server shuts down and accepts no more calls.
    private var isStopping: Bool { currentShutdown.map { $0.error == nil || isFirstCallOver } ?? false }

    /// Handles the acceptance of the peer.
    mutating func accepted() {
        if state == .accepting { state = .idle }
    }

    /// Handles the rejection of the peer, whatever it has sent.
    mutating func rejected(_ ending: Ending) {
        if state == .accepting { rejection = ending }
    }

    /// Handles input.
    mutating func received(_ bytes: ByteBuffer) {
        // After the end, input is still read so that the peer can finish writing.
        guard state != .ended else { return }
        input.append(bytes)
        if input.first != nil { isFirstCallOver = true }
    }

    /// Handles the end of the peer's input; it may still read.
    mutating func inputClosed() {
        input.close()
    }

    /// Handles this connection's turn.
    mutating func takeTurn() {
        turn = .here
    }

    /// Handles a reply to the open call.
    mutating func answered(continues: Bool) -> Outcome {
        guard case .answering(let wantsMore, let isOneway) = state else { return .discard }
        if continues, !isOneway {
            if wantsMore { return .write }
            state = .idle
            return .expectedMore
        }
        state = .idle
        return isOneway ? .discard : .write
    }

    /// Handles the shutdown of the server: streams end, waiting calls are answered with the error, the open call may
    /// finish. So may the first call of a new connection, until ``missedFirstCall()``.
    mutating func shutdown(_ error: VarlinkError?) {
        guard currentShutdown == nil else { return }
        currentShutdown = ServerShutdown(error)
    }

    /// Stops waiting for the first call of the peer.
    mutating func missedFirstCall() {
        if currentShutdown != nil { isFirstCallOver = true }
    }

    /// Handles the end of the time for a shutdown.
    ///
    /// - Returns: the answer to a peer that still waits.
    mutating func shutdownTimedOut() -> VarlinkError? {
        guard case .answering(_, isOneway: false) = state, isWritable, let currentShutdown else { return nil }
        state = .ended
        return currentShutdown.error
    }

    /// Ends the connection out of turn: the last message answers the open call, and waiting calls stay unanswered.
    ///
    /// - Returns: false if it had ended before.
    mutating func abort() -> Bool {
        guard state != .ended else { return false }
        closed()
        return true
    }

    /// Handles the end of the connection. The open call is cancelled, and nothing behind it counts. Without an open
    /// call, previous input is still processed, because a peer need not wait for answers.
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
            guard let currentShutdown, wantsMore, !isOneway else { return .wait }
            state = .idle
            return .endStream(currentShutdown.error)
        case .idle:
            return isWritable || isGone || currentShutdown != nil ? nextOfInput() : .wait
        }
    }

    private mutating func nextOfInput() -> Action {
        guard input.first != nil, currentShutdown == nil || currentShutdown?.error != nil else {
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
                if let currentShutdown {
                    guard let error = currentShutdown.error, !call.isOneway else { return next() }
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
