extension ClientMatch {
    /// How the matches of two declarations relate.
    public enum Overlap: Hashable, Sendable {
        /// No process can be seen to match both. A unit and an executable may meet in one process; that is not foreseen.
        case none
        /// They have the same criteria, so that a process that matches both gets nothing.
        case ambiguous
        /// One has all of the other's criteria and more, and so wins.
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

    /// Whether somebody could be a user of both.
    public func sharesUsers(with other: ClientMatch) -> Bool {
        guard let users, let others = other.users else { return true }
        return !users.isDisjoint(with: others)
    }

    /// How it relates to another one.
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
