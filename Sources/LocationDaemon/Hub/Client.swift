import LocationModel
import LocationPolicy
import LocationUsage

/// One client of one user, as the hub keeps it while the daemon runs.
///
/// Sendable: it lives on the hub's event loop, which every way to it checks.
final class Client: @unchecked Sendable {
    let key: ClientKey
    /// What declares it now.
    var declaration: ClientDeclaration
    /// Its open connections.
    var sessions: [Session.ID: Session] = [:]
    /// Whether it may know.
    var authorization: ClientAuthorization
    /// The last publication that it was given, which the history counts once however many subscriptions it has.
    var notedPublication: UInt64?
    /// The processes whose use is watched for it.
    var watched: Set<WatchedProcess> = []

    /// Whether a decision about it is on its way to the disk. Meanwhile nothing else changes its authorization.
    var isSaving = false
    /// What happened meanwhile.
    var postponed: [() -> Void] = []
    /// Who asked last, for the prompt that follows.
    var asking: PeerIdentity?
    /// The open prompt, if there is one.
    var prompt: OpenPrompt?
    /// Whether an agent had the prompt that was open last.
    var lastPromptWasShown = false

    init(key: ClientKey, declaration: ClientDeclaration, authorization: ClientAuthorization) {
        self.key = key
        self.declaration = declaration
        self.authorization = authorization
    }
}
