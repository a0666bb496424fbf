package import LocationInterface
import LocationPolicy

// The core's view of a peer. Each front end (Varlink, D-Bus) implements these protocols, and the core does not know
// which one it is.

/// The receiving end of a subscription or of a request for a location.
package protocol Subscriber: AnyObject {
    /// False while the peer has not read earlier messages. Then nothing is sent, and it gets the newest state later.
    var isReady: Bool { get }

    /// Sends a position, with the number of positions skipped before it because the peer did not read.
    func deliver(_ disclosure: Disclosure, skipped: Int?)

    /// Sends the reason for having no positions, with the number of skipped ones.
    func tell(_ diagnostic: LocationInterface.Diagnostic, skipped: Int?)

    /// Sends a diagnostic with its cause. A protocol without a field for the cause omits it.
    func tell(_ diagnostic: LocationInterface.Diagnostic, _ cause: LocationInterface.Cause?, skipped: Int?)

    /// Sends the final error.
    func end(_ refusal: Refusal)
}

extension Subscriber {
    package func tell(_ diagnostic: LocationInterface.Diagnostic, _ cause: LocationInterface.Cause?, skipped: Int?) {
        tell(diagnostic, skipped: skipped)
    }
}

/// The receiving end of a client's own authorization.
package protocol AuthorizationObserver: AnyObject {
    /// False while the peer has not read earlier messages.
    var isReady: Bool { get }
    /// Sends the authorization.
    func tell(_ status: AuthorizationInterface.Status)
    /// Sends the final error.
    func end(_ refusal: Refusal)
}

/// A program of the user that shows prompts and background activities.
package protocol PromptPresenter: AnyObject {
    /// Shows a prompt.
    func show(_ prompt: AgentInterface.Prompt)
    /// Removes a prompt.
    func withdraw(_ promptID: Int)
    /// Shows these background activities and no others.
    func show(_ activities: [AgentInterface.Activity])
}

/// The receiving end of one background activity.
package protocol ActivityObserver: AnyObject {
    /// Reports whether the activity is shown to the user.
    func tell(isShown: Bool)
    /// Sends the final error.
    func end(_ refusal: Refusal)
}

/// The core's refusal of a call. The front end translates it to its protocol.
package enum Refusal: Error {
    /// An error of the `org.locationd.*` interfaces.
    case error(any InterfaceError)
    /// A parameter that is out of range, by name.
    case invalidParameter(String)
    /// The caller lacks permission.
    case permissionDenied

    /// A limit of the configuration or of the service is exceeded.
    package static func limitExceeded(_ limit: String, _ value: Int) -> Refusal {
        .error(LocationInterface.LimitExceeded(limit: limit, value: value))
    }

    /// Validates a number from a caller.
    static func check(_ value: Double?, _ name: String, _ isAllowed: (Double) -> Bool) throws(Refusal) {
        guard value.map(isAllowed) ?? true else { throw .invalidParameter(name) }
    }
}
