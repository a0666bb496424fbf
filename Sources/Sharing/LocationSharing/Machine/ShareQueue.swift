import LocationModel

/// The positions of a destination that are kept on disk until its service has taken them, and the changes to make there.
struct ShareQueue: Sendable {
    /// Its start on disk; `nil` if there is none.
    private(set) var start: Timestamp?
    private var backlog: Backlog
    private var nextSequence: Int64
    /// The first number of a position that is still in the queue: those before it have been deleted.
    private var firstSequence: Int64 = 0
    /// The positions that were refused, each alone, since one was stored.
    private var refused: Set<Int64> = []
    private var changes: [ShareMachine.Action] = []

    /// - Parameters:
    ///   - start: the start of the queue on disk; `nil` if there is none.
    ///   - lastSequence: the number of its last position.
    ///   - batchLimit: the greatest number of positions in one message.
    init(_ start: Timestamp?, lastSequence: Int64, batchLimit: Int) {
        // A file on disk may have any numbers.
        (self.start, nextSequence) = (start, max(0, min(lastSequence, 1 << 53)) + 1)
        backlog = Backlog(batchLimit: batchLimit, hasMore: start != nil)
    }

    /// True if there are positions, or may be.
    var hasPositions: Bool { start != nil && backlog.hasPositions }

    /// The numbers of those positions that are still in the queue.
    func numbers(of records: [ShareRecord]) -> [Int64] {
        records.compactMap(\.sequence).filter { $0 >= firstSequence }
    }

    /// Adds the newest position, and gives it its number.
    ///
    /// - Parameter isLoaded: false if the one before has not been sent, and is now in the queue only.
    mutating func append(_ record: inout ShareRecord, to start: Timestamp, isLoaded: Bool) {
        if !isLoaded { backlog.grow() }
        record.sequence = nextSequence
        nextSequence += 1
        self.start = start
        changes.append(.queue(record, start))
    }

    /// Takes positions that were read from the disk.
    mutating func load(_ records: [ShareRecord]) {
        backlog.load(records, isLast: records.count < ShareMachine.partSize)
    }

    /// Has the positions read again before the next message.
    mutating func unload() { backlog.unload() }

    /// The positions of the next message, the oldest first; `nil` if they have to be read first.
    mutating func next() -> [ShareRecord]? {
        guard backlog.needsPart else { return backlog.next() }
        changes.append(.load(ShareMachine.partSize))
        return nil
    }

    /// Takes note that the service has stored positions, by their numbers. Returns how many others are left out from now on.
    mutating func store(_ stored: [Int64]) -> Int {
        refused = []
        let left = backlog.store(stored)
        if !(stored + left).isEmpty { changes.append(.remove(stored + left)) }
        return left.count
    }

    /// Takes note that the service has not taken positions, by their numbers.
    mutating func fail(_ numbers: [Int64]) { backlog.fail(numbers) }

    /// Takes note that a position was refused, alone. Returns the number of those since one was stored.
    mutating func refuse(_ number: Int64) -> Int {
        refused.insert(number)
        return refused.count
    }

    /// Lets refused positions count again.
    mutating func endRefusals() { refused = [] }

    /// Deletes the queue, if there is one.
    mutating func delete() {
        guard start != nil else { return }
        start = nil
        backlog.empty()
        firstSequence = nextSequence
        // What is not on disk yet need not be written.
        changes = [.deleteQueue]
    }

    /// What is to be done since this was last asked, in its order.
    mutating func takeChanges() -> [ShareMachine.Action] {
        defer { changes = [] }
        return changes
    }
}
