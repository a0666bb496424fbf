/// What the daemon's own file says; what it does not say is as here.
public struct DaemonConfiguration: Hashable, Sendable {
    /// Where gpsd listens.
    public enum Endpoint: Hashable, Sendable {
        /// `Host` and `Port`. Every user of the machine can reach such a port, and so go round any policy.
        case tcp(host: String = defaultHost, port: Int = defaultPort)
        /// `Socket`: the absolute path of a Unix socket, which file permissions protect.
        case unix(path: String)

        /// The `Host` where none is given.
        public static let defaultHost = "127.0.0.1"
        /// The `Port` where none is given: the one gpsd has been assigned.
        public static let defaultPort = 2947
    }

    /// What one user may have at once. Root is bound by it too.
    public struct Limits: Hashable, Sendable {
        /// `ConnectionsPerUser`: open connections; 2048, from 1 to 65536.
        public var connectionsPerUser = 2048
        /// `SubscriptionsPerUser`: streams over all connections; 2048, from 1 to 65536.
        public var subscriptionsPerUser = 2048
        /// `BytesPerUser`: what the service holds for all connections, in bytes: calls that are not complete or not answered,
        /// and answers that are not read; 8388608, from 65536 to 1073741824.
        public var bytesPerUser = 8_388_608
        /// `MessageSize`: the bytes of one message, its ending included; 65536, from 4096 to 16777216.
        public var messageSize = 65_536

        /// The default limits.
        public init() {}
    }

    /// The file of an installed daemon.
    public static let defaultFile = "/etc/locationd/locationd.plist"

    /// `GPSD`: `Host` and `Port`, or `Socket`.
    public var gpsd = Endpoint.tcp()
    /// `GPSD`, `Device`: the receiver to prefer, as gpsd names it, `/dev/ttyACM0`; `nil` for whichever is best.
    public var preferredDevice: String?
    /// `GeoClue`: whether and where programs that ask GeoClue are served.
    public struct GeoClue: Hashable, Sendable {
        /// `Enabled`: whether they are; `nil` says nothing, and an installed daemon serves them.
        public var isEnabled: Bool?
        /// `BusAddress`: the address of the bus, as D-Bus writes it, `unix:path=/tmp/bus`; `nil` for the system's.
        public var busAddress: String?

        /// The defaults.
        public init() {}
    }

    /// `GeoClue`: programs that ask GeoClue.
    public var geoClue = GeoClue()
    /// `ClientDirectories`: where the declarations of clients are, absolute; a file of a later one replaces the file
    /// of the same name in an earlier one.
    public var clientDirectories = ["/usr/share/locationd/clients.d", "/etc/locationd/clients.d"]
    /// `Agents`: the executables, absolute, that may show prompts to their own user: ours, and those of GNOME, GeoClue,
    /// elementary and Phosh.
    public var agents = [
        "/usr/bin/locationctl", "/usr/libexec/locationd/locationctl-map", "/usr/bin/gnome-shell",
        "/usr/libexec/geoclue-2.0/demos/agent", "/usr/libexec/geoclue2-1-pantheon/pantheon-agent-geoclue2",
        "/usr/libexec/phosh",
    ]
    /// `Limits`: what one user may have at once.
    public var limits = Limits()
    /// `PromptTimeout`: how long a request waits for its answer, in seconds; 60, from 5 to 3600.
    public var promptTimeout = 60
    /// `HistoryDays`: how long the access history is kept; 30, from 0, which keeps none, to 3650.
    public var historyDays = 30
    /// `ExitOnIdle`: after how many seconds without a client the daemon ends, from 1 to 86400; `nil` for never.
    public var exitOnIdle: Int?

    /// The defaults.
    public init() {}
}
