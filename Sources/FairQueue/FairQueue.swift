import NIOCore

/// A round-robin queue: users take turns, and the elements of one user leave in the order of arrival. A user with
/// thousands of elements does not delay the others.
package struct FairQueue<User: Hashable, Element> {
    private var elements: [User: CircularBuffer<Element>] = [:]
    /// The users with elements, in the order of their turns.
    private var users = CircularBuffer<User>()

    /// An empty queue.
    package init() {}

    /// True if the queue has no elements.
    package var isEmpty: Bool { users.isEmpty }

    /// The number of elements of a user.
    package func count(of user: User) -> Int { elements[user]?.count ?? 0 }

    /// Adds an element behind the others of its user.
    package mutating func append(_ element: Element, of user: User) {
        if elements[user] == nil { users.append(user) }
        elements[user, default: CircularBuffer(initialCapacity: 1)].append(element)
    }

    /// The next element, without removing it.
    package var first: Element? { users.first.flatMap { elements[$0]?.first } }

    /// Removes and returns the next element.
    package mutating func popFirst() -> Element? {
        guard let user = users.popFirst(), let index = elements.index(forKey: user) else { return nil }
        let element = elements.values[index].removeFirst()
        if elements.values[index].isEmpty { elements.remove(at: index) } else { users.append(user) }
        return element
    }

    /// Removes and returns all elements of a user that meet a condition, the oldest first.
    package mutating func removeAll(of user: User, where condition: (Element) -> Bool) -> [Element] {
        guard let own = elements[user] else { return [] }
        let kept = own.filter { !condition($0) }
        elements[user] = kept.isEmpty ? nil : kept
        if kept.isEmpty { users.removeAll { $0 == user } }
        return own.filter(condition)
    }
}
