/// Decides what happens next on a connection: which call is dispatched, what the server answers itself, when to close.
///
/// Replies leave in the order of the calls, so only one call is open at a time and the others wait in a bounded queue.
/// Events change the state; ``next()`` then says what to do and is asked again until it says to wait.
struct ConnectionStateMachine {
    enum Action: Equatable {
        case wait
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
        /// Sent before closing.
        var error: VarlinkError?
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

    private let limits: ServerLimits
    private var state = State.accepting
    private var waiting: [CallMessage] = []
    private var waitingBytes = 0
    /// Those of the call that was dispatched last, which the session may look at until it is answered.
    private var openBytes = 0
    /// Set once nothing more is taken in: what to do when the waiting calls have been answered.
    private var ending: Ending?
    private var shutdownError: VarlinkError??
    private var hasBeenCalled = false

    /// False while the peer does not read.
    var isWritable = true

    init(limits: ServerLimits) {
        self.limits = limits
    }

    var isEnded: Bool { state == .ended }

    /// How much memory the calls take that are not answered.
    var heldBytes: Int {
        if case .answering = state { waitingBytes + openBytes } else { waitingBytes }
    }

    /// False while the peer's bytes are better left in the kernel. After the end they are read and thrown away.
    var wantsRead: Bool {
        switch state {
        case .ended: true
        case .accepting: false
        case .idle, .answering: ending == nil && isWritable && waitingBytes <= limits.messageSize
        }
    }

    /// Whether it is not known yet if the peer may stay. Nothing that it sends is to be decoded before.
    var isAccepting: Bool { state == .accepting }

    /// The peer may stay.
    mutating func accepted() {
        if state == .accepting { state = .idle }
    }

    /// The peer may not stay, whatever it has done meanwhile.
    mutating func rejected(_ ending: Ending) {
        guard state == .accepting else { return }
        state = .idle
        self.ending = ending
    }

    /// A call has come in.
    ///
    /// - Returns: false if it is one too many; the caller then reports ``refused(_:)``.
    mutating func received(_ call: CallMessage) -> Bool {
        guard ending == nil, state != .ended else { return true }
        if waiting.count >= limits.pipelinedCalls, state != .idle || !isWritable { return false }
        hasBeenCalled = true
        waiting.append(call)
        waitingBytes += call.heldBytes
        return true
    }

    /// Something that is not answered by a session: it ends the connection, but in its turn.
    mutating func refused(_ ending: Ending) {
        guard self.ending == nil else { return }
        self.ending = ending
    }

    /// The peer will send nothing more, but may still read.
    mutating func inputClosed() {
        refused(Ending())
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
        if hasBeenCalled || error == nil { refused(Ending()) }
    }

    /// A peer that has not called by now is waited for no longer.
    mutating func missedFirstCall() {
        if shutdownError != nil { refused(Ending()) }
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

    mutating func closed() {
        state = .ended
        waiting = []
        waitingBytes = 0
    }

    mutating func next() -> Action {
        switch state {
        case .ended:
            return .wait
        case .accepting:
            guard shutdownError != nil, let ending else { return .wait }
            state = .ended
            return .finish(ending)
        case .answering(let wantsMore, let isOneway):
            guard let shutdownError, wantsMore, !isOneway else { return .wait }
            state = .idle
            return .endStream(shutdownError)
        case .idle:
            if let shutdownError {
                return ending == nil && waiting.isEmpty && !hasBeenCalled ? .wait : nextOfShutdown(shutdownError)
            }
            guard isWritable else { return .wait }
            if let call = takeWaiting() {
                state = .answering(wantsMore: call.wantsMore, isOneway: call.isOneway)
                openBytes = call.heldBytes
                return .dispatch(call)
            }
            guard let ending else { return .wait }
            state = .ended
            return .finish(ending)
        }
    }

    private mutating func nextOfShutdown(_ error: VarlinkError?) -> Action {
        while let call = takeWaiting() {
            if let error, !call.isOneway { return .answer(error) }
        }
        state = .ended
        return .finish(ending ?? Ending())
    }

    private mutating func takeWaiting() -> CallMessage? {
        guard !waiting.isEmpty else { return nil }
        let call = waiting.removeFirst()
        waitingBytes -= call.heldBytes
        return call
    }
}
