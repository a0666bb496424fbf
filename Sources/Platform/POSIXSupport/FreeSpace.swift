import Glibc

/// The free space of file systems.
package enum FreeSpace {
    /// Returns the number of bytes that this user can still write to the file system of a file or directory.
    package static func bytes(at path: String) throws(Errno) -> Int {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { throw Errno() }
        return Int(status.f_bavail) * Int(status.f_frsize)
    }
}
