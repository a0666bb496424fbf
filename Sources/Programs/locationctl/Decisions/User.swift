import ArgumentParser
import Glibc

struct UserOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Another user, by name or number (only for root).", valueName: "user"))
    var user: User?

    /// The user as text for people.
    var name: String { user.map { "user \(User.name($0.id))" } ?? "you" }
}

/// A user of this machine.
struct User: ExpressibleByArgument {
    var id: Int

    init?(argument: String) {
        if let entry = getpwnam(argument) {
            id = Int(entry.pointee.pw_uid)
        } else if let number = UInt32(argument) {
            id = Int(number)
        } else {
            return nil
        }
    }

    /// The name of a user, or the id if there is none.
    static func name(_ id: Int) -> String {
        guard let number = UInt32(exactly: id), let entry = getpwuid(number) else { return "\(id)" }
        return "\(String(cString: entry.pointee.pw_name)) (\(id))"
    }
}
