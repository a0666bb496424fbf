import LocationPolicy
import LocationStore
import NIOCore

/// An action that a part leaves to the core, because it concerns other parts.
enum CoreAction {
    /// Notify those concerned of a client's new authorization, which is in force already.
    case announceAuthorization(Client)
    /// Apply changes of use, which are in force already: the affected clients with the change for each, and the processes
    /// whose use has changed.
    case applyUse([(client: Client, change: UseTracker.Change?)], [PeerProcess])
    /// Ask the user to confirm a provisional *always*, because a location is due to a client that is not in use.
    case askToConfirm(Subscription)
    /// Deliver the new reduced location of a client.
    case deliverReduced(client: String)
    /// Log that a client gets no reduced location.
    case reportFailedReduction(client: String, any Error)
    /// End a prompt that nobody has answered in time.
    case endUnanswered(OpenPrompt)
    /// Discard a client if it has no state any more.
    case discardIfUnused(Client)
    /// Log the line about an undeclared peer of a user whose program could not be verified.
    case reportUnverified(String, userID: UInt32)
    /// Tell the service manager of the first location after a time without one.
    case announceLocation
    /// Ask the user to confirm a provisional *always*, because a location is due to what a client has watched.
    case askToConfirmWatching(WatchStream)
    /// Need locations now for what is watched: something was added, or may be watched again.
    case wakeReceiver
    /// Count the need for locations again.
    case updateNeed
    /// Start the program of a client, which has an event due and no stream open.
    case startProgram(Client)
    /// Save that a client, which a rule with a long interval limits, was given a location.
    case savePacedRelease(Client)
    /// Adopt the content of a database that took the place of the open one.
    case adopt(DecisionStore.StoredState, StoreOpening)
}

/// The actions that the parts of the core have left to it, in their order.
///
/// A part does not call another one that may call it back: it appends actions, and the core performs them when the part has
/// finished. So no part is entered while it is at work.
///
/// Confined to the event loop.
final class CoreActions {
    private var waiting = CircularBuffer<CoreAction>()
    /// The number of parts at work, the core's own performance of actions included.
    private var depth = 0
    /// Performs an action. Set by the core before anything happens.
    var perform: (CoreAction) -> Void = { _ in }

    /// Appends an action, which is performed when no part is at work.
    func append(_ action: CoreAction) {
        waiting.append(action)
        performIfIdle()
    }

    /// Performs no actions before the end of `body`, in which a part is at work.
    func deferring<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        depth += 1
        defer {
            depth -= 1
            performIfIdle()
        }
        return try body()
    }

    private func performIfIdle() {
        guard depth == 0, !waiting.isEmpty else { return }
        depth = 1
        while let action = waiting.popFirst() { perform(action) }
        depth = 0
    }
}
