import ArgumentParser
import CommandLineSupport
import Logging
import ServiceSupport
import SharingProgram

struct ShareRun: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Send your position to the services of your shares, until no share is left.",
        discussion: "The user unit locationd-share.service runs this, and locationd-share-system.service with --system."
    )

    @OptionGroup var owner: ShareOwner
    @OptionGroup var service: ServiceOptions

    func run() async throws {
        LoggingSystem.bootstrap { _ in PriorityLineHandler() }
        var runner = ShareRunner(
            directory: try owner.directory, socketPath: service.socket, notifies: !owner.isSystem,
            logger: Logger(label: "locationd-share"))
        try await runner.run()
    }
}
