import ArgumentParser
import CommandLineSupport
import Glibc
import LocationClient
import LocationInterface
import LocationServiceManagement
import Logging
import PrivacyPage

/// The command `locationctl privacy`, which is no command of the map but has its server.
struct PrivacyShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "locationctl privacy",
        abstract: "Show in a browser who had your location, and decide there.",
        discussion: """
            Prints an address for a browser of yours. The page lists the programs with your decisions about them, shows when each had \
            your location and how exactly, and changes what a program may have; what is decided elsewhere appears there at once. The \
            address is valid once; the browser that has opened it can use it until the program ends. Nobody else sees the page. Ctrl-C \
            ends it. Root's page also switches location services for the whole machine.
            """,
        version: serviceVersion)

    @OptionGroup var service: ServiceOptions
    @OptionGroup var serving: ServingOptions

    @Option(
        help: ArgumentHelp(
            "The property list of the service, for trying rules, if it is not the system's.", valueName: "file"))
    var config: String?

    /// The path of locationctl: beside this program after a build, otherwise as the packages install it.
    private static var locationctl: String? {
        let directory = OwnExecutable.directory
        return ["\(directory)/locationctl", "\(directory)/../../bin/locationctl"].first { access($0, X_OK) == 0 }
    }

    @MainActor
    func run() async throws {
        let interruption = Interrupted()
        do {
            let manager = LocationServiceManager(socketPath: service.socket)
            let server = try PrivacyServer(
                manager: manager,
                commands: PageCommands(
                    locationctl: Self.locationctl, sharing: SharingProgram.program.path, socket: manager.socketPath,
                    configuration: config),
                port: serving.port, idleLimit: serving.idleLimit, logger: ServingOptions.log
            ) { client in
                if client == nil || client == SharingProgram.client { SharingProgram.forget(user: nil) }
            }
            try await server.run { serving.announce($0) }
        } catch {
            Terminal.complain("\(error)".shown(limit: 4096))
            throw Exit.failure
        }
        if interruption.hasHappened { throw ExitCode(128 + SIGINT) }
    }
}
