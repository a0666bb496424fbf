import Glibc

/// Access to small files.
package enum TextFile {
    /// A file or directory that cannot be opened, read or written.
    package struct Unreadable: Error {
        package var path: String
    }

    package static func read(_ path: String) throws -> String {
        guard let file = fopen(path, "r") else { throw Unreadable(path: path) }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = fread(&block, 1, block.count, file)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += block[..<count]
        }
    }

    package static func write(_ text: String, to path: String) throws {
        guard let file = fopen(path, "w") else { throw Unreadable(path: path) }
        defer { fclose(file) }
        guard fputs(text, file) >= 0 else { throw Unreadable(path: path) }
    }

    /// The names in a directory, without dot files.
    package static func names(in path: String) throws -> [String] {
        guard let directory = opendir(path) else { throw Unreadable(path: path) }
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

    /// Removes a directory with its files and their files one level down.
    package static func removeDirectory(_ path: String) {
        for name in (try? names(in: path)) ?? [] {
            let entry = path + "/" + name
            if unlink(entry) != 0 { removeDirectory(entry) }
        }
        rmdir(path)
    }
}
