public import LocationPolicy

/// Everything that is configured, read and checked.
public struct Configuration: Sendable {
    /// A file in a client directory that a file of the same name in a later directory replaces.
    public struct HiddenFile: Hashable, Sendable {
        /// The file that does not count.
        public let file: String
        /// The file that counts instead.
        public let replacement: String
        /// True when the replacement is empty or a link to `/dev/null`: then the client is not declared at all.
        public let isMasked: Bool
    }

    /// The daemon's own settings.
    public var daemon: DaemonConfiguration
    /// The declared clients in force, by identifier; no identifier comes twice.
    public var clients: [ClientDeclaration]
    /// What was refused while this was read, and what that means for what is in force.
    public var problems: [ConfigurationProblem]
    /// The files that others replace.
    public var hiddenFiles: [HiddenFile]

    /// A configuration without problems.
    public init(daemon: DaemonConfiguration = DaemonConfiguration(), clients: [ClientDeclaration] = []) {
        self.daemon = daemon
        self.clients = clients
        self.problems = []
        self.hiddenFiles = []
    }
}
