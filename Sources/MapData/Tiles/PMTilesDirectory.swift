/// A directory of PMTiles version 3: what tiles there are, and where in the file
/// (<https://github.com/protomaps/PMTiles/blob/main/spec/v3/spec.md>, section 4).
struct PMTilesDirectory: Hashable, Sendable {
    /// A run of tiles with the same bytes, or where it has no length, a further directory.
    struct Entry: Hashable, Sendable {
        var number: UInt64
        var runLength: UInt64
        var offset: UInt64
        var length: UInt64
    }

    /// In the order of their numbers.
    let entries: [Entry]

    /// Reads a directory; `nil` where the bytes are none.
    init?(_ bytes: [UInt8]) {
        var reader = VarintReader(bytes)
        // Each entry has four numbers of a byte at least.
        guard let count = reader.next(), count <= UInt64(bytes.count / 4) else { return nil }
        var entries = Array(repeating: Entry(number: 0, runLength: 0, offset: 0, length: 0), count: Int(count))
        var number: UInt64 = 0
        for index in entries.indices {
            guard let step = reader.next(), index == 0 || step > 0 else { return nil }
            let (next, overflows) = number.addingReportingOverflow(step)
            guard !overflows else { return nil }
            number = next
            entries[index].number = number
        }
        for index in entries.indices {
            guard let length = reader.next() else { return nil }
            entries[index].runLength = length
        }
        for index in entries.indices {
            guard let length = reader.next(), length > 0 else { return nil }
            entries[index].length = length
        }
        for index in entries.indices {
            guard let offset = reader.next() else { return nil }
            if offset > 0 {
                entries[index].offset = offset - 1
            } else {
                // Right after the one before.
                guard index > 0 else { return nil }
                let (next, overflows) = entries[index - 1].offset.addingReportingOverflow(entries[index - 1].length)
                guard !overflows else { return nil }
                entries[index].offset = next
            }
        }
        guard reader.isAtEnd else { return nil }
        self.entries = entries
    }

    /// The entry that has the tile of a number, or the directory that it would be in.
    func entry(for number: UInt64) -> Entry? {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].number <= number { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return nil }
        let entry = entries[low - 1]
        return entry.runLength == 0 || number - entry.number < entry.runLength ? entry : nil
    }
}

/// Reads numbers as Protocol Buffers write them: seven bits a byte, the lowest first.
struct VarintReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    /// The next number; `nil` at the end, and where it would be longer than 64 bits.
    mutating func next() -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 63, by: 7) {
            guard position < bytes.count else { return nil }
            let byte = bytes[position]
            position += 1
            guard shift < 63 || byte <= 1 else { return nil }
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
        }
        return nil
    }
}
