package import LocationPolicy
package import LocationSources

/// The reason why a client has no location or a reduced one, and what can be done about it.
package struct Cause: Hashable, Sendable {
    /// The reason.
    package let reason: Reason
    /// The reason with the remedy, as a sentence.
    package let message: String

    init(_ reason: Reason, message: String) { (self.reason, self.message) = (reason, message) }

    /// A reason.
    package enum Reason: Hashable, Sendable {
        // Of the authorization.
        case servicesOffForMachine, servicesOffForUser, servicesOffOnDesktop, restricted, deniedByRule, deniedByUser,
            undecided
        /// The prompt is open, and no agent shows it.
        case noAgent
        /// The request needs *always*.
        case needsAlways
        /// *Always* is not confirmed yet, and the client is not in use.
        case unconfirmed
        /// The client is not in use.
        case notInUse(UseObstacle)
        // Of the accuracy.
        case reducedByUser, reducedByPolicy, reducedByRule, reducedByDefault, reducedByDesktop
        /// The source has no location.
        case noLocation(UnavailableReason)
        /// No compass gives a heading.
        case noCompass
    }
}
