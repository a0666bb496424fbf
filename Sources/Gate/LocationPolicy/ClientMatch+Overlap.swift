extension ClientMatch {
    /// The possible relations between the processes that two declarations match.
    public enum Overlap: Hashable, Sendable {
        /// Neither includes the other. A process can still match both, such as one by its unit and the other by its
        /// executable; that cannot be foreseen.
        case none
        /// They have the same criteria, so a process that matches them gets nothing.
        case ambiguous
        /// One has all criteria of the other and more, so it wins.
        case narrower(isFirst: Bool)
    }

    /// One criterion, compared as the kernel does, byte by byte.
    public struct Criterion: Hashable, Sendable {
        var key: String
        var value: [UInt8]
    }

    /// All criteria but `Users`.
    public var criteria: Set<Criterion> {
        let given = [
            ("Executable", executable), ("SystemdUnit", systemdUnit), ("UserUnit", userUnit), ("FlatpakID", flatpakID),
            ("SecurityLabel", securityLabel), ("DesktopID", desktopID),
        ]
        return Set(given.compactMap { key, value in value.map { Criterion(key: key, value: Array($0.utf8)) } })
    }

    /// True if there is a user whose processes could match both.
    public func sharesUsers(with other: ClientMatch) -> Bool {
        guard let users, let others = other.users else { return true }
        return !users.isDisjoint(with: others)
    }

    /// Its relation to another match.
    public func overlap(with other: ClientMatch) -> Overlap {
        guard sharesUsers(with: other) else { return .none }
        let mine = criteria
        let others = other.criteria
        if mine == others { return .ambiguous }
        if others.isSubset(of: mine) { return .narrower(isFirst: true) }
        if mine.isSubset(of: others) { return .narrower(isFirst: false) }
        return .none
    }
}
