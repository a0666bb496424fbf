/// A value in SQLite's types.
package enum SQLValue: Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])

    package init(_ value: some BinaryInteger) { self = .integer(Int64(value)) }
    package init(_ value: Double?) { self = value.map { .real($0) } ?? .null }
    package init(_ value: String?) { self = value.map { .text($0) } ?? .null }
    package init(_ value: (some RawRepresentable<String>)?) { self = value.map { .text($0.rawValue) } ?? .null }
    package init(optional value: (some BinaryInteger)?) { self = value.map { SQLValue($0) } ?? .null }
}

extension [SQLValue] {
    /// A checksum, 64-bit FNV-1a (<http://www.isthe.com/chongo/tech/comp/fnv/>), stored beside important values to
    /// detect corruption of the disk.
    package var digest: SQLValue {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func add(_ kind: UInt8, _ bytes: some Sequence<UInt8>) {
            for byte in [kind] + bytes + [0xff] { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        }
        for value in self {
            switch value {
            case .null: add(0, [])
            case .integer(let integer): add(1, String(integer).utf8)
            case .real(let real): add(2, String(real.bitPattern).utf8)
            case .text(let text): add(3, text.utf8)
            case .blob(let bytes): add(4, bytes)
            }
        }
        return .integer(Int64(bitPattern: hash))
    }
}
