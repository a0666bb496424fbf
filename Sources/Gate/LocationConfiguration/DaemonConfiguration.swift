public import GPSDProtocol
public import LocationModel
public import LocationPolicy

/// The daemon's settings, with their defaults.
public struct DaemonConfiguration: Hashable, Sendable {
    /// The limits of one user, root included.
    public struct Limits: Hashable, Sendable {
        /// `ConnectionsPerUser`: open connections; 2048, from 1 to 65536. The daemon lowers it to what its limit of open
        /// files permits.
        public var connectionsPerUser = 2048
        /// `SubscriptionsPerUser`: streams over all connections; 2048, from 1 to 65536.
        public var subscriptionsPerUser = 2048
        /// `BytesPerUser`: the memory for unanswered calls and unread answers on all connections, in bytes; 8388608,
        /// from 65536 to 1073741824.
        public var bytesPerUser = 8_388_608
        /// `MessageSize`: the size of a message in bytes, including its ending; 131072, from 4096 to 16777216.
        public var messageSize = 131_072
        /// `DecisionsPerUser`: kept decisions about programs that are not declared, of which the oldest give way; 1024,
        /// from 16 to 4096.
        public var decisionsPerUser = 1024
        /// `ConditionsPerClient`: watched places of one program of a user; 1000, from 1 to 10000.
        public var conditionsPerClient = 1000
        /// `Conditions`: watched places of all programs of all users; 100000, from 1 to 1000000.
        public var conditions = 100_000
        /// `MonitorStreamsPerClient`: streams of events about places and visits of one program of a user; 100, from 1 to
        /// 65536.
        public var monitorStreamsPerClient = 100
        /// `RulesPerUser`: rules of a user's own; 100, from 1 to 1000.
        public var rulesPerUser = 100
        /// `PlacesPerUser`: places of a user, for rules; 100, from 1 to 1000.
        public var placesPerUser = 100
        /// The largest value of `DecisionsPerUser`.
        static let mostDecisionsPerUser = 4096

        /// The default limits.
        public init() {}
    }

    /// The file of the installed daemon.
    public static let defaultFile = "/etc/locationd/locationd.plist"
    /// The directory of the declarations that packages bring.
    public static let packagedClients = "/usr/share/locationd/clients.d"

    /// A gpsd that the service uses.
    public struct GPSD: Hashable, Sendable {
        /// `Host` and `Port`, or `Socket`.
        public var address: GPSDAddress
        /// `Device`: the preferred receiver by gpsd's name, such as `/dev/ttyACM0`; `nil` for the best one.
        public var preferredDevice: String?

        /// A gpsd, by default the one of this machine.
        public init(_ address: GPSDAddress = .tcp(), preferredDevice: String? = nil) {
            (self.address, self.preferredDevice) = (address, preferredDevice)
        }
    }

    /// `GPSD`: each gpsd, one for a dictionary; empty while it is in doubt.
    public var gpsd = [GPSD()]
    /// The preferred receivers of all gpsd, the best first.
    public var preferredDevices: [String] { gpsd.compactMap(\.preferredDevice) }
    /// `Modem`, `Enabled`: true to use the receivers of modems, through ModemManager.
    public var usesModem = false
    /// The origin of the fixed position.
    public enum FixedPosition: Hashable, Sendable {
        /// GeoClue's file `/etc/geolocation`, where it exists.
        case geolocationFile
        /// `FixedLocation`: `Latitude`, `Longitude`, `Altitude` (m) and `HorizontalAccuracy` (m, by default 50).
        case configured(FixedLocation)
        /// `FixedLocation` is in doubt: there is no fixed position.
        case inDoubt
    }

    /// `FixedLocation`: the position of a machine that does not move; without the key, that of `/etc/geolocation`.
    public var fixedPosition = FixedPosition.geolocationFile
    /// `WiFi`, `Enabled`: true to ask the server that `network.plist` names where the access points around are.
    public var usesWiFi = false
    /// `GeoClue`: the service for programs that use GeoClue.
    public struct GeoClue: Hashable, Sendable {
        /// `Enabled`: true to serve them; `nil` for the default: true for an installed daemon that systemd starts for them
        /// (``GeoClueAlias``), false for a trial.
        public var isEnabled: Bool?
        /// `BusAddress`: the D-Bus address of the bus, such as `unix:path=/tmp/bus`; `nil` for the system bus.
        public var busAddress: String?
    }

    /// `GeoClue`: the service for programs that use GeoClue.
    public var geoClue = GeoClue()
    /// `ClientDirectories`: the absolute paths of the directories with declarations; a file replaces the file of the
    /// same name in an earlier directory. `nil` while they are in doubt: then no client is declared.
    public var clientDirectories: [String]? = [packagedClients, "/etc/locationd/clients.d"]
    /// `Agents`: the absolute paths of the programs that may show prompts to their own user, and decide for it. The default
    /// has this project's programs and the agents of GNOME, GeoClue, elementary and Phosh.
    public var agents = [
        "/usr/bin/locationctl", "/usr/libexec/locationd/locationctl-map", "/usr/bin/gnome-shell",
        "/usr/libexec/geoclue-2.0/demos/agent", "/usr/libexec/geoclue2-1-pantheon/pantheon-agent-geoclue2",
        "/usr/libexec/phosh",
    ]
    /// `Limits`: the limits of one user.
    public var limits = Limits()
    /// `DefaultPolicy`, `Rules`: limits under conditions for all clients, of ``AccessRule/Origin/machine``.
    public var defaultRules: [AccessRule] = []
    /// `PromptTimeout`: the time for which a request waits for its answer, in seconds; 60, from 5 to 3600.
    public var promptTimeout = 60
    /// `HistoryDays`: the time for which access history is kept; 30, from 0 for none to 3650.
    public var historyDays = 30
    /// `ResetUnusedAfter`: the time without a location after which the permission of a program is reset, in days; 90, from 0 for
    /// never to 3650.
    public var resetUnusedAfter = 90
    /// `ExitOnIdle`: the time without clients after which the daemon exits, in seconds, from 1 to 86400; `nil` for
    /// never.
    public var exitOnIdle: Int?

    /// The defaults.
    public init() {}

    /// The settings in force at a start for keys whose values are refused: nobody gains access by them, and nothing is
    /// deleted.
    ///
    /// gpsd's default address is not among them, because any user can listen at that port while gpsd does not.
    static let inDoubt: DaemonConfiguration = {
        var settings = DaemonConfiguration()
        settings.gpsd = []
        settings.fixedPosition = .inDoubt
        settings.geoClue.isEnabled = false
        settings.clientDirectories = nil
        settings.agents = []
        settings.defaultRules = [AccessRule(.init(.machine, 1), limit: .denial)]
        settings.historyDays = longestHistory
        settings.resetUnusedAfter = 0
        settings.limits.decisionsPerUser = Limits.mostDecisionsPerUser
        return settings
    }()

    /// The largest value of `HistoryDays`.
    static let longestHistory = 3650
}
