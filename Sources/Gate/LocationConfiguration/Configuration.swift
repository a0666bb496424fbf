public import LocationPolicy

/// The whole configuration, read and validated.
public struct Configuration: Sendable {
    /// A file in a client directory that is replaced by a file of the same name in a later directory.
    public struct HiddenFile: Hashable, Sendable {
        /// The replaced file.
        public let file: String
        /// The replacement.
        public let replacement: String
        /// True if the replacement is empty or a link to `/dev/null`, so that the client is not declared.
        public let isMasked: Bool
    }

    /// The daemon's own settings.
    public var daemon: DaemonConfiguration
    /// The declared clients in force, by identifier; identifiers are unique.
    public var clients: [ClientDeclaration]
    /// False if there may be further declarations, in a file or directory that cannot be read. A program without a
    /// declaration may then be one that they restrict, so it gets no location.
    public var areClientsKnown = true
    /// The problems found, and their effects on the configuration in force.
    public var problems: [ConfigurationProblem] = []
    /// The drop-ins of the daemon's file that were left out, because this user may not read them.
    package var unreadableDropIns: [String] = []
    /// The replaced files.
    public var hiddenFiles: [HiddenFile] = []

    /// The system units that the service may start, sorted: those of clients that can get a location at all.
    package var startableUnits: [String] {
        let units = clients.compactMap { client -> String? in
            guard case .system(let unit)? = client.launch, !client.policy.isRestricted else { return nil }
            return unit
        }
        return Set(units).sorted()
    }

    /// A configuration without problems.
    public init(daemon: DaemonConfiguration = DaemonConfiguration(), clients: [ClientDeclaration] = []) {
        self.daemon = daemon
        self.clients = clients
    }
}
