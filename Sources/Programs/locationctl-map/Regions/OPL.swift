/// Lines of osmium's text format (<https://osmcode.org/opl-file-format/>): one object each, with fields separated by
/// spaces and marked by a letter.
enum OPL {
    /// Returns the field with a letter; empty if there is none.
    static func field(_ letter: Character, of line: Substring) -> Substring {
        line.split(separator: " ").first { $0.first == letter }?.dropFirst() ?? ""
    }

    /// Returns the number of the object.
    static func number(of line: Substring) -> Int64? { Int64(line.dropFirst().prefix { $0 != " " }) }

    /// Returns the nodes of a way.
    static func nodes(of line: Substring) -> [Int64] {
        field("N", of: line).split(separator: ",").compactMap { node in
            Int64(node.drop { $0 == "n" }.prefix { $0 != "x" })
        }
    }
}

/// Splits bytes that arrive in pieces into lines.
struct LineBuffer {
    private var rest: [UInt8] = []

    /// Adds bytes, and passes on each complete line.
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
