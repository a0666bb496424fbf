import Glibc
import LocationPolicy

/// What the kernel says of a process, by its id.
///
/// The caller holds the process, so that the id cannot pass to another meanwhile. What cannot be found out is `nil`,
/// which matches no declaration.
enum ProcessEvidence {
    /// What is known of the program that a process runs.
    enum Executable {
        /// The absolute path of the file that it runs.
        case seen(String)
        /// A path that does not count.
        case unseen(UnseenExecutable)
        case unknown
    }

    /// The program that the process runs.
    ///
    /// The link in `/proc` shows the path as the process sees it, and in a mount namespace of its own a process can put
    /// any file at any path. So the path counts only if what is there for us is what the process runs. That also
    /// leaves out a program whose file was replaced since it started.
    ///
    /// For other users' processes this takes `CAP_SYS_PTRACE`.
    static func executable(of processID: Int32) -> Executable {
        let link = "/proc/\(processID)/exe"
        guard let path = readLink(link), path.hasPrefix("/") else { return .unknown }
        var running = stat()
        var installed = stat()
        guard stat(link, &running) == 0 else { return .unknown }
        guard stat(path, &installed) == 0 else {
            return .unseen(UnseenExecutable(path: path, reason: errno == EACCES ? .closedDirectory : .elsewhere))
        }
        guard running.st_dev == installed.st_dev, running.st_ino == installed.st_ino else {
            return .unseen(UnseenExecutable(path: path, reason: .elsewhere))
        }
        return .seen(path)
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

    private static func readLink(_ path: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let count = readlink(path, start, buffer.count)
            guard count > 0, count < buffer.count else { return nil }
            return String(validating: buffer[..<count].lazy.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }
}
