/// Sorts by whole numbers, digit by digit from the lowest (Knuth, "The art of computer programming" 3, section 5.2.5), and
/// leaves out the digits that all numbers share.
enum RadixSort {
    /// `indices` by rising `key`, those with the same one in the order in which they came.
    static func ascending(_ indices: [Int32], by key: (Int32) -> UInt64) -> [Int32] {
        let width: UInt64 = 11
        let radix = 1 << width
        var entries = indices.map { (key: key($0), index: $0) }
        guard entries.count > 64 else {
            // Swift's sort keeps the order of equals.
            return entries.sorted { $0.key < $1.key }.map(\.index)
        }
        var histogram = [Int](repeating: 0, count: 6 * radix)
        for entry in entries {
            for digit in 0..<6 {
                histogram[
                    digit * radix + Int(truncatingIfNeeded: entry.key >> (UInt64(digit) * width)) & (radix - 1)] += 1
            }
        }
        var other = entries
        for digit in 0..<6 {
            let shift = UInt64(digit) * width
            let start = digit * radix
            let shared = Int(truncatingIfNeeded: entries[0].key >> shift) & (radix - 1)
            if histogram[start + shared] == entries.count { continue }
            var position = 0
            for value in start..<start + radix {
                (histogram[value], position) = (position, position + histogram[value])
            }
            for entry in entries {
                let value = start + Int(truncatingIfNeeded: entry.key >> shift) & (radix - 1)
                other[histogram[value]] = entry
                histogram[value] += 1
            }
            swap(&entries, &other)
        }
        return entries.map(\.index)
    }
}
