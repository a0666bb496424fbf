/// The declared clients, and the look-up of the client that a process belongs to.
public struct ClientRegistry: Sendable {
    /// The result of a look-up.
    public enum Recognition: Hashable, Sendable {
        /// The process belongs to this client.
        case declared(ClientDeclaration)
        /// No declaration matches.
        case undeclared
        /// Equally specific declarations of several clients match. Access is denied rather than guessed.
        case ambiguous([ClientDeclaration])
    }

    /// All declarations, by identifier.
    public let declarations: [String: ClientDeclaration]

    /// A registry of these declarations. Of two with the same identifier the later one counts.
    public init(_ declarations: [ClientDeclaration]) {
        self.declarations = Dictionary(
            declarations.map { ($0.identifier, $0) }, uniquingKeysWith: { _, later in later })
    }

    /// The client that `peer` belongs to: the matching declaration with the most criteria.
    public func recognise(_ peer: PeerIdentity) -> Recognition {
        let matching = declarations.values.filter { $0.match.matches(peer) }
        guard let most = matching.map(\.match.specificity).max() else { return .undeclared }
        let best = matching.filter { $0.match.specificity == most }.sorted { $0.identifier < $1.identifier }
        return best.count == 1 ? .declared(best[0]) : .ambiguous(best)
    }

    /// True if `peer` belongs to a client whose declaration names the peer's claim beside the evidence.
    public func bindsClaim(of peer: PeerIdentity) -> Bool {
        if case .declared(let declaration) = recognise(peer) { declaration.match.desktopID != nil } else { false }
    }
}
