import FoundationEssentials

/// The numbers that the objects of an extract had before `osmium renumber`, from the files that it writes.
struct OriginalNumbers {
    /// For each new number from 1 on the original one.
    private let nodes: Data
    private let ways: Data
    private let relations: Data

    /// Maps the files in `directory` into memory.
    init(directory: String) throws(RegionError) {
        func file(_ kind: String) throws(RegionError) -> Data {
            let path = "\(directory)/\(kind).idx"
            do {
                return try Data(contentsOf: URL(filePath: path), options: .mappedIfSafe)
            } catch {
                throw RegionError("\(path) cannot be read: \(error)")
            }
        }
        nodes = try file("node")
        ways = try file("way")
        relations = try file("relation")
    }

    /// Returns the original identifier for one of `osmium export`: the letter of a node, way or area, and a number. An
    /// area has twice the number of its way, or one more than twice that of its relation.
    func id(of id: String) -> String {
        guard let kind = id.first, let number = Int64(id.dropFirst()) else { return id }
        let original: Int64? =
            switch kind {
            case "n": Self.number(number, in: nodes)
            case "w": Self.number(number, in: ways)
            case "a" where number % 2 == 0: Self.number(number / 2, in: ways).map { $0 * 2 }
            case "a": Self.number(number / 2, in: relations).map { $0 * 2 + 1 }
            default: nil
            }
        // Coast and the parts of repaired ways are not in the original.
        return original.map { "\(kind)\($0)" } ?? id
    }

    private static func number(_ new: Int64, in file: Data) -> Int64? {
        let size = MemoryLayout<Int64>.size
        guard new > 0, new <= file.count / size else { return nil }
        return file.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: (Int(new) - 1) * size, as: Int64.self) }
    }
}
