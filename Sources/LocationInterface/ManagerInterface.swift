/// `org.locationd.Manager`: the state of the service, its configuration, decisions and history.
public enum ManagerInterface {
    /// The state of the service.
    public enum GetServiceStatus: InterfaceMethod {
        /// `org.locationd.Manager.GetServiceStatus`
        public static let name = "org.locationd.Manager.GetServiceStatus"

        /// The parameters.
        public struct Parameters: Codable, Hashable, Sendable {
            /// True for a list of the satellites that each receiver sees.
            public var satellites: Bool?

            /// Parameters with or without satellites.
            public init(satellites: Bool? = nil) { self.satellites = satellites }
        }

        /// The reply.
        public struct Reply: Codable, Hashable, Sendable {
            /// The service's release.
            public var version: String
            /// The source of locations.
            public var source: Source
            /// True if a current location is known; `nil` for callers that may not know it.
            public var isLocationAvailable: Bool?
            /// True if location services are on for the machine.
            public var isEnabled: Bool
            /// True if location services are on for the caller's user.
            public var isEnabledForUser: Bool
            /// True if an agent shows prompts to the caller's user.
            public var hasAgent: Bool
            /// The number of open connections.
            public var connections: Int?
            /// The number of open subscriptions.
            public var subscriptions: Int?
            /// The number of declared clients.
            public var clients: Int
            /// The outcomes of deliveries. Only for root and the service's own user, because they reveal movement.
            public var deliveries: Deliveries?
            /// The memory in use on the service's heap, in bytes. Only for root and the service's own user.
            public var memoryInUse: Int?
            /// True if location services are off for the machine because a damaged database was replaced, until an
            /// administrator decides.
            public var isOffAfterDamage: Bool?
            /// The front ends besides the service's own socket.
            public var frontEnds: [FrontEnd]?
            /// The parts of the configuration that were refused when it was last read.
            public var problems: [ConfigurationProblem]

            /// A state of the service.
            public init(
                version: String, source: Source, isLocationAvailable: Bool?, isEnabled: Bool, isEnabledForUser: Bool,
                hasAgent: Bool, connections: Int?, subscriptions: Int?, clients: Int, deliveries: Deliveries? = nil,
                memoryInUse: Int? = nil, problems: [ConfigurationProblem]
            ) {
                self.version = version
                self.source = source
                self.isLocationAvailable = isLocationAvailable
                self.isEnabled = isEnabled
                self.isEnabledForUser = isEnabledForUser
                self.hasAgent = hasAgent
                self.connections = connections
                self.subscriptions = subscriptions
                self.clients = clients
                self.deliveries = deliveries
                self.memoryInUse = memoryInUse
                self.problems = problems
            }
        }
    }

    /// Reads the configuration again. For root and the service's own user.
    public enum Reload: InterfaceMethod {
        /// `org.locationd.Manager.Reload`
        public static let name = "org.locationd.Manager.Reload"
        /// No parameters.
        public typealias Parameters = Nothing

        /// The reply.
        public struct Reply: Codable, Hashable, Sendable {
            /// The refused parts; the previous ones stay in force.
            public var problems: [ConfigurationProblem]

            /// A reply with these problems.
            public init(problems: [ConfigurationProblem]) { self.problems = problems }
        }
    }

    /// A problem in a configuration file, which was therefore refused.
    public struct ConfigurationProblem: Codable, Hashable, Sendable {
        /// The file.
        public var file: String
        /// The line, for XML.
        public var line: Int?
        /// The key path in the property list, such as `Match.Executable`.
        public var keyPath: String?
        /// A sentence with the problem and the remedy.
        public var message: String

        /// A problem.
        public init(file: String, line: Int?, keyPath: String?, message: String) {
            self.file = file
            self.line = line
            self.keyPath = keyPath
            self.message = message
        }
    }

    /// A front end besides the service's own socket: another protocol through which programs connect.
    public struct FrontEnd: Codable, Hashable, Sendable {
        /// Its name, such as `GeoClue`.
        public var name: String
        /// A sentence with the reason why it is closed; `nil` while it is open.
        public var problem: String?

        /// A front end that is open, or closed because of a problem.
        public init(name: String, problem: String? = nil) {
            self.name = name
            self.problem = problem
        }
    }

    /// The source of locations.
    public struct Source: Codable, Hashable, Sendable {
        /// The state of the connection to the source.
        public enum State: String, Codable, Hashable, Sendable, CaseIterable {
            /// Not connected, because no locations are needed.
            case idle
            /// The connection is being established.
            case connecting
            /// Connected.
            case connected
            /// Not connected; the next attempt is scheduled.
            case waiting
        }

        /// The address of gpsd, or the file that is replayed.
        public var name: String
        /// The state of the connection to it.
        public var state: State
        /// gpsd's release.
        public var version: String?
        /// The last failure, as a sentence.
        public var problem: String?
        /// The receivers it knows.
        public var receivers: [Receiver]
        /// The numbers of dropped reports and of reconnections since the start, by kind.
        public var counters: [String: Int]

        /// A source in this state.
        public init(
            name: String, state: State, version: String?, problem: String?, receivers: [Receiver],
            counters: [String: Int]
        ) {
            self.name = name
            self.state = state
            self.version = version
            self.problem = problem
            self.receivers = receivers
            self.counters = counters
        }
    }

    /// The source of a service that is stopping: none.
    public static let noSource = Source(
        name: "none", state: .idle, version: nil, problem: nil, receivers: [], counters: [:])

    /// One satellite that a receiver sees.
    public struct Satellite: Codable, Hashable, Sendable {
        /// Its number in gpsd's numbering (`PRN`), which covers all satellite systems.
        public var number: Int
        /// True if the fix uses it.
        public var isUsed: Bool
        /// The strength of its signal, in dBHz.
        public var signal: Double?

        /// A satellite.
        public init(number: Int, isUsed: Bool, signal: Double?) {
            self.number = number
            self.isUsed = isUsed
            self.signal = signal
        }
    }

    /// One receiver that the source knows.
    public struct Receiver: Codable, Hashable, Sendable {
        /// The kind of fix.
        public enum Mode: String, Codable, Hashable, Sendable, CaseIterable {
            /// The receiver has not reported yet.
            case unknown
            /// No fix.
            case noFix
            /// Position without altitude.
            case fix2D
            /// Position with altitude.
            case fix3D
        }

        /// gpsd's name of the receiver; `nil` if its reports have none.
        public var device: String?
        /// gpsd's driver for it.
        public var driver: String?
        /// True for the receiver whose locations are published.
        public var isCurrent: Bool
        /// The kind of fix.
        public var mode: Mode
        /// The number of satellites that its fix uses.
        public var satellitesUsed: Int?
        /// The number of satellites that it sees.
        public var satellitesSeen: Int?
        /// The satellites that it sees, if the call asked for them.
        public var satellites: [Satellite]?
        /// The dilution of precision of the horizontal position.
        public var horizontalDilution: Double?
        /// The dilution of precision of position and altitude.
        public var positionDilution: Double?
        /// Seconds since its last fix arrived.
        public var fixAge: Double?
        /// Seconds between its fixes.
        public var interval: Double?
        /// The seconds by which this machine's clock was ahead of the receiver's at its last report. Includes the time
        /// that the report took to arrive.
        public var clockOffset: Double?

        /// A receiver without the optional properties.
        public init(device: String?, isCurrent: Bool, mode: Mode) {
            self.device = device
            self.isCurrent = isCurrent
            self.mode = mode
        }
    }
}
