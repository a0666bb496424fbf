import CLinux
import FoundationEssentials
import Glibc
import MapTiles
import POSIXSupport

/// A region in the making: a directory with a dot before its name, which becomes the region when it is complete.
///
/// Its process holds a lock on it. A draft without a lock was left behind by a killed process.
final class RegionDraft: Sendable {
    /// The directory of regions.
    let parent: String
    /// The name of the region.
    let name: String
    private let descriptor: Int32

    /// The directory of the files.
    var directory: String { Self.directory(parent, name) }

    private static func directory(_ parent: String, _ name: String) -> String { "\(parent)/.\(name).partial" }

    /// Creates the directory and its parents, and removes drafts left behind by killed processes.
    init(name: String, in parent: String) throws(RegionError) {
        do {
            try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        } catch {
            throw RegionError(Self.complaint("\(parent) cannot be made", parent))
        }
        Self.removeLeftOvers(in: parent)
        let directory = Self.directory(parent, name)
        if mkdir(directory, 0o755) != 0 {
            if errno == EEXIST {
                throw RegionError("Another process is making the region \(name) in \(parent): wait until it has ended.")
            }
            throw RegionError(Self.complaint("\(directory) cannot be made", parent))
        }
        do throws(Errno) {
            descriptor = try FileLock.directory(directory, waits: false)
        } catch {
            throw RegionError(Self.complaint("\(directory) cannot be locked", parent, error))
        }
        self.name = name
        self.parent = parent
    }

    deinit { close(descriptor) }

    /// Installs the region in one step, in place of an existing one.
    func install() throws(RegionError) {
        let target = "\(parent)/\(name)"
        try synchronize()
        if locationd_exchange(directory, target) == 0 {
            // The previous region now has the name of the draft.
            return try discard()
        }
        // A file system without that call needs two renames.
        if [EINVAL, ENOSYS].contains(errno) { try Self.hide(target, named: name, in: parent) }
        guard access(target, F_OK) != 0, rename(directory, target) == 0 else {
            throw RegionError(Self.complaint("\(target) cannot be installed", parent))
        }
    }

    /// Removes the draft.
    func discard() throws(RegionError) { try Self.remove(directory) }

    /// Writes all files to the disk before the region becomes visible.
    private func synchronize() throws(RegionError) {
        for file in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [] {
            let path = "\(directory)/\(file)"
            do throws(Errno) {
                try DescriptorIO.synchronize(path)
            } catch {
                throw RegionError(Self.complaint("\(path) cannot be written", parent, error))
            }
        }
        guard fsync(descriptor) == 0 else {
            throw RegionError(Self.complaint("\(directory) cannot be written", parent))
        }
    }

    /// Removes an installed region. It becomes invisible at once.
    static func remove(_ name: String, in parent: String) throws(RegionError) {
        try hide("\(parent)/\(name)", named: name, in: parent)
    }

    /// Renames a directory to a hidden name, and removes it.
    private static func hide(_ directory: String, named name: String, in parent: String) throws(RegionError) {
        // The name differs from that of a draft of the same region.
        let hidden = "\(parent)/.\(name).\(getpid()).partial"
        guard rename(directory, hidden) == 0 else {
            throw RegionError(complaint("\(directory) cannot be removed", parent))
        }
        try remove(hidden)
    }

    /// Removes the drafts of killed processes.
    private static func removeLeftOvers(in parent: String) {
        for entry in (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        where entry.hasPrefix(".") && entry.hasSuffix(".partial") {
            // A locked draft is in use. One that cannot be removed does no harm.
            guard let lock = try? FileLock.directory("\(parent)/\(entry)", waits: false) else { continue }
            try? remove("\(parent)/\(entry)")
            close(lock)
        }
    }

    private static func remove(_ directory: String) throws(RegionError) {
        do {
            try FileManager.default.removeItem(atPath: directory)
        } catch {
            if access(directory, F_OK) != 0 { return }
            throw RegionError(
                "\(directory) cannot be removed: \(String(cString: strerror(errno))). Remove it yourself.")
        }
    }

    private static func complaint(_ what: String, _ parent: String, _ error: Errno = Errno()) -> String {
        let advice =
            [EACCES, EPERM, EROFS].contains(error.code)
            ? parent == MapRegions.systemDirectory ? " Regions of the machine are for root." : "" : ""
        return "\(what): \(error).\(advice)"
    }
}
