import LocationInterface
import LocationPolicy

// The core's view of a peer. A door (Varlink, D-Bus) implements these protocols for its own protocol, and nothing in the
// core knows which door that is.

/// The receiving end of one subscription or one request for a location.
protocol Subscriber: AnyObject {
    /// Whether the peer has read what was sent before. While it has not, nothing is sent: it is owed the newest state.
    var isReady: Bool { get }

    /// Sends a position, with the number of those that the peer missed because it did not read.
    func deliver(_ disclosure: Disclosure, skipped: Int?)

    /// Sends why no positions come, with the number of those missed.
    func tell(_ diagnostic: LocationInterface.Diagnostic, skipped: Int?)

    /// Sends the same with its cause. A protocol that has no room for that leaves it out.
    func tell(_ diagnostic: LocationInterface.Diagnostic, _ cause: LocationInterface.Cause?, skipped: Int?)

    /// Sends the last word.
    func end(_ refusal: Refusal)
}

extension Subscriber {
    func tell(_ diagnostic: LocationInterface.Diagnostic, _ cause: LocationInterface.Cause?, skipped: Int?) {
        tell(diagnostic, skipped: skipped)
    }
}

/// The receiving end of a client's own authorization.
protocol AuthorizationObserver: AnyObject {
    /// Whether the peer has read what was sent before.
    var isReady: Bool { get }
    /// Sends the authorization.
    func tell(_ status: AuthorizationInterface.Status)
    /// Sends the last word.
    func end(_ refusal: Refusal)
}

/// A program of the user that shows prompts and background activities.
protocol PromptPresenter: AnyObject {
    /// Shows a prompt.
    func show(_ prompt: AgentInterface.Prompt)
    /// Takes a prompt away.
    func withdraw(_ promptID: Int)
    /// Shows these background activities and no others.
    func show(_ activities: [AgentInterface.Activity])
}

/// The receiving end of one background activity.
protocol ActivityObserver: AnyObject {
    /// Says whether the activity is shown to the user.
    func tell(isShown: Bool)
    /// Sends the last word.
    func end(_ refusal: Refusal)
}

/// Why the core refuses a call. The door says it in the words of its protocol.
enum Refusal: Error {
    /// An error of the `org.locationd.*` interfaces.
    case error(any InterfaceError)
    /// A parameter that is out of its range, by name.
    case invalidParameter(String)
    /// The caller may not do this.
    case permissionDenied

    /// A limit of the configuration, or of the service, is reached.
    static func limitExceeded(_ limit: String, _ value: Int) -> Refusal {
        .error(LocationInterface.LimitExceeded(limit: limit, value: value))
    }

    /// Checks a number that a caller sent.
    static func check(_ value: Double?, _ name: String, _ isAllowed: (Double) -> Bool) throws(Refusal) {
        guard value.map(isAllowed) ?? true else { throw .invalidParameter(name) }
    }
}
