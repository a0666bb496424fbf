import ArgumentParser
import CommandLineSupport
import Glibc
import POSIXSupport
import SharingProgram

/// The option that selects whose shares a command is about: those of the user who runs it, or those of the vehicle.
struct ShareOwner: ParsableArguments {
    @Flag(
        name: .customLong("system"),
        help: "The shares of this vehicle, which a unit of the system sends from boot on (only for root).")
    var isSystem = false

    /// The directory of the shares. For those of the vehicle, this program becomes their user first.
    var directory: ShareDirectory {
        get throws {
            guard isSystem else {
                guard let directory = ShareDirectory.ofUser else {
                    throw ShareRefusal("The environment names no home directory. Set HOME or XDG_STATE_HOME.")
                }
                return directory
            }
            try VehicleAccount.enter()
            return ShareDirectory(path: VehicleAccount.directory)
        }
    }

    /// The unit that sends.
    var unit: ShareUnit { ShareUnit(isSystem: isSystem) }

    /// A command of `locationctl share` with these words, as the owner types it.
    func command(_ words: String) -> String {
        isSystem ? "sudo locationctl share \(words) --system" : "locationctl share \(words)"
    }

    /// The command that allows sharing.
    var allowCommand: String {
        let command = "locationctl allow --always org.locationd.share"
        return isSystem ? "sudo \(command) --user \(VehicleAccount.name)" : command
    }
}

/// The user of the system to whom the shares of a vehicle belong.
enum VehicleAccount {
    static let name = "locationd-share"
    /// The directory of its shares, with mode 0700: `StateDirectory` of the unit.
    static let directory = "/var/lib/locationd-share"

    /// Becomes the user, in all but what ``asRoot(_:)`` does. The unit runs as this user already.
    static func enter() throws {
        guard let entry = getpwnam(name) else {
            throw ShareRefusal("There is no user \(name). To fix it, run: sudo systemd-sysusers locationd-share.conf")
        }
        let (user, group) = (entry.pointee.pw_uid, entry.pointee.pw_gid)
        if geteuid() == user { return }
        guard geteuid() == 0 else {
            throw ShareRefusal("Only root may see and change the shares of this vehicle. To fix it, use sudo.")
        }
        if mkdir(directory, 0o700) == 0 {
            guard chown(directory, user, group) == 0 else { throw unusable }
        } else if errno != EEXIST {
            throw unusable
        }
        try become(user, group)
    }

    /// Becomes a user, in all but what ``asRoot(_:)`` does.
    static func become(_ user: uid_t, _ group: gid_t) throws {
        guard setgroups(0, nil) == 0, setegid(group) == 0, seteuid(user) == 0 else { throw unusable }
    }

    /// Does what needs the rights of whoever runs this program: root, if it has become the user.
    static func asRoot<Result>(_ body: () throws -> Result) throws -> Result {
        let (user, group) = (geteuid(), getegid())
        guard getuid() == 0, user != 0 else { return try body() }
        guard seteuid(0) == 0, setegid(0) == 0 else { throw unusable }
        let result = Swift.Result { try body() }
        guard setegid(group) == 0, seteuid(user) == 0 else { throw unusable }
        return try result.get()
    }

    private static var unusable: ShareRefusal {
        ShareRefusal("The shares of this vehicle cannot be used: \(directory): \(Errno()).")
    }
}
