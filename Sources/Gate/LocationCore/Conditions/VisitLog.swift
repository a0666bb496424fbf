import LocationConditions
import LocationStore

/// The visits that a client's streams may have to send, kept once for all streams, in order.
struct VisitLog {
    private var entries: [(number: UInt64, visit: Visit, isTold: Bool)] = []
    /// The number of the last visit, from 1; 0 before the first.
    private(set) var last: UInt64 = 0

    var count: Int { entries.count }
    /// True if there is a visit that the program was not told of.
    var hasUntold: Bool { entries.contains { !$0.isTold } }

    /// The next visit after the one with a number.
    func visit(after number: UInt64) -> (number: UInt64, visit: Visit, isTold: Bool)? {
        entries.first { $0.number > number }
    }

    /// Adds a visit, in place of the same one before its end. Those that were reported and that all streams have passed are
    /// removed, and of too many the oldest.
    ///
    /// - Parameter passed: The number of the last visit that all streams have passed.
    mutating func append(_ visit: Visit, passed: UInt64) {
        last += 1
        entries.removeAll { $0.visit.arrivalDate == visit.arrivalDate || ($0.isTold && $0.number <= passed) }
        entries.append((last, visit, false))
        if entries.count > LocationStore.visitsPerClient { entries.removeFirst() }
    }

    /// Notes that a visit was reported to the program.
    mutating func noteTold(_ number: UInt64) {
        guard let index = entries.firstIndex(where: { $0.number == number }) else { return }
        entries[index].isTold = true
    }

    /// Removes all visits.
    mutating func removeAll() { entries = [] }
}
