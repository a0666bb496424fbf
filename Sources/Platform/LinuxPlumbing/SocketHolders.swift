import Glibc

/// Finds the processes that hold a socket open, by `/proc/PID/fdinfo` and that of each thread with descriptors of its own.
///
/// `/proc/PID/fd` has the same and takes `CAP_DAC_READ_SEARCH` in addition to `CAP_SYS_PTRACE`. A descriptor that is in flight
/// in another socket is held by no process, and not found.
package struct SocketHolders {
    /// The reason why the holders are not known.
    package enum Failure: Error, Hashable, CustomStringConvertible {
        case tooManyProcesses(limit: Int)
        case tooManyFiles(limit: Int)
        case tooSlow
        /// A process whose open files may not be read.
        case notReadable(Int32)

        package var description: String {
            switch self {
            case .tooManyProcesses(let limit): "there are more than \(limit) processes beside it"
            case .tooManyFiles(let limit): "the processes beside it have more than \(limit) open files"
            case .tooSlow: "its open files could not be read in time"
            case .notReadable(let process): "the open files of process \(process) may not be read"
            }
        }
    }

    /// A process with a descriptor of the socket.
    package struct Holder: Hashable, Sendable {
        package let process: WatchedProcess
        /// The file with the kernel's information about the descriptor.
        let path: String
        let inode: UInt32
        let mount: Int32

        /// True if the process still holds the socket by the same descriptor.
        package var isCurrent: Bool {
            !process.hasExited && DescriptorInformation(path: path)?.isSocket(inode, mount) == true
        }
    }

    package static let mostProcesses = 4096
    package static let mostFiles = 65_536

    private let mostFiles: Int

    /// The inodes of the sockets.
    private let inodes: Set<UInt32>
    /// The mount of sockets.
    private let mount: Int32
    /// The time at which the search is given up.
    private let deadline: ContinuousClock.Instant
    /// True if a process whose files may not be read is an error, because this process may read those of all.
    private let readsAll: Bool

    package init(
        of inodes: Set<UInt32>, mount: Int32, deadline: ContinuousClock.Instant, readsAll: Bool = Self.mayReadAll,
        mostFiles: Int = Self.mostFiles
    ) {
        (self.inodes, self.mount, self.deadline, self.readsAll) = (inodes, mount, deadline, readsAll)
        self.mostFiles = mostFiles
    }

    /// The holders of each socket among these processes. Blocks for as long as reading their files in `/proc` takes.
    package func find(among processes: [Int32]) throws(Failure) -> [UInt32: [Holder]] {
        guard processes.count <= Self.mostProcesses else { throw .tooManyProcesses(limit: Self.mostProcesses) }
        var found: [UInt32: [Holder]] = [:]
        var files = 0
        for (process, directory) in try tables(of: processes) {
            let descriptors = try descriptors(in: directory, of: process, limit: mostFiles - files + 1)
            files += descriptors.count
            guard files <= mostFiles else { throw .tooManyFiles(limit: mostFiles) }
            guard ContinuousClock.now < deadline else { throw .tooSlow }
            for (index, descriptor) in descriptors.enumerated() {
                if index % 256 == 255, ContinuousClock.now >= deadline { throw .tooSlow }
                let path = "\(directory)/\(descriptor)"
                guard let information = DescriptorInformation(path: path),
                    information.mount == mount,
                    let inode = information.inode.flatMap(UInt32.init(exactly:)), inodes.contains(inode),
                    found[inode]?.last?.process.processID != process, let held = WatchedProcess(processID: process)
                else { continue }
                // The process that has the id from here on is the one that is referred to.
                let holder = Holder(process: held, path: path, inode: inode, mount: mount)
                if holder.isCurrent { found[inode, default: []].append(holder) }
            }
        }
        return found
    }

    /// The directories with the descriptors of processes: one for each thread that shares them with none before.
    private func tables(of processes: [Int32]) throws(Failure) -> [(process: Int32, directory: String)] {
        var tables: [(process: Int32, directory: String)] = []
        for process in processes {
            tables.append((process, "/proc/\(process)/fdinfo"))
            var owners = [process]
            for name in DirectoryEntries.names(in: "/proc/\(process)/task", limit: mostFiles) {
                guard let thread = Int32(name),
                    !owners.contains(where: { $0 == thread || DescriptorTable.isShared(by: $0, and: thread) })
                else { continue }
                guard ContinuousClock.now < deadline else { throw .tooSlow }
                owners.append(thread)
                tables.append((process, "/proc/\(process)/task/\(thread)/fdinfo"))
            }
        }
        return tables
    }

    private func descriptors(
        in directory: String, of process: Int32, limit: Int
    ) throws(Failure) -> [String] {
        errno = 0
        let descriptors = DirectoryEntries.names(in: directory, limit: limit)
        // The error of opening the directory, which is ENOENT for a process that has exited. Not access(2), which leaves the
        // capability out of account.
        if descriptors.isEmpty, readsAll, errno == EACCES || errno == EPERM { throw .notReadable(process) }
        return descriptors
    }

    /// True if this process has `CAP_SYS_PTRACE`, as the service has, so that it may read the open files of all processes.
    /// Without it, in a trial, only the user's own can be looked at.
    package static let mayReadAll: Bool = {
        let file = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        var text = [UInt8](repeating: 0, count: 4096)
        let count = read(file, &text, text.count)
        let lines = text.prefix(max(0, count)).split(separator: UInt8(ascii: "\n"))
        let name = "CapEff:\t"
        let line = lines.lazy.map { String(decoding: $0, as: UTF8.self) }.first { $0.hasPrefix(name) }
        guard let capabilities = line.flatMap({ UInt64($0.dropFirst(name.count), radix: 16) }) else { return false }
        // CAP_SYS_PTRACE of capabilities(7).
        return capabilities & 1 << 19 != 0
    }()

    /// The mount of sockets, which is the same for all of them: with the inode it names one. `nil` if the kernel does not report it.
    package static func mountOfSockets() -> Int32? {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            return nil
        }
        defer { for end in ends { close(end) } }
        return DescriptorInformation(path: "/proc/self/fdinfo/\(ends[0])")?.mount
    }

    /// The processes of a user, by the owners of their directories in `/proc`.
    package static func processes(of userID: UInt32) -> [Int32] {
        DirectoryEntries.names(in: "/proc").compactMap { Int32($0) }.filter {
            var status = stat()
            return stat("/proc/\($0)", &status) == 0 && status.st_uid == userID
        }
    }
}

extension DescriptorInformation {
    fileprivate func isSocket(_ inode: UInt32, _ mount: Int32) -> Bool {
        self.inode == UInt64(inode) && self.mount == mount
    }
}
