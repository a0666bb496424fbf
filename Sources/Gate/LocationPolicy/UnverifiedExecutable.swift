/// The path of a program that does not identify its process, and the reason. Used in messages to people.
public struct UnverifiedExecutable: Hashable, Sendable {
    /// The reason why the path is not verified.
    public enum Reason: Hashable, Sendable {
        /// A directory in the path is not accessible to the service's user, such as a home directory of mode 0700.
        case closedDirectory
        /// The service sees no file at this path, or another file.
        case elsewhere
        /// The file that the process runs is no longer at this path, since another one has taken its place, as an upgrade does.
        case replaced
        /// The process is in a user namespace, mount namespace or root directory of its own. The path then counts only
        /// beside another criterion of a declaration.
        case ownNamespace
        /// The path is on a file system that could block the look-up, which is done only for paths that a declaration
        /// names.
        case notLookedUp
    }

    /// The path as the process sees it. This is only the process's own claim.
    public let path: String
    /// The reason why the path does not count.
    public let reason: Reason

    /// An unverified program at `path`.
    public init(path: String, reason: Reason) {
        self.path = path
        self.reason = reason
    }
}

extension UnverifiedExecutable.Reason: CustomStringConvertible {
    /// The predicate of a sentence about the program.
    public var description: String {
        switch self {
        case .closedDirectory:
            "cannot be recognised by its executable: the service's user may not enter a directory on the way to it"
        case .elsewhere:
            "cannot be recognised by its executable: the service does not see that file at that path, because it was "
                + "removed since it was started, or is in /tmp or in a file system of the process's own"
        case .replaced:
            "cannot be recognised by its executable: that file was replaced since the program was started, as by an upgrade"
        case .ownNamespace:
            "cannot be recognised by its executable alone: it is in a namespace or root directory of its own, where its "
                + "user decides what it loads, so a declaration needs SystemdUnit, FlatpakID or SecurityLabel, too"
        case .notLookedUp:
            "cannot be recognised by its executable yet: a directory on the way to it is closed to the service's user, or "
                + "its file system may not answer; it is looked up only when a declaration or Agents names it and it "
                + "connects anew"
        }
    }
}
