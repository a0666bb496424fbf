import ArgumentParser
import CommandLineSupport
import LocationModel
import LocationSharing
import SharingProgram

struct ShareRemind: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remind", abstract: "Say which of your shares have no end, if any.",
        discussion: "Runs at each login, in a terminal and on a desktop.")

    @OptionGroup var owner: ShareOwner

    @Flag(help: "Say it in a notification of the desktop.")
    var desktop = false

    func run() async throws {
        let directory = try owner.directory
        let endless = try directory.destinations().filter { destination in
            let phase = SharePhase(of: destination.share, try directory.stateOrStop(of: destination), at: .now())
            return destination.share?.until == nil && (phase == .sharing || phase == .paused)
        }
        guard !endless.isEmpty else { return }
        let lines = endless.map(line)
        guard desktop else { return Terminal.say(lines) }
        let notice = DesktopNotice(
            summary: "Your position is shared without end.", body: lines.joined(separator: "\n"))
        if let reason = await notice.show() { throw ShareRefusal("No notification is shown. \(reason)") }
    }

    private func line(_ destination: Destination) -> String {
        let isPaused = destination.share?.isPaused == true ? " (paused now)" : ""
        let recipient = destination.recipient
        return
            "\(recipient.prefix(1).uppercased())\(recipient.dropFirst()) receives your position until you stop it\(isPaused). To stop it, "
            + "run: \(owner.command("stop \(destination.name)"))"
    }
}
