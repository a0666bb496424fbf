import ArgumentParser
import CLinux
import CommandLineSupport
import LocationInterface
import ServiceSupport

@main
enum Main {
    static func main() async {
        precondition(locationd_use_one_heap() == 1, "mallopt(3) knows M_ARENA_MAX")
        // A program that waits for the user to move sleeps for hours.
        EventLoopTasks.install()
        DispatchLog.switchOff()
        Terminal.keepStandardDescriptors()
        // `locationctl fleet` is this program, too: it has the same connection to a broker.
        let words = Array(CommandLine.arguments.dropFirst())
        if words.first == "fleet" {
            await FleetCommand.performReportingErrors(Array(words.dropFirst()))
        } else {
            await LocationdShare.performReportingErrors(words)
        }
    }
}

struct LocationdShare: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "locationctl share",
        abstract: "Share your position with a service of yours, such as Home Assistant.",
        discussion: """
            Add a service once, then start a share, which ends by itself:

              locationctl share add home homeassistant
              locationctl share start home --for 2h

            The user unit locationd-share.service sends your position to it. It is a program like any other: it needs your \
            permission at any time, is listed by locationctl clients, and locationctl deny org.locationd.share ends all shares.

            A vehicle has shares of its own, which go on from boot to boot and belong to no person: give each command --system, \
            as root. The system's unit locationd-share-system.service sends them.
            """,
        version: serviceVersion,
        subcommands: [
            ShareAdd.self, ShareCheck.self, ShareForget.self, ShareList.self, SharePause.self, ShareRemind.self,
            ShareRemove.self,
            ShareResume.self,
            ShareRun.self, ShareStart.self, ShareStatus.self, ShareStop.self,
        ],
        defaultSubcommand: ShareStatus.self)
}
