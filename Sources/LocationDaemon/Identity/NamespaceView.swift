import Glibc

/// The namespaces and the root directory that decide what a process finds at a path, and what it may make of it.
///
/// In namespaces of its own an unprivileged process can put any file at any path: the libraries of a declared program, for
/// one.
struct NamespaceView: Hashable, Sendable {
    private let user: String
    private let mounts: String
    private let root: String

    /// The view of a process; `nil` if it may not be looked at.
    init?(of processID: Int32) {
        guard let user = ProcessEvidence.readLink("/proc/\(processID)/ns/user"),
            let mounts = ProcessEvidence.readLink("/proc/\(processID)/ns/mnt"),
            let root = ProcessEvidence.readLink("/proc/\(processID)/root")
        else { return nil }
        (self.user, self.mounts, self.root) = (user, mounts, root)
    }

    /// The machine's own view, and the service's, which is another where the service is in a sandbox. No unprivileged
    /// process can get into either from outside.
    static let trusted = Set([1, getpid()].compactMap { NamespaceView(of: $0) })
}
