import POSIXSupport

/// Asks the services of the system's message bus, by busctl(1). None is started by that.
enum SystemBusQuery {
    /// True if a service has this name.
    static func isRunning(_ name: String) -> Evidence<Bool> {
        let bus = "org.freedesktop.DBus"
        guard let answer = ask("call", bus, "/org/freedesktop/DBus", bus, "NameHasOwner", "s", name) else {
            return .hidden("the system bus cannot be asked")
        }
        return .seen(answer.first == "b true")
    }

    /// Returns the output of busctl(1), by lines; `nil` if it fails.
    static func ask(_ arguments: String...) -> [String]? {
        guard let busctl = Command.path(of: "busctl"),
            let result = try? Command.run([busctl, "--system", "--auto-start=no"] + arguments), result.code == 0
        else { return nil }
        return result.output.split(separator: "\n").map(String.init)
    }
}
