import ArgumentParser
import CommandLineSupport
import Glibc
import LocationClient
import LocationSharing
import SharingProgram

/// What locationctl runs after it has taken the location from sharing.
struct ShareForget: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract:
            "Have services that may show a position told to forget it, although the program that sends does not run.",
        discussion: "locationctl runs this after deny and off.", shouldDisplay: false)

    @Option(help: ArgumentHelp("The user whose shares these are (only for root).", valueName: "number"))
    var user: UInt32?

    func run() async throws {
        guard let (directory, unit) = try shares() else { return }
        let showing = try directory.destinations().filter { destination in
            try destination.service.forgetsPosition && directory.stateOrStop(of: destination).isShowing
        }
        guard !showing.isEmpty, try !directory.isSending else { return }
        let names = showing.map { "\($0.name) (\($0.service.name) at \($0.origin))" }.joined(separator: ", ")
        do throws(LocationError) {
            try unit.start()
            Terminal.say("\(names): told to forget your position now.")
        } catch {
            throw ShareRefusal(
                "\(names) may still show the position, because nobody tells it to forget it. \(remedy(unit))")
        }
    }

    private func remedy(_ unit: ShareUnit) -> String {
        guard let other = unit.user else { return "To tell it, run: \(unit.restartCommand)" }
        return "It is told when that user logs in. To tell it now, run: sudo systemctl start user@\(other).service"
    }

    /// The directory of the shares and the unit that sends them; `nil` without any. Root becomes their user first.
    private func shares() throws -> (ShareDirectory, ShareUnit)? {
        let vehicle = getpwnam(VehicleAccount.name).map(\.pointee.pw_uid)
        guard let user, user != geteuid() else {
            return ShareDirectory.ofUser.map { ($0, ShareUnit(isSystem: false)) }
        }
        if user == vehicle {
            guard access(VehicleAccount.directory, F_OK) == 0 else { return nil }
            try VehicleAccount.enter()
            return (ShareDirectory(path: VehicleAccount.directory), ShareUnit(isSystem: true))
        }
        guard geteuid() == 0, let entry = getpwuid(user) else { return nil }
        let path = String(cString: entry.pointee.pw_dir) + "/.local/state/locationd/share"
        try VehicleAccount.become(user, entry.pointee.pw_gid)
        guard access(path, F_OK) == 0 else { return nil }
        return (ShareDirectory(path: path), ShareUnit(isSystem: false, user: user))
    }
}
