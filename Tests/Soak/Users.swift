import SeededRandom

/// The acknowledged decisions of the soak's users, and the fixes that nobody may have received because of them.
struct Users {
    enum Decision: String, CaseIterable {
        case authorizedAlways, authorizedWhenInUse, denied, notDetermined
    }

    /// A decision.
    enum Change {
        case decide(user: Int, Decision)
        case accuracy(user: Int, isReduced: Bool)
        case enable(user: Int?, Bool)
        case declare(Bool)
    }

    private struct User {
        var decision = Decision.notDetermined
        var isReduced = false
        var isOff = false
        /// The first fix that it may not receive.
        var forbidden: Int? = 0
        /// Ranges of fixes that it could not receive.
        var past: [ClosedRange<Int>] = []
    }

    private var users: [User]
    private var isSystemOff = false
    private var isDeclared = true

    init(count: Int) { users = Array(repeating: User(), count: count) }

    var indices: Range<Int> { users.indices }

    /// True if the user may have exact locations. The soak has no session, so none of its processes is in use.
    private func isExact(_ user: Int) -> Bool {
        let user = users[user]
        return user.decision == .authorizedAlways && !user.isReduced && !user.isOff && !isSystemOff && isDeclared
    }

    /// A change is about to be made. The last fix may be repeated to users who gain access.
    mutating func willMake(_ change: Change, lastCertain: Int) {
        var next = self
        next.apply(change)
        for index in users.indices where !isExact(index) && next.isExact(index) {
            if let first = users[index].forbidden, first <= lastCertain {
                users[index].past.append(first...lastCertain)
                // Unread messages are never that old.
                users[index].past.removeFirst(max(0, users[index].past.count - 50))
            }
            users[index].forbidden = nil
        }
    }

    /// A change was acknowledged: fixes from `next` on must not reach a user who has lost access.
    mutating func didMake(_ change: Change, next: Int) {
        apply(change)
        for index in users.indices where !isExact(index) && users[index].forbidden == nil {
            users[index].forbidden = next
        }
    }

    private mutating func apply(_ change: Change) {
        switch change {
        case .decide(let user, let decision): users[user].decision = decision
        case .accuracy(let user, let isReduced): users[user].isReduced = isReduced
        case .enable(let user?, let isEnabled): users[user].isOff = !isEnabled
        case .enable(nil, let isEnabled): isSystemOff = !isEnabled
        case .declare(let isDeclared): self.isDeclared = isDeclared
        }
    }

    /// True if a user received a fix that it may not have.
    func isLeak(_ fix: Int, to user: Int) -> Bool {
        let user = users[user]
        return user.forbidden.map { fix >= $0 } ?? false || user.past.contains { $0.contains(fix) }
    }

    /// A random change, more often one that grants access.
    func randomChange(using generator: inout SeededGenerator) -> Change {
        let user = Int.random(in: users.indices, using: &generator)
        if isSystemOff { return .enable(user: nil, true) }
        if !isDeclared { return .declare(true) }
        if users[user].isOff { return .enable(user: user, true) }
        if users[user].isReduced { return .accuracy(user: user, isReduced: false) }
        if users[user].decision != .authorizedAlways { return .decide(user: user, .authorizedAlways) }
        switch Int.random(in: 0..<20, using: &generator) {
        case 0: return .enable(user: nil, false)
        case 1: return .declare(false)
        case 2...4: return .enable(user: user, false)
        case 5...8: return .accuracy(user: user, isReduced: true)
        case 9...12: return .decide(user: user, .denied)
        case 13...16: return .decide(user: user, .authorizedWhenInUse)
        default: return .decide(user: user, .notDetermined)
        }
    }
}
