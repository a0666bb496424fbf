extension LocationInterface {
    /// The cause of a diagnostic or a refusal: what programs can tell apart, and a sentence for people.
    public struct Cause: Codable, Hashable, Sendable {
        /// Which it is.
        public var reason: Reason
        /// What is wrong and what would change it.
        public var message: String

        /// This cause.
        public init(_ reason: Reason, message: String) {
            self.reason = reason
            self.message = message
        }
    }

    /// Why a client receives no locations now, or no exact ones.
    public enum Reason: String, Codable, Hashable, Sendable, CaseIterable {
        /// Location services are off for everybody.
        case servicesOffForMachine
        /// Location services are off for the user.
        case servicesOffForUser
        /// A policy of the machine forbids it.
        case restricted
        /// The user said no.
        case deniedByUser
        /// Nobody has decided yet.
        case undecided
        /// It takes *always*, and the client may know only while it is in use.
        case needsAlways
        /// The client is in the background, and the user has yet to confirm that *always* was meant.
        case unconfirmed

        /// There is no systemd-logind, so nothing can tell whether the client is in use.
        case noLogind
        /// The client runs outside of any login session, such as in a service.
        case noSession
        /// Its session is a login screen, or for background jobs.
        case sessionNotOfPerson
        /// Its session has ended.
        case sessionClosing
        /// The screen of its session is locked.
        case sessionLocked
        /// Another session is shown on its seat.
        case sessionNotActive
        /// It is an application without a terminal, and no graphical session of its user is there to show it.
        case noDesktop
        /// It is a background job of its terminal, or the terminal was closed.
        case backgroundJob

        /// The user decided that it gets rough locations.
        case reducedByUser
        /// A policy of the machine decided that.
        case reducedByPolicy
        /// The client's declaration asks for no more.
        case reducedByDefault

        /// gpsd cannot be reached.
        case gpsdUnreachable
        /// gpsd has no active receiver.
        case noReceiver
        /// The receiver has no fix.
        case noFix
        /// gpsd or its receiver reports nothing new.
        case receiverSilent
    }
}
