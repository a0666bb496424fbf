/// A binary heap: the element with the smallest key first (Knuth, "The art of computer programming" 3, section 5.2.3).
struct MinHeap<Value> {
    private var elements: [(key: Double, value: Value)] = []

    var first: (key: Double, value: Value)? { elements.first }

    mutating func insert(_ value: Value, key: Double) {
        var index = elements.count
        elements.append((key, value))
        while index > 0, key < elements[(index - 1) / 2].key {
            elements[index] = elements[(index - 1) / 2]
            index = (index - 1) / 2
        }
        elements[index] = (key, value)
    }

    mutating func popFirst() -> (key: Double, value: Value)? {
        guard let first = elements.first, let last = elements.popLast() else { return nil }
        guard !elements.isEmpty else { return first }
        var index = 0
        while true {
            var child = 2 * index + 1
            guard child < elements.count else { break }
            if child + 1 < elements.count, elements[child + 1].key < elements[child].key { child += 1 }
            if elements[child].key >= last.key { break }
            elements[index] = elements[child]
            index = child
        }
        elements[index] = last
        return first
    }
}
