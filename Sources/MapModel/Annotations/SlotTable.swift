/// A hash table of indices with open addressing and linear probing (D. E. Knuth, "The art of computer programming" 3,
/// section 6.4, algorithm L, and algorithm R for removal).
///
/// The caller compares keys: the table stores hashes and indices only.
struct SlotTable: Sendable {
    /// 0 if free, otherwise a hash above an index plus one.
    private var slots: [UInt64]
    private var count = 0

    /// An empty table for `capacity` entries.
    init(capacity: Int) {
        var size = 16
        while size < capacity * 2 { size *= 2 }
        slots = Array(repeating: 0, count: size)
    }

    @inline(__always)
    private static func index(_ slot: UInt64) -> Int32 { Int32(bitPattern: UInt32(truncatingIfNeeded: slot)) - 1 }

    @inline(__always)
    private static func home(_ slot: UInt64) -> Int { Int(truncatingIfNeeded: slot >> 32) }

    /// The index of the entry with `hash` that satisfies `matches`.
    @inline(__always)
    func find(_ hash: UInt32, where matches: (Int32) -> Bool) -> Int32? {
        slots.withUnsafeBufferPointer { slots in
            let mask = slots.count - 1
            var position = Int(hash) & mask
            while true {
                let slot = slots[position]
                if slot == 0 { return nil }
                if Self.home(slot) == Int(hash), matches(Self.index(slot)) { return Self.index(slot) }
                position = (position + 1) & mask
            }
        }
    }

    /// Adds an entry, which must not exist.
    mutating func insert(_ index: Int32, hash: UInt32) {
        count += 1
        if count * 2 > slots.count {
            let old = slots
            slots = Array(repeating: 0, count: old.count * 2)
            for slot in old where slot != 0 { place(slot) }
        }
        place(UInt64(hash) << 32 | UInt64(UInt32(index) + 1))
    }

    @inline(__always)
    private mutating func place(_ slot: UInt64) {
        slots.withUnsafeMutableBufferPointer { slots in
            let mask = slots.count - 1
            var position = Self.home(slot) & mask
            while slots[position] != 0 { position = (position + 1) & mask }
            slots[position] = slot
        }
    }

    /// Removes the entry `index`, which must exist with `hash`.
    mutating func remove(_ index: Int32, hash: UInt32) {
        let mask = slots.count - 1
        var hole = Int(hash) & mask
        while Self.index(slots[hole]) != index { hole = (hole + 1) & mask }
        var position = hole
        while true {
            position = (position + 1) & mask
            let slot = slots[position]
            if slot == 0 { break }
            // Tests whether the hole is between this entry's home and its position.
            if (position - Self.home(slot)) & mask >= (position - hole) & mask {
                slots[hole] = slot
                hole = position
            }
        }
        slots[hole] = 0
        count -= 1
    }

    /// A hash in which each bit depends on all of `bits` (the high half of MurmurHash3's `fmix64`, by A. Appleby).
    @inline(__always)
    static func hash(_ bits: UInt64) -> UInt32 {
        var bits = (bits ^ (bits >> 33)) &* 0xFF51_AFD7_ED55_8CCD
        bits = (bits ^ (bits >> 33)) &* 0xC4CE_B9FE_1A85_EC53
        return UInt32(truncatingIfNeeded: bits >> 32)
    }
}
