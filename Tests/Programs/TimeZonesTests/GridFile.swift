/// Writes grids of time zones, as Config/timezones/build does.
struct GridFile {
    var cellsPerDegree: UInt16 = 1
    var names: [String] = []
    var kinds: [[UInt16]] = [[0]]
    /// The runs of each row, from the North Pole: first column and kind.
    var rows: [[(UInt16, UInt16)]]

    init(cellsPerDegree: UInt16 = 1) {
        self.cellsPerDegree = cellsPerDegree
        rows = Array(repeating: [(0, 0)], count: 180 * Int(cellsPerDegree))
    }

    var bytes: [UInt8] {
        var content = Array("tzgrid1\n".utf8)
        func append(_ number: some FixedWidthInteger) { withUnsafeBytes(of: number.littleEndian) { content += $0 } }
        append(cellsPerDegree)
        append(UInt16(names.count))
        append(UInt16(kinds.count))
        for name in names {
            append(UInt8(name.utf8.count))
            content += name.utf8
        }
        for kind in kinds {
            append(UInt8(kind.count))
            kind.forEach { append($0) }
        }
        let ends = { (row: [(UInt16, UInt16)]) in row.dropFirst().map(\.0) + [360 * cellsPerDegree] }
        for row in rows {
            for (run, end) in zip(row, ends(row)) {
                for number in [end &- run.0, run.1] {
                    var rest = number
                    while rest > 127 {
                        append(UInt8(rest & 127 | 128))
                        rest >>= 7
                    }
                    append(UInt8(rest))
                }
            }
        }
        return content
    }
}
