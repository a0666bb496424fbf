import NIOCore

/// A round-robin queue: users take turns, and the elements of one user leave in the order of arrival, urgent ones before
/// the others. A user with thousands of elements does not delay the others.
package struct FairQueue<User: Hashable, Element> {
    private struct Lane {
        var urgent = CircularBuffer<Element>()
        var others = CircularBuffer<Element>()

        var count: Int { urgent.count + others.count }
        var first: Element? { urgent.first ?? others.first }
        mutating func removeFirst() -> Element { urgent.isEmpty ? others.removeFirst() : urgent.removeFirst() }
    }

    private var lanes: [User: Lane] = [:]
    /// The users with elements, in the order of their turns.
    private var users = CircularBuffer<User>()

    /// An empty queue.
    package init() {}

    /// True if the queue has no elements.
    package var isEmpty: Bool { users.isEmpty }

    /// The number of elements of a user.
    package func count(of user: User) -> Int { lanes[user]?.count ?? 0 }

    /// Adds an element behind the others of its user, or behind the user's urgent ones.
    package mutating func append(_ element: Element, of user: User, isUrgent: Bool = false) {
        if lanes[user] == nil { users.append(user) }
        if isUrgent {
            lanes[user, default: Lane()].urgent.append(element)
        } else {
            lanes[user, default: Lane()].others.append(element)
        }
    }

    /// Makes the elements of a user that meet a condition urgent, in their order.
    package mutating func makeUrgent(of user: User, where condition: (Element) -> Bool) {
        guard let lane = lanes[user], lane.others.contains(where: condition) else { return }
        lanes[user]?.urgent.append(contentsOf: lane.others.filter(condition))
        lanes[user]?.others.removeAll(where: condition)
    }

    /// The next element, without removing it.
    package var first: Element? { users.first.flatMap { lanes[$0]?.first } }

    /// Removes and returns the next element.
    package mutating func popFirst() -> Element? {
        guard let user = users.popFirst(), let index = lanes.index(forKey: user) else { return nil }
        let element = lanes.values[index].removeFirst()
        if lanes.values[index].count == 0 { lanes.remove(at: index) } else { users.append(user) }
        return element
    }
}
