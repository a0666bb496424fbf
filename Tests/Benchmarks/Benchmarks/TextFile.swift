import Glibc

/// Small files.
enum TextFile {
    static func read(_ path: String) throws -> String {
        guard let file = fopen(path, "r") else { throw BenchmarkError.unreadable(path) }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = fread(&block, 1, block.count, file)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += block[..<count]
        }
    }

    static func write(_ text: String, to path: String) throws {
        guard let file = fopen(path, "w") else { throw BenchmarkError.unreadable(path) }
        defer { fclose(file) }
        guard fputs(text, file) >= 0 else { throw BenchmarkError.unreadable(path) }
    }

    /// What is in a directory, dot files left out.
    static func names(in path: String) throws -> [String] {
        guard let directory = opendir(path) else { throw BenchmarkError.unreadable(path) }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    /// Removes a directory with the files in it, and theirs one level down.
    static func removeDirectory(_ path: String) {
        for name in (try? names(in: path)) ?? [] {
            let entry = path + "/" + name
            if unlink(entry) != 0 { removeDirectory(entry) }
        }
        rmdir(path)
    }
}
