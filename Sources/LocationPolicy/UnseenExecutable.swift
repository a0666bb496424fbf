/// A program that is not recognised by its path alone, and why. People are told of it.
public struct UnseenExecutable: Hashable, Sendable {
    /// Why the service does not see it.
    public enum Reason: Hashable, Sendable {
        /// A directory on the way is closed to the service's user: a home of mode 0700, say.
        case closedDirectory
        /// There is no such file for the service, or another one.
        case elsewhere
        /// It is in a user or mount namespace, or below a root directory, that is not the machine's: the file counts where
        /// a declaration has another criterion, too, but not alone.
        case ownNamespace
        /// The file system that it is in would have to be asked, which is done only where a declaration names it.
        case notLookedUp
    }

    /// The path as the process sees it, which is no more than its own word.
    public let path: String
    /// Why it does not count.
    public let reason: Reason

    /// A program at `path`, not seen for this `reason`.
    public init(path: String, reason: Reason) {
        self.path = path
        self.reason = reason
    }
}

extension UnseenExecutable.Reason: CustomStringConvertible {
    /// The end of a sentence: a program that …
    public var description: String {
        switch self {
        case .closedDirectory:
            "cannot be recognised by its executable: the service's user may not enter a directory on the way to it"
        case .elsewhere:
            "cannot be recognised by its executable: the service does not see that file at that path, because it was "
                + "replaced since it was started, or is in /tmp or in a file system of the process's own"
        case .ownNamespace:
            "cannot be recognised by its executable alone: it is in a namespace or root directory of its own, where its "
                + "user decides what it loads, so a declaration needs SystemdUnit, FlatpakID or SecurityLabel, too"
        case .notLookedUp:
            "cannot be recognised by its executable yet: it is in a file system that may not answer, and is looked up "
                + "only when a declaration or Agents names it and it connects anew"
        }
    }
}
