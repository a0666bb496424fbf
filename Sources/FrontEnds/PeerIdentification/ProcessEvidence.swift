import LinuxPlumbing
import Glibc
package import LocationPolicy

/// Reads the kernel's evidence about a process by its id.
///
/// The id may be reused while the evidence is read: the caller holds a pidfd and discards the evidence if the process
/// has exited at the end. Unknown properties are `nil`, which matches no declaration.
package enum ProcessEvidence {
    /// The program of a process.
    package enum Executable: Sendable, Equatable {
        /// The absolute path of its file.
        case verified(String)
        /// A path that is not verified.
        case unverified(UnverifiedExecutable)
        /// A path whose file system has to be asked.
        case needsLookup(String)
        case unknown
    }

    /// The program of the process, without waiting for a file system, because the user chooses its file system and
    /// could make it hang.
    ///
    /// The link in `/proc` shows the path as the process sees it, and in a mount namespace of its own a process can put
    /// any file at any path. So the path counts only if the file there, as seen by the service, is the one that the
    /// process runs. This also excludes a program whose file has been replaced since it started.
    ///
    /// For other users' processes this needs `CAP_SYS_PTRACE`.
    static func executable(of processID: Int32) -> Executable {
        guard let path = readLink("/proc/\(processID)/exe"), path.hasPrefix("/") else { return .unknown }
        return executable(of: processID, at: path, FileIdentity.known(at: path))
    }

    /// The program of a process, looked up at `path`. May block for any time.
    package static func lookUpExecutable(of processID: Int32, at path: String) -> Executable {
        executable(of: processID, at: path, FileIdentity.lookedUp(at: path))
    }

    private static func executable(of processID: Int32, at path: String, _ search: FileIdentity.Search) -> Executable {
        switch search {
        case .found(let installed):
            guard let running = FileIdentity(runBy: processID) else { return .unknown }
            return running == installed
                ? .verified(path) : .unverified(UnverifiedExecutable(path: path, reason: .elsewhere))
        case .closed: return .unverified(UnverifiedExecutable(path: path, reason: .closedDirectory))
        case .missing: return .unverified(removed(path))
        case .unknown where path.hasSuffix(removal): return .unverified(removed(path))
        case .unknown: return .needsLookup(path)
        }
    }

    /// The end of a path by which the kernel says that its file has been removed.
    private static let removal = " (deleted)"

    /// A program whose file the service does not see at the path that the kernel names: replaced if there is another one now. The
    /// path counts for nothing but the message.
    private static func removed(_ path: String) -> UnverifiedExecutable {
        let place = String(path.dropLast(removal.count))
        guard path.hasSuffix(removal), case .found = FileIdentity.known(at: place) else {
            return UnverifiedExecutable(path: path, reason: .elsewhere)
        }
        return UnverifiedExecutable(path: place, reason: .replaced)
    }

    /// The id of the Flatpak application whose sandbox runs in `unit`.
    ///
    /// Flatpak starts each sandbox in a scope named `app-flatpak-APPLICATION-NUMBER.scope` (flatpak's
    /// `common/flatpak-run.c`), with the escapes of unit names (systemd.unit(5)).
    static func flatpakID(ofUnit unit: String) -> String? {
        let (prefix, suffix) = ("app-flatpak-", ".scope")
        guard unit.hasPrefix(prefix), unit.hasSuffix(suffix) else { return nil }
        let name = unit.dropFirst(prefix.count).dropLast(suffix.count)
        guard let dash = name.lastIndex(of: "-"), name[name.index(after: dash)...].allSatisfy(\.isNumber) else {
            return nil
        }
        let application = name[..<dash].replacing("\\x2d", with: "-")
        return application.isEmpty ? nil : String(application)
    }

    /// The target of a link in `/proc`. Never blocks, even if the target is on a file system that does not answer.
    package static func readLink(_ path: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let count = readlink(path, start, buffer.count)
            guard count > 0, count < buffer.count else { return nil }
            return String(validating: buffer[..<count].lazy.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }
}
