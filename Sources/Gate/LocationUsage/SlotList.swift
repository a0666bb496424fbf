/// A list that can be iterated a few elements at a time while others are inserted and removed.
struct SlotList<Element: AnyObject> {
    private var slots: [Element?] = []
    private var free: [Int] = []
    /// The position of the current round; `nil` without one.
    private var position: Int?
    /// True if another round follows the current one.
    private var isDueAgain = false

    var isEmpty: Bool { free.count == slots.count }

    /// Inserts an element and returns its slot, which removes it again.
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
        // Release the memory of a peak.
        if isEmpty { (slots, free) = ([], []) }
    }

    /// Starts a round over all elements, after the current one if there is one.
    mutating func startRound() {
        if position == nil { position = 0 } else { isDueAgain = true }
    }

    /// The next elements of the round, at most `limit`; none at its end.
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
