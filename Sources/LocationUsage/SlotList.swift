/// A list that can be gone through a few elements at a time while others come and go.
struct SlotList<Element: AnyObject> {
    private var slots: [Element?] = []
    private var free: [Int] = []
    /// Where the current round is; `nil` when there is none.
    private var position: Int?
    /// Whether another round is to follow.
    private var isDueAgain = false

    var isEmpty: Bool { free.count == slots.count }

    /// Adds an element, and returns the slot by which it can be removed.
    mutating func insert(_ element: Element) -> Int {
        if let slot = free.popLast() {
            slots[slot] = element
            return slot
        }
        slots.append(element)
        return slots.count - 1
    }

    mutating func remove(at slot: Int) {
        slots[slot] = nil
        free.append(slot)
        // What a crowd needed is given back.
        if isEmpty { (slots, free) = ([], []) }
    }

    /// Begins a round through all elements, now or, if there is one under way, after that.
    mutating func startRound() {
        if position == nil { position = 0 } else { isDueAgain = true }
    }

    /// The next elements of the round: at most `limit`, and none when it has ended.
    mutating func next(_ limit: Int) -> [Element] {
        guard let start = position else { return [] }
        let end = min(start + limit, slots.count)
        let found = start < end ? slots[start..<end].compactMap { $0 } : []
        position = end
        if end >= slots.count {
            position = isDueAgain ? 0 : nil
            isDueAgain = false
        }
        return found
    }

    var isInRound: Bool { position != nil }
}
