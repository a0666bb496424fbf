import Glibc

/// Finds the processes of a control group by the group's id.
///
/// The id is the inode of the group's directory, so the directory has to be searched for once. Users can create groups below
/// their own slice, without end: a slice of another user is searched last, and none beyond a limit.
///
/// Reads files of the kernel only. Confined to one thread at a time.
package struct ControlGroups {
    /// The largest number of directories searched in one user's slice, and in all the others together.
    private static let mostDirectories = 4096
    /// The capacity of the cache, which is emptied when it is full.
    private static let capacity = 1024

    private let root: String
    /// True if the directory has the unified hierarchy (cgroup v2), to which the ids of sockets belong.
    package let isUnified: Bool
    /// The paths that were found, by id. A path counts only if its directory still has the id.
    private var known: [UInt64: String] = [:]

    package init(root: String = "/sys/fs/cgroup") {
        self.root = root
        // The other hierarchies have no such file.
        isUnified = access(root + "/cgroup.controllers", F_OK) == 0
    }

    /// The processes in a group, but not those in groups below it; `nil` if it is not found.
    ///
    /// - Parameter userID: a user whose own slice is searched before those of other users.
    package mutating func processes(in id: UInt64, of userID: UInt32) -> [Int32]? {
        guard let path = path(of: id, userID) else { return nil }
        return Self.processes(listedIn: path + "/cgroup.procs")
    }

    private mutating func path(of id: UInt64, _ userID: UInt32) -> String? {
        if let path = known[id], Self.inode(of: path) == id { return path }
        if known.count >= Self.capacity { known = [:] }
        let users = root + "/user.slice"
        let own = users + "/user-\(userID).slice"
        var found = search(own, for: id) ?? search(root, for: id) { $0.hasPrefix(users + "/user-") }
        if found == nil {
            for slice in Self.directories(in: users) where slice != own && found == nil {
                found = search(slice, for: id)
            }
        }
        known[id] = found
        return found
    }

    /// Searches a directory and those below it, level by level.
    private func search(_ start: String, for id: UInt64, leavingOut isLeftOut: (String) -> Bool = { _ in false })
        -> String?
    {
        var waiting = [start]
        var next = 0
        while next < waiting.count, next < Self.mostDirectories {
            let directory = waiting[next]
            next += 1
            if Self.inode(of: directory) == id { return directory }
            guard waiting.count < Self.mostDirectories else { continue }
            waiting += Self.directories(in: directory).filter { !isLeftOut($0) }
        }
        return nil
    }

    private static func inode(of path: String) -> UInt64? {
        var status = stat()
        return lstat(path, &status) == 0 ? UInt64(status.st_ino) : nil
    }

    /// The paths of the directories in a directory.
    private static func directories(in directory: String) -> [String] {
        DirectoryEntries.names(in: directory) { $0.d_type == UInt8(DT_DIR) }.map { "\(directory)/\($0)" }
    }

    /// The process ids in a file of one number a line.
    private static func processes(listedIn path: String) -> [Int32]? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var text: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            let count = read(file, &piece, piece.count)
            guard count > 0 else { break }
            text += piece[..<count]
        }
        return text.split(separator: UInt8(ascii: "\n")).compactMap { Int32(String(decoding: $0, as: UTF8.self)) }
    }
}

/// The names in directories of the kernel's own file systems.
enum DirectoryEntries {
    /// The names of the entries that meet a condition, at most `limit`, without `.` and `..`; empty for a directory that cannot be
    /// read.
    static func names(
        in directory: String, limit: Int = .max, where isWanted: (dirent) -> Bool = { _ in true }
    ) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while names.count < limit, let entry = readdir(stream) {
            guard isWanted(entry.pointee) else { continue }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
