import CommandLineSupport
import ArgumentParser
import LocationClient
import LocationConfiguration
import LocationInterface
import LocationServiceManagement

struct Clients: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the programs that can ask for your location, and your decisions about them.",
        subcommands: [List.self, Add.self, Remove.self, Quiet.self, Units.self],
        defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List them (default).")

        @OptionGroup var service: ServiceOptions
        @OptionGroup var whose: UserOptions
        @OptionGroup var output: OutputOptions
        @OptionGroup var time: ClockOptions

        func run() async throws {
            let clients = try await LocationServiceManager(socketPath: service.socket)
                .clients(user: whose.user?.id)
            try output.say(clients) { text(clients) }
        }

        /// The number of geofences, and visits, that the service watches for a client.
        private func watched(by client: ManagerInterface.Client) -> String {
            let count = client.conditions ?? 0
            return (count == 0 ? "" : count == 1 ? ", 1 geofence" : ", \(count) geofences")
                + (client.watchesVisits == true ? ", visits" : "")
        }

        private static func words(of client: ManagerInterface.Client) -> String {
            client.isOnce == true
                ? "once"
                : client.status.words + (client.isProvisional == true ? " (provisional)" : "")
                    + (client.until.map { " until \(Clock.near($0))" } ?? "")
                    + (client.untilLogout == true ? " until logout" : "")
        }

        private func text(_ clients: [ManagerInterface.Client]) -> [String] {
            guard !clients.isEmpty else {
                return ["No client is declared. To see how to declare one, run: locationctl help clients add"]
            }
            return Table.lines(
                ["client", "allowed", "accuracy", "now", "last location", "name"]
                    + (clients.contains { $0.recipients != nil } ? ["recipients"] : []),
                clients.map { client in
                    [
                        client.client, Self.words(of: client),
                        client.accuracy == .full ? "exact" : "approximate",
                        (client.isInUse ? "in use" : client.isConnected ? "connected" : "not connected")
                            + (client.frontEnds.map { ", \($0.joined(separator: " and "))" } ?? "")
                            + watched(by: client) + (client.isQuiet == true ? ", quiet" : ""),
                        client.lastAccess.map { time.clock.text($0) } ?? "never",
                        client.file == nil && client.displayName == client.client
                            ? "no longer declared" : client.displayName,
                        client.recipients?.joined(separator: ", ") ?? "",
                    ]
                }, wrapping: 5)
        }
    }
}

extension Clients {
    struct Units: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the system units that the service may start.",
            discussion: """
                Those that declarations name as Launch, one a line, from the property lists as they are now. polkit runs this \
                when the service wants to start a unit, and permits no other.
                """)

        @Option(
            help: ArgumentHelp("The service's property list.", valueName: "file"),
            completion: .file())
        var config = DaemonConfiguration.defaultFile

        @OptionGroup var output: OutputOptions

        func run() async throws {
            let units: [String]
            do {
                units = try Configuration.load(leavingOutUnreadable: config).startableUnits
            } catch {
                throw LocationError.refused(message: "\(error)")
            }
            try output.say(units) { units }
        }
    }
}

extension AuthorizationStatus {
    /// The status as text for people.
    var words: String {
        switch self {
        case .notDetermined: "not decided"
        case .restricted: "restricted"
        case .denied: "denied"
        case .authorizedWhenInUse: "while in use"
        case .authorizedAlways: "always"
        }
    }
}
