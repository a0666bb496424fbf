import ArgumentParser
import LocationInterface
import Logging
import NetworkPositioning
import ServiceSupport

@main
struct LocationdNetwork: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "locationd-network",
        abstract: "Asks a positioning server, for the location service.",
        discussion: """
            The service starts it when it needs a location by Wi-Fi, and it exits 30 seconds after the last request. It asks \
            the server that /etc/locationd/network.plist names, and no other; without that file it asks nobody.

            To see what would be sent: locationctl sources wifi --dry-run
            """,
        version: serviceVersion)

    @Option(help: ArgumentHelp("The property list that names the server.", valueName: "file"), completion: .file())
    var config = "/etc/locationd/network.plist"

    @Option(
        help: ArgumentHelp("The path of a socket to make, if the service manager passes none.", valueName: "path"),
        completion: .file())
    var socket: String?

    func run() async throws {
        LoggingSystem.bootstrap { _ in PriorityLineHandler() }
        let logger = Logger(label: "locationd-network")
        do {
            try await NetworkProgram(configurationFile: config, socket: socket, logger: logger).run()
        } catch {
            logger.critical("locationd-network cannot run: \(error)")
            throw ExitCode(NetworkProgram.exitCode(for: error))
        }
    }
}
