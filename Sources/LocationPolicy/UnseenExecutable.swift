/// A program whose path does not count, since the service does not see there what the process runs. It matches nothing;
/// people are told of it.
public struct UnseenExecutable: Hashable, Sendable {
    /// Why the service does not see it.
    public enum Reason: Hashable, Sendable {
        /// A directory on the way is closed to the service's user: a home of mode 0700, say.
        case closedDirectory
        /// There is no such file for the service, or another one.
        case elsewhere
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
        }
    }
}
