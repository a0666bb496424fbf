import ArgumentParser
import CommandLineSupport
import Glibc
import LocationClient

struct TimeZoneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "time-zone",
        abstract: "Set the machine's time zone as it travels, until it is ended.",
        discussion: """
            The system unit locationd-timezone.service runs this, off by default. To switch it on, run:
              sudo systemctl enable --now locationd-timezone

            It sets the zone when the machine has been in another one for ten minutes. It gets an approximate location only, \
            and keeps the zone near borders, at sea, and while you have set another one by hand.
            """)

    /// The user of the unit.
    private static let user = "locationd-timezone"

    @OptionGroup var service: ServiceOptions

    func run() async throws {
        try await reportingErrors {
            var setter = try TimeZoneSetter(
                stateDirectory: Self.directory("STATE_DIRECTORY"), runtimeDirectory: Self.directory("RUNTIME_DIRECTORY")
            )
            let manager = LocationManager(socketPath: service.socket)
            var last: String?
            for try await update in manager.significantLocationChanges() {
                if let location = update.location {
                    last = nil
                    await setter.receive(location)
                } else if let obstacle = await obstacle(update, manager), obstacle != last {
                    last = obstacle
                    Terminal.complain(obstacle.shown(limit: 4096))
                }
            }
        }
    }

    /// The reason for having no location, as a sentence; `nil` for an approximate one, which is enough.
    private func obstacle(_ update: LocationUpdate, _ manager: LocationManager) async -> String? {
        guard update.diagnostic != .accuracyLimited else { return nil }
        guard update.cause?.reason != .deniedByUser else {
            // The service's own sentence is for a user who types.
            return "Location access is denied, so the time zone stays. To allow it, run: "
                + "sudo locationctl allow --always org.locationd.timezone --user \(Self.user)"
        }
        return await update.obstacle(socket: manager.socketPath)
    }

    /// A directory that systemd has made for the unit.
    private static func directory(_ variable: String) -> String? { getenv(variable).map { String(cString: $0) } }
}
