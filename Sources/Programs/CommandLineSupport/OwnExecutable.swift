import FoundationEssentials

/// The file of the running program.
package enum OwnExecutable {
    /// Its directory; empty where the system does not report it, in which nothing is found then.
    package static var directory: String {
        path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    }

    /// True if its file was removed or replaced since it was started, as by an upgrade: the service does not recognise it any
    /// more.
    package static var isReplaced: Bool { path.hasSuffix(" (deleted)") }

    private static var path: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    }
}
