import Glibc

/// The namespaces and the root directory of a process, which decide about the files that it sees.
///
/// In namespaces of its own an unprivileged process can replace any file, for example the libraries of a declared
/// program.
struct NamespaceView: Hashable, Sendable {
    private let user: String
    private let mounts: String
    private let root: String

    /// The namespaces of a process; `nil` if they may not be read.
    init?(of processID: Int32) {
        guard let user = ProcessEvidence.readLink("/proc/\(processID)/ns/user"),
            let mounts = ProcessEvidence.readLink("/proc/\(processID)/ns/mnt"),
            let root = ProcessEvidence.readLink("/proc/\(processID)/root")
        else { return nil }
        (self.user, self.mounts, self.root) = (user, mounts, root)
    }

    /// The namespaces of the machine and of the service, which differ if the service is sandboxed. No unprivileged
    /// process can enter them from outside.
    static let trusted = Set([1, getpid()].compactMap { NamespaceView(of: $0) })
}
