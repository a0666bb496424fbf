package import LocationModel

// The core's view of a peer. Each front end (Varlink, D-Bus) implements these protocols, and the core does not know
// which one it is.

/// The receiving end of a subscription or of a request for a location.
package protocol Subscriber {
    /// False while the peer has not read earlier messages. Then nothing is sent, and it gets the newest state later.
    var isReady: Bool { get }

    /// False for a peer that keeps a position until it is to be sent, and says so then: ``Core/noteDelivery(of:to:)``.
    var sendsAtOnce: Bool { get }

    /// Sends a position, with the number of positions skipped before it because the peer did not read.
    func deliver(_ disclosure: Disclosure, skipped: Int?)

    /// Sends the reason for having no positions, with its cause and the number of skipped ones.
    func send(_ diagnostic: LocationDiagnostic, _ cause: LocationCause?, skipped: Int?)

    /// Sends the final error.
    func end(_ refusal: Refusal)
}

extension Subscriber {
    package var sendsAtOnce: Bool { true }
}

/// The receiving end of a client's own authorization.
package protocol AuthorizationObserver: AnyObject {
    /// False while the peer has not read earlier messages.
    var isReady: Bool { get }
    /// Sends the authorization.
    func send(_ status: AuthorizationReport)
    /// Sends the final error.
    func end(_ refusal: Refusal)
}

/// A program of the user that shows prompts and background activities.
package protocol PromptPresenter: AnyObject {
    /// Shows a prompt.
    func show(_ prompt: PromptReport)
    /// Removes a prompt.
    func withdraw(_ promptID: Int)
    /// Shows these background activities and no others.
    func show(_ activities: [ActivityReport])
    /// Shows that these permissions were reset, which it can undo. Only asked of agents that show everything.
    func show(_ resets: [ResetReport])
    /// Starts a unit of the user's service manager. Only asked of agents that show everything.
    func start(unit: String)
}

/// The receiving end of one background activity.
package protocol ActivityObserver: AnyObject {
    /// Reports whether the activity is shown to the user.
    func send(isShown: Bool)
    /// Sends the final error.
    func end(_ refusal: Refusal)
}
