/// A map of the Earth's time zones: a grid whose cells, 2.2 km high, name every zone that they touch.
///
/// `Config/timezones/build` makes the file and describes it. The names are those of tzdata. The sea and Antarctica are in no
/// zone. Where zones overlap, as in disputed areas, a cell names all of them.
package struct TimeZoneGrid: Sendable {
    /// The error in a file that is not a grid.
    package struct Damage: Error, Hashable, CustomStringConvertible {
        package let description: String
    }

    /// The largest file, in bytes.
    package static let largestFile = 4 << 20
    private static let signature = Array("tzgrid1\n".utf8)

    package let names: [String]
    let cellsPerDegree: Int
    /// The numbers of the zones that a kind of cell touches, that of its centre first: from 1; 0 stands for no zone.
    private let kinds: [[UInt16]]
    /// The number of the first run of each row, from the North Pole, and then the number of all runs.
    private let rows: [UInt32]
    /// The first column of each run, from 180° west.
    private let columns: [UInt16]
    /// The kind of each run's cells.
    private let kindsOfRuns: [UInt16]

    /// Reads the content of a file, and checks all of it.
    package init(_ content: [UInt8]) throws(Damage) {
        var reader = Reader(content)
        guard try reader.bytes(Self.signature.count).elementsEqual(Self.signature) else {
            throw Damage(description: "It does not begin as a grid of time zones does.")
        }
        let counts = try reader.numbers(3).map { Int($0) }
        cellsPerDegree = counts[0]
        guard (1...100).contains(cellsPerDegree), counts[2] > 0 else {
            throw Damage(description: "It has \(counts[0]) cells a degree and \(counts[2]) kinds of cells.")
        }
        var (names, kinds) = ([String](), [[UInt16]]())
        for _ in 0..<counts[1] {
            let length = try reader.byte()
            names.append(try Self.name(try reader.bytes(length)))
        }
        for _ in 0..<counts[2] {
            let count = try reader.byte()
            let zones = try reader.numbers(count)
            guard !zones.isEmpty, zones.allSatisfy({ $0 <= names.count }) else {
                throw Damage(description: "A kind of cells has no zone, or one without a name.")
            }
            kinds.append(zones)
        }
        (self.names, self.kinds) = (names, kinds)
        var (rows, columns, kindsOfRuns) = ([UInt32](), [UInt16](), [UInt16]())
        for _ in 0..<180 * cellsPerDegree {
            rows.append(UInt32(columns.count))
            var column = 0
            while column < 360 * cellsPerDegree {
                let (length, kind) = (try reader.number(), try reader.number())
                guard length > 0, column + length <= 360 * cellsPerDegree else {
                    throw Damage(description: "A row has a run that is too long, or empty.")
                }
                guard kind < kinds.count else { throw Damage(description: "A run has a kind that is not listed.") }
                columns.append(UInt16(column))
                kindsOfRuns.append(UInt16(kind))
                column += length
            }
        }
        rows.append(UInt32(columns.count))
        (self.rows, self.columns, self.kindsOfRuns) = (rows, columns, kindsOfRuns)
        guard reader.isAtEnd else { throw Damage(description: "It is longer than it says.") }
    }

    /// A name as tzdata has them, which is also the path of a file below its directory.
    private static func name(_ bytes: ArraySlice<UInt8>) throws(Damage) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        guard TimeZoneDatabase.isName(text) else { throw Damage(description: "A zone has a name that is none.") }
        return text
    }

    /// Calls `body` with the zones, each a number from 1 or 0 for none, of the cells of a row from one column to another.
    func forEachKind(inRow row: Int, from first: Int, through last: Int, _ body: ([UInt16]) -> Void) {
        // The last run that begins at the first column or before.
        var (low, high) = (Int(rows[row]), Int(rows[row + 1]))
        let end = high
        while high - low > 1 {
            let middle = (low + high) / 2
            if Int(columns[middle]) <= first { low = middle } else { high = middle }
        }
        while low < end, Int(columns[low]) <= last {
            body(kinds[Int(kindsOfRuns[low])])
            low += 1
        }
    }

    /// Takes bytes and numbers from the start of a file.
    private struct Reader {
        private let content: [UInt8]
        private var position = 0

        init(_ content: [UInt8]) { self.content = content }

        var isAtEnd: Bool { position == content.count }

        mutating func byte() throws(Damage) -> Int {
            guard let byte = try bytes(1).first else { return 0 }
            return Int(byte)
        }

        mutating func bytes(_ count: Int) throws(Damage) -> ArraySlice<UInt8> {
            guard count <= content.count - position else { throw Damage(description: "It ends too soon.") }
            defer { position += count }
            return content[position..<position + count]
        }

        /// Little-endian numbers of two bytes.
        mutating func numbers(_ count: Int) throws(Damage) -> [UInt16] {
            let bytes = Array(try bytes(2 * count))
            return (0..<count).map { UInt16(bytes[2 * $0]) | UInt16(bytes[2 * $0 + 1]) << 8 }
        }

        /// A LEB128 number of at most three bytes.
        mutating func number() throws(Damage) -> Int {
            var result = 0
            for shift in stride(from: 0, through: 14, by: 7) {
                guard position < content.count else { break }
                let byte = content[position]
                position += 1
                result |= Int(byte & 127) << shift
                if byte < 128 { return result }
            }
            throw Damage(description: "It ends too soon, or in a number that is too large.")
        }
    }
}
