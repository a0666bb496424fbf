/// `org.locationd.Manager`: running the service.
public enum ManagerInterface {
    /// The state of the service.
    public enum GetServiceStatus: InterfaceMethod {
        /// `org.locationd.Manager.GetServiceStatus`
        public static let name = "org.locationd.Manager.GetServiceStatus"

        /// What is asked for besides.
        public struct Parameters: Codable, Hashable, Sendable {
            /// The satellites that each receiver sees.
            public var satellites: Bool?

            /// Nothing besides, or the satellites.
            public init(satellites: Bool? = nil) { self.satellites = satellites }
        }

        /// The answer.
        public struct Reply: Codable, Hashable, Sendable {
            /// The service's release.
            public var version: String
            /// Where locations come from.
            public var source: Source
            /// Whether a location is known now.
            public var isLocationAvailable: Bool?
            /// Whether location services are on for everybody.
            public var isEnabled: Bool
            /// Whether location services are on for the caller's user.
            public var isEnabledForUser: Bool
            /// Whether an agent of the caller's user is there to show prompts.
            public var hasAgent: Bool
            /// How many connections are open.
            public var connections: Int?
            /// How many subscriptions are open.
            public var subscriptions: Int?
            /// How many clients are declared.
            public var clients: Int
            /// What became of the locations. For root and the service's own user: others could tell from it how
            /// somebody moves.
            public var deliveries: Deliveries?
            /// How many bytes the service has taken from its heap and not given back. For the same.
            public var memoryInUse: Int?
            /// The doors besides the service's own socket.
            public var doors: [Door]?
            /// What was refused when the configuration was last read.
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
        /// Nothing is asked for.
        public typealias Parameters = Nothing

        /// The answer.
        public struct Reply: Codable, Hashable, Sendable {
            /// What was refused; what was in force before is still.
            public var problems: [ConfigurationProblem]

            /// These were refused.
            public init(problems: [ConfigurationProblem]) { self.problems = problems }
        }
    }

    /// Something in a configuration file that was refused.
    public struct ConfigurationProblem: Codable, Hashable, Sendable {
        /// The file.
        public var file: String
        /// The line, for XML.
        public var line: Int?
        /// Where in the property list: `Match.Executable`.
        public var keyPath: String?
        /// What is wrong and what to do, as a sentence.
        public var message: String

        /// A problem in a place.
        public init(file: String, line: Int?, keyPath: String?, message: String) {
            self.file = file
            self.line = line
            self.keyPath = keyPath
            self.message = message
        }
    }

    /// A door besides the service's own socket: another protocol by which programs come.
    public struct Door: Codable, Hashable, Sendable {
        /// What people call it: `GeoClue`.
        public var name: String
        /// Why nobody can come by it now, as a sentence; `nil` while it is open.
        public var problem: String?

        /// A door that is open, or has a problem.
        public init(name: String, problem: String? = nil) {
            self.name = name
            self.problem = problem
        }
    }

    /// Where locations come from.
    public struct Source: Codable, Hashable, Sendable {
        /// The state of the connection to the source.
        public enum State: String, Codable, Hashable, Sendable, CaseIterable {
            /// Nobody needs locations.
            case idle
            /// A connection is being made.
            case connecting
            /// Connected.
            case connected
            /// Not connected; the next try is due.
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
        /// How often something was dropped since the start, by what it was.
        public var counters: [String: Int]

        /// A source in a state.
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

    /// No source at all: the service is ending.
    public static let noSource = Source(
        name: "none", state: .idle, version: nil, problem: nil, receivers: [], counters: [:])

    /// One satellite that a receiver sees.
    public struct Satellite: Codable, Hashable, Sendable {
        /// Its number, as gpsd counts them over all systems.
        public var number: Int
        /// Whether the fix uses it.
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
        /// Whether it has a fix.
        public enum Mode: String, Codable, Hashable, Sendable, CaseIterable {
            /// It has not said.
            case unknown
            /// It has none.
            case noFix
            /// Position without altitude.
            case fix2D
            /// Position with altitude.
            case fix3D
        }

        /// The receiver as gpsd names it; `nil` when the reports do not say.
        public var device: String?
        /// The driver gpsd uses for it.
        public var driver: String?
        /// True for the one whose locations are published.
        public var isCurrent: Bool
        /// Whether it has a fix.
        public var mode: Mode
        /// How many satellites its fix uses.
        public var satellitesUsed: Int?
        /// How many it sees.
        public var satellitesSeen: Int?
        /// The satellites it sees, for a call that asks for them.
        public var satellites: [Satellite]?
        /// The dilution of precision of the horizontal position.
        public var horizontalDilution: Double?
        /// The dilution of precision of position and altitude.
        public var positionDilution: Double?
        /// Seconds since its last fix arrived.
        public var fixAge: Double?
        /// Seconds between its fixes.
        public var interval: Double?
        /// Seconds by which the clock of this machine was ahead of the receiver's when that last told the time. The time
        /// that a report takes to arrive is in it.
        public var clockOffset: Double?

        /// A receiver of which nothing more is known; set what is.
        public init(device: String?, isCurrent: Bool, mode: Mode) {
            self.device = device
            self.isCurrent = isCurrent
            self.mode = mode
        }
    }
}
