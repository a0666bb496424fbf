/// A spatial index of buckets: pages of four by four buckets, so that neighbours mostly share a cache line.
struct BucketDirectory: Sendable {
    /// The column, row and kind of a bucket.
    struct Key: Equatable, Sendable {
        var column: Int32
        var row: Int32
        var kind: Int32

        @inline(__always)
        fileprivate var page: Key { Key(column: column >> 2, row: row >> 2, kind: kind) }

        @inline(__always)
        fileprivate var place: Int { Int(column & 3) << 2 | Int(row & 3) }

        @inline(__always)
        var hash: UInt32 {
            let place = UInt64(UInt32(bitPattern: column)) << 32 | UInt64(UInt32(bitPattern: row))
            return SlotTable.hash(place ^ UInt64(UInt32(bitPattern: kind)) &* 0x9E37_79B9_7F4A_7C15)
        }
    }

    private var table = SlotTable(capacity: 0)
    private var pages: [(key: Key, count: Int32)] = []
    private var freePages: [Int32] = []
    /// Sixteen buckets a page; −1 for none.
    private var buckets: [Int32] = []

    /// The bucket at `key`; −1 if there is none.
    @inline(__always)
    func find(_ key: Key) -> Int32 {
        let page = key.page
        guard let index = table.find(page.hash, where: { pages[Int($0)].key == page }) else { return -1 }
        return buckets[Int(index) << 4 | key.place]
    }

    /// Calls `body` with the buckets between two columns and two rows, inclusive: one search a page.
    @inline(__always)
    func forEach(
        fromColumn firstColumn: Int32, row firstRow: Int32, toColumn lastColumn: Int32, row lastRow: Int32,
        _ body: (Int32) -> Void
    ) {
        var pageRow = firstRow >> 2
        while pageRow <= lastRow >> 2 {
            var pageColumn = firstColumn >> 2
            while pageColumn <= lastColumn >> 2 {
                let page = Key(column: pageColumn, row: pageRow, kind: 0)
                if let index = table.find(page.hash, where: { pages[Int($0)].key == page }) {
                    var column = max(firstColumn, pageColumn << 2)
                    while column <= min(lastColumn, pageColumn << 2 | 3) {
                        var row = max(firstRow, pageRow << 2)
                        while row <= min(lastRow, pageRow << 2 | 3) {
                            let bucket = buckets[Int(index) << 4 | Int(column & 3) << 2 | Int(row & 3)]
                            if bucket >= 0 { body(bucket) }
                            row &+= 1
                        }
                        column &+= 1
                    }
                }
                pageColumn &+= 1
            }
            pageRow &+= 1
        }
    }

    /// Reserves memory for `count` pages. Only for an empty directory.
    mutating func reserveCapacity(_ count: Int) {
        table = SlotTable(capacity: count)
        pages.reserveCapacity(count)
        buckets.reserveCapacity(16 * count)
    }

    /// Adds `bucket` at `key`, where there is none.
    mutating func insert(_ bucket: Int32, at key: Key) {
        let page = key.page
        let hash = page.hash
        let index: Int32
        if let found = table.find(hash, where: { pages[Int($0)].key == page }) {
            index = found
        } else {
            if let free = freePages.popLast() {
                index = free
                pages[Int(free)] = (page, 0)
            } else {
                index = Int32(pages.count)
                pages.append((page, 0))
                buckets.append(contentsOf: repeatElement(-1, count: 16))
            }
            table.insert(index, hash: hash)
        }
        pages[Int(index)].count += 1
        buckets[Int(index) << 4 | key.place] = bucket
    }

    /// Removes the bucket at `key`, which must exist.
    mutating func remove(_ key: Key) {
        let page = key.page
        let hash = page.hash
        guard let index = table.find(hash, where: { pages[Int($0)].key == page }) else { return }
        buckets[Int(index) << 4 | key.place] = -1
        pages[Int(index)].count -= 1
        guard pages[Int(index)].count == 0 else { return }
        table.remove(index, hash: hash)
        freePages.append(index)
    }
}
