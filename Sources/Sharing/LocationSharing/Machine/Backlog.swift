/// The queued positions of a destination, as far as they are in memory: those that are sent next, and those that are left out,
/// because the service does not take them though it takes others.
///
/// The queue is on disk, and loaded a part at a time.
struct Backlog: Hashable, Sendable {
    /// The number of failures, each among others that are stored, after which a position is left out.
    private static let mostFailures = 3
    /// The number of positions that may fail between two that are stored: if more do, their content is not the cause.
    private static let mostSuspects = 2

    /// True if the queue may have positions that are not loaded.
    private var hasMore: Bool
    /// The oldest positions of the queue.
    private var part: [ShareRecord] = []
    private let batchLimit: Int
    private var batchSize: Int
    /// The positions that have failed since one was stored.
    private var suspects: Set<Int64> = []
    private var failures: [Int64: Int] = [:]

    /// - Parameters:
    ///   - batchLimit: the greatest number of positions in one message.
    ///   - hasMore: true if there is a queue on disk.
    init(batchLimit: Int, hasMore: Bool) {
        (self.batchLimit, batchSize, self.hasMore) = (batchLimit, batchLimit, hasMore)
    }

    /// True if a part has to be loaded before anything is sent.
    var needsPart: Bool { part.isEmpty && hasMore }

    /// True if there are positions, or may be.
    var hasPositions: Bool { !part.isEmpty || hasMore }

    /// The positions for the next message, the oldest first; empty if none is loaded. Those that have failed come after the others.
    mutating func next() -> [ShareRecord] {
        var others = part.filter { record in record.sequence.map { !suspects.contains($0) } ?? false }
        if others.isEmpty {
            suspects = []
            others = part
        }
        return Array(others.prefix(batchSize))
    }

    /// Takes a part of the queue.
    ///
    /// - Parameter isLast: true if the queue has no more.
    mutating func load(_ records: [ShareRecord], isLast: Bool) { (part, hasMore) = (records, !isLast) }

    /// Takes note of a position in the queue that is not loaded.
    mutating func grow() { hasMore = true }

    /// Takes note of stored positions. Returns those that are left out from now on.
    mutating func store(_ sequences: [Int64]) -> [Int64] {
        if suspects.count <= Self.mostSuspects {
            for sequence in suspects { failures[sequence, default: 0] += 1 }
        }
        suspects = []
        let left = failures.filter { $0.value >= Self.mostFailures && !sequences.contains($0.key) }.keys.sorted()
        for sequence in sequences + left { failures[sequence] = nil }
        let count = part.count
        part.removeAll { record in record.sequence.map { sequences.contains($0) } ?? true }
        // A newest position that is stored says nothing of batches.
        if part.count < count { batchSize = min(batchSize * 2, batchLimit) }
        part.removeAll { record in record.sequence.map { left.contains($0) } ?? true }
        return left
    }

    /// Takes note of positions that the service did not take. Of a batch it is unknown which is the cause: the next one is half as
    /// large.
    mutating func fail(_ sequences: [Int64]) {
        if sequences.count > 1 {
            batchSize = sequences.count / 2
        } else {
            suspects.formUnion(sequences)
        }
        unload()
    }

    /// Has the part loaded again before the next message, without what has become too old meanwhile.
    mutating func unload() { (part, hasMore) = ([], true) }

    /// Takes note that the queue has been emptied.
    mutating func empty() { self = Backlog(batchLimit: batchLimit, hasMore: false) }
}
