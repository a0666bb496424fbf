import NIOCore
import Pacing

/// An event from outside, or an action that a part leaves to the core because it concerns other parts.
enum CoreAction {
    /// Take in an event that has come in between.
    case takeIn(() -> Void)
    /// Notify those concerned of a client's new authorization, which is in force already.
    case announceAuthorization(Client)
    /// Apply changes of use, which are in force already: the affected clients with the change for each, and the processes
    /// whose use has changed.
    case applyUse([(client: Client, change: UseTracker.Change?)], [PeerProcess])
    /// Ask the user to confirm a provisional *always*, because a location is due to a client that is not in use, by a subscription
    /// or for its conditions and visits.
    case askToConfirm(Client, Connection)
    /// Deliver the new reduced location of a client.
    case deliverReduced(client: String)
    /// Log that a client gets no reduced location.
    case reportFailedReduction(client: String, any Error)
    /// End a prompt that nobody has answered in time.
    case endUnanswered(OpenPrompt)
    /// Answer a request at the end of its time.
    case giveUp(LocationRequest)
    /// Discard a client if it has no state any more.
    case discardIfUnused(Client)
    /// Log the line about an undeclared peer of a user whose program could not be verified.
    case reportUnverified(String, userID: UInt32)
    /// Tell the service manager of the first location after a time without one.
    case announceLocation
    /// Need locations now for conditions and visits: one was added, or may be watched again.
    case wakeReceiver
    /// Count the need for locations again.
    case updateNeed
    /// Send followers of a rate the frame that was due at this time.
    case showFrame(Following, Int, due: NIODeadline)
    /// Start the program of a client, which has an event due and no stream open.
    case startProgram(Client)
    /// Save that a client, which a rule with a long interval limits, was given a location.
    case savePacedRelease(Client)
    /// End the access of a client if it is given no locations any more.
    case reviewCurrentAccess(CurrentAccess)
    /// Tell the managers that show a user, or with `nil` every user, that a part has changed.
    case tellManagers(ManagedPart, userID: UInt32?)
}

/// The one way into the core: takes in one event after the other, and performs the actions that its parts append.
///
/// An event is a call of a front end (``answer(_:)``), a report of the sources, evidence about a process, a result of the disk, or a timer
/// (``take(_:)``). A part does not call another one that may call it back: it appends actions, which are performed in their order before
/// the next event. So no part is entered while it is at work.
///
/// Confined to the event loop.
final class CoreQueue {
    let eventLoop: any EventLoop
    private var waiting = CircularBuffer<CoreAction>()
    /// True while an event is taken in. The first one is the creation of the core, which ends with ``start(_:)``.
    private(set) var isAtWork = true
    /// Performs an action: the core's.
    private var perform: (CoreAction) -> Void = { _ in }

    init(eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    /// Ends the creation of the core, and performs the actions that its parts have appended.
    func start(_ perform: @escaping (CoreAction) -> Void) {
        self.perform = perform
        end()
    }

    /// Takes in a call of a front end, and returns its result after what follows from it.
    ///
    /// The call must not come while another event is taken in: from inside the core a front end is only told, and calls back later. A
    /// nested call would perform the actions of the event that it interrupts in the middle of it, so the service stops instead.
    func answer<Value, Failure>(_ call: () throws(Failure) -> Value) throws(Failure) -> Value {
        precondition(!isAtWork, "a call has come in between")
        isAtWork = true
        defer { end() }
        return try call()
    }

    /// Takes in an event that has no result: now, or after the one that is being taken in and what follows from that. A front end
    /// may close the object of the event, and a source may report while its need is set.
    func take(_ event: @escaping () -> Void) {
        guard !isAtWork else { return waiting.append(.takeIn(event)) }
        isAtWork = true
        event()
        end()
    }

    /// Performs the actions that follow from an event.
    private func end() {
        while let action = waiting.popFirst() { perform(action) }
        isAtWork = false
    }

    /// Takes in a result of the disk.
    func take<Value>(_ future: EventLoopFuture<Value>, _ body: @escaping (Result<Value, any Error>) -> Void) {
        future.assumeIsolated().whenComplete { result in self.take { body(result) } }
    }

    /// Appends an action that follows from the event which is taken in.
    func append(_ action: CoreAction) {
        precondition(isAtWork, "an action follows from no event")
        waiting.append(action)
    }

    /// A timer whose firing is an event.
    func makeTimer(at deadline: NIODeadline, _ action: @escaping () -> Void) -> LoopTimer {
        eventLoop.makeTimer(at: deadline) { [weak self] in self?.take(action) }
    }

    /// A timer whose firing is an event.
    func makeTimer(in delay: TimeAmount, _ action: @escaping () -> Void) -> LoopTimer {
        makeTimer(at: eventLoop.now + delay, action)
    }
}
