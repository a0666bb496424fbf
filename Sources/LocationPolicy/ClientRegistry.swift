/// The declared clients, and which of them a process is.
public struct ClientRegistry: Sendable {
    /// What the declarations say of a process.
    public enum Recognition: Hashable, Sendable {
        /// It is this client.
        case declared(ClientDeclaration)
        /// No declaration matches.
        case undeclared
        /// Equally specific declarations of several clients match, and guessing is not allowed.
        case ambiguous([ClientDeclaration])
    }

    /// All declarations, by identifier.
    public let declarations: [String: ClientDeclaration]

    /// A registry of these declarations; of two with the same identifier the later counts.
    public init(_ declarations: [ClientDeclaration]) {
        self.declarations = Dictionary(
            declarations.map { ($0.identifier, $0) }, uniquingKeysWith: { _, later in later })
    }

    /// Which client `peer` is: of the declarations that match it the one with the most criteria.
    public func recognise(_ peer: PeerIdentity) -> Recognition {
        let matching = declarations.values.filter { $0.match.matches(peer) }
        guard let most = matching.map(\.match.specificity).max() else { return .undeclared }
        let best = matching.filter { $0.match.specificity == most }.sorted { $0.identifier < $1.identifier }
        return best.count == 1 ? .declared(best[0]) : .ambiguous(best)
    }
}
