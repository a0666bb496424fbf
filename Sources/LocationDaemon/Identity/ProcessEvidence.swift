import Glibc
import LocationPolicy

/// What the kernel says of a process, by its id.
///
/// The caller holds the process, so that the id cannot pass to another meanwhile. What cannot be found out is `nil`,
/// which matches no declaration.
enum ProcessEvidence {
    /// What is known of the program that a process runs.
    enum Executable: Sendable, Equatable {
        /// The absolute path of the file that it runs.
        case seen(String)
        /// A path that does not count.
        case unseen(UnseenExecutable)
        /// A path that a file system has to be asked about.
        case toBeLookedUp(String)
        case unknown
    }

    /// The program that the process runs, as far as it can be told without waiting for a file system: that of an executable
    /// is its user's choice, who can have it not answer.
    ///
    /// The link in `/proc` shows the path as the process sees it, and in a mount namespace of its own a process can put
    /// any file at any path. So the path counts only if what is there for us is what the process runs. That also
    /// leaves out a program whose file was replaced since it started.
    ///
    /// For other users' processes this takes `CAP_SYS_PTRACE`.
    static func executable(of processID: Int32) -> Executable {
        guard let path = readLink("/proc/\(processID)/exe"), path.hasPrefix("/") else { return .unknown }
        return executable(of: processID, at: path, FileIdentity.known(at: path))
    }

    /// The same of a program that runs from `path`, where that is looked up. May take any time.
    static func lookUpExecutable(of processID: Int32, at path: String) -> Executable {
        executable(of: processID, at: path, FileIdentity.lookedUp(at: path))
    }

    private static func executable(of processID: Int32, at path: String, _ search: FileIdentity.Search) -> Executable {
        switch search {
        case .found(let installed):
            guard let running = FileIdentity(runBy: processID) else { return .unknown }
            return running == installed ? .seen(path) : .unseen(UnseenExecutable(path: path, reason: .elsewhere))
        case .closed: return .unseen(UnseenExecutable(path: path, reason: .closedDirectory))
        case .missing: return .unseen(UnseenExecutable(path: path, reason: .elsewhere))
        // So the kernel shows the path of a file that was removed.
        case .unknown where path.hasSuffix(" (deleted)"):
            return .unseen(UnseenExecutable(path: path, reason: .elsewhere))
        case .unknown: return .toBeLookedUp(path)
        }
    }

    /// The Flatpak application whose sandbox runs in `unit`.
    ///
    /// Flatpak starts each sandbox in a scope named `app-flatpak-APPLICATION-NUMBER.scope`
    /// (flatpak's `common/flatpak-run.c`), escaped as unit names are (systemd.unit(5)).
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

    /// The text of a link in `/proc`. Never waits, even where the link leads into a file system that does not answer.
    static func readLink(_ path: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let count = readlink(path, start, buffer.count)
            guard count > 0, count < buffer.count else { return nil }
            return String(validating: buffer[..<count].lazy.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }
}
