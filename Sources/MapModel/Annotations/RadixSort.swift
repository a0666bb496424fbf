/// Least-significant-digit radix sort by integers (Knuth, "The art of computer programming" 3, section 5.2.5), skipping
/// the digits that all numbers share.
enum RadixSort {
    private struct Entry {
        var key: UInt64
        var index: Int32
    }

    /// `indices` by ascending `key`, stable.
    static func ascending(_ indices: [Int32], by key: (Int32) -> UInt64) -> [Int32] {
        var entries = indices.map { Entry(key: key($0), index: $0) }
        guard entries.count > 64 else {
            // Swift's sort is stable.
            return entries.sorted { $0.key < $1.key }.map(\.index)
        }
        let width = 11
        let first = entries[0].key
        let differing = entries.reduce(0) { $0 | ($1.key ^ first) }
        var other = entries
        var starts = [Int](repeating: 0, count: 1 << width)
        for shift in stride(from: 0, to: 64, by: width) where digit(differing, shift, width) != 0 {
            // All accesses are in bounds: a digit is smaller than the number of starts, and each start is followed by
            // as many entries as have its digit.
            entries.withUnsafeBufferPointer { from in
                other.withUnsafeMutableBufferPointer { to in
                    starts.withUnsafeMutableBufferPointer { starts in
                        starts.update(repeating: 0)
                        for entry in from { starts[digit(entry.key, shift, width)] += 1 }
                        var position = 0
                        for value in starts.indices { (starts[value], position) = (position, position + starts[value]) }
                        for entry in from {
                            let value = digit(entry.key, shift, width)
                            to[starts[value]] = entry
                            starts[value] += 1
                        }
                    }
                }
            }
            swap(&entries, &other)
        }
        return entries.map(\.index)
    }

    @inline(__always)
    private static func digit(_ key: UInt64, _ shift: Int, _ width: Int) -> Int {
        Int(truncatingIfNeeded: key >> UInt64(shift)) & ((1 << width) - 1)
    }
}
