package import LocationModel
package import LocationPolicy

/// The core's refusal of a call, which each front end translates to its protocol.
package enum Refusal: Error {
    /// A parameter is out of range: its name.
    case invalidParameter(String)
    /// The caller lacks permission.
    case permissionDenied
    /// A limit of the configuration or of the service is exceeded: its name and value.
    case limitExceeded(String, Int)
    /// The user of the peer has this many connections already; the sentence names the program that holds most of them, if it is known.
    case tooManyConnections(Int, message: String?)

    /// There is no location: the reason.
    case locationUnavailable(String)
    /// No declaration matches the peer, or several do.
    case notDeclared(PeerIdentity, message: String)
    /// The client has no access.
    case notAuthorized(client: String, AuthorizationStatus, LocationReason?, message: String)
    /// The declaration lacks a usage description: the key and the file.
    case missingUsageDescription(key: String, file: String, message: String)
    /// No agent could be asked within this time.
    case noAgent(seconds: Int, message: String)
    /// The user did not answer within this time.
    case notAnswered(seconds: Int, message: String)
    /// The client or its user has too many prompts.
    case tooManyPrompts(message: String)
    /// The client may not begin a background activity.
    case backgroundActivityNotAllowed(message: String)

    /// The caller may not answer prompts.
    case notAnAgent(message: String)
    /// There is no open prompt with this id that the caller may answer.
    case noSuchPrompt(Int)
    /// The prompt has only these choices.
    case choiceNotOffered([PromptChoice])

    /// The caller may not manage decisions.
    case notAManager(message: String)
    /// No client has this identifier.
    case noSuchClient(String, suggestion: String?)
    /// There is no such process.
    case noSuchProcess(Int)
    /// A policy in this file forbids the client any location.
    case restricted(client: String, file: String)
    /// The rule or place is invalid.
    case invalidRule(message: String)
    /// The user has no rule with this identifier.
    case noSuchRule(String)
    /// The rule is not the user's; it is in this file.
    case fixedRule(String, file: String?)
    /// The user has no place of this name.
    case noSuchPlace(String, suggestion: String?)
    /// The user has a place of this name.
    case placeExists(String)
    /// A rule of the user names the place: its identifier.
    case placeInUse(String, rule: String)
    /// A decision could not be saved. It may be in force until the service ends.
    case notSaved(isInForce: Bool, message: String)
    /// A change of what a client has watched could not be saved.
    case watchNotSaved(message: String)
    /// The state on disk could not be read.
    case notReadable(message: String)

    /// Validates a number from a caller.
    static func check(_ value: Double?, _ name: String, _ isAllowed: (Double) -> Bool) throws(Refusal) {
        guard value.map(isAllowed) ?? true else { throw .invalidParameter(name) }
    }
}
