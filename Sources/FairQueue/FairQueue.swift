import NIOCore

/// A queue in which users take turns: what comes out next is of the user whose turn is longest ago, and of that user the
/// oldest. Who puts in thousands waits for its own.
package struct FairQueue<User: Hashable, Element> {
    private var elements: [User: CircularBuffer<Element>] = [:]
    /// The users of whom there is something, the next first.
    private var users = CircularBuffer<User>()

    /// An empty queue.
    package init() {}

    /// Whether nothing is in it.
    package var isEmpty: Bool { users.isEmpty }

    /// How many are in it of a user.
    package func count(of user: User) -> Int { elements[user]?.count ?? 0 }

    /// Puts in one, behind all others of its user.
    package mutating func append(_ element: Element, of user: User) {
        if elements[user] == nil { users.append(user) }
        elements[user, default: CircularBuffer(initialCapacity: 1)].append(element)
    }

    /// What comes out next.
    package var first: Element? { users.first.flatMap { elements[$0]?.first } }

    /// Takes out the next.
    package mutating func popFirst() -> Element? {
        guard let user = users.popFirst(), let index = elements.index(forKey: user) else { return nil }
        let element = elements.values[index].removeFirst()
        if elements.values[index].isEmpty { elements.remove(at: index) } else { users.append(user) }
        return element
    }

    /// Takes out all of a user that fulfil a condition, the oldest first.
    package mutating func removeAll(of user: User, where condition: (Element) -> Bool) -> [Element] {
        guard let own = elements[user] else { return [] }
        let kept = own.filter { !condition($0) }
        elements[user] = kept.isEmpty ? nil : kept
        if kept.isEmpty { users.removeAll { $0 == user } }
        return own.filter(condition)
    }
}
