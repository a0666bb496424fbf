/// Lines of osmium's text format (<https://osmcode.org/opl-file-format/>): an object each, its fields parted by spaces, each
/// with a letter in front.
enum OPL {
    /// The field with a letter; empty where there is none.
    static func field(_ letter: Character, of line: Substring) -> Substring {
        line.split(separator: " ").first { $0.first == letter }?.dropFirst() ?? ""
    }

    /// The number of an object.
    static func number(of line: Substring) -> Int64? { Int64(line.dropFirst().prefix { $0 != " " }) }

    /// The nodes of a way.
    static func nodes(of line: Substring) -> [Int64] {
        field("N", of: line).split(separator: ",").compactMap { node in
            Int64(node.drop { $0 == "n" }.prefix { $0 != "x" })
        }
    }
}

/// Parts bytes that come piece by piece into lines.
struct LineBuffer {
    private var rest: [UInt8] = []

    /// The lines that are whole now.
    mutating func add(_ bytes: [UInt8], _ receive: (Substring) -> Void) {
        guard let last = bytes.lastIndex(of: UInt8(ascii: "\n")) else {
            rest += bytes
            return
        }
        let text = String(decoding: rest + bytes[...last], as: UTF8.self)
        rest = Array(bytes[(last + 1)...])
        for line in text.split(separator: "\n") { receive(line) }
    }
}
