import Glibc

/// Lists directories.
package enum DirectoryListing {
    /// The names in a directory, sorted, without those that are no text.
    package static func names(in directory: String) throws(Errno) -> [String] {
        guard let stream = opendir(directory) else { throw Errno() }
        defer { closedir(stream) }
        return try names(in: stream)
    }

    /// The names in an open directory.
    package static func names(in stream: OpaquePointer) throws(Errno) -> [String] {
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: entry.pointee.d_name)) {
                    String(validatingCString: $0)
                }
            }
            if let name, name != ".", name != ".." { names.append(name) }
        }
        guard errno == 0 else { throw Errno() }
        return names.sorted()
    }
}
