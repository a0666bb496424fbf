import ArgumentParser
import CommandLineSupport
import LocationInterface

@main
struct LocationdShare: AsyncParsableCommand {
    static func main() async {
        DispatchLog.switchOff()
        Terminal.keepStandardDescriptors()
        await main(nil)
    }

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
            ShareAdd.self, ShareCheck.self, ShareList.self, SharePause.self, ShareRemind.self, ShareRemove.self,
            ShareResume.self,
            ShareRun.self, ShareStart.self, ShareStatus.self, ShareStop.self,
        ],
        defaultSubcommand: ShareStatus.self)
}
