/// Asks the services of the system's message bus, by busctl(1). None is started by that.
enum SystemBusQuery {
    /// True if a service has this name.
    static func isRunning(_ name: String) -> Evidence<Bool> {
        askBus("NameHasOwner", name).map { .seen($0 == "b true") } ?? .hidden("the system bus cannot be asked")
    }

    /// The reply of a method of the bus itself about a name, as busctl(1) prints it; `nil` if it fails.
    static func askBus(_ method: String, _ name: String) -> String? {
        let bus = "org.freedesktop.DBus"
        return ask("call", bus, "/org/freedesktop/DBus", bus, method, "s", name)?.first
    }

    /// Returns the output of busctl(1), by lines; `nil` if it fails.
    static func ask(_ arguments: String...) -> [String]? {
        Command.output(of: "busctl", ["--system", "--auto-start=no"] + arguments)?
            .split(separator: "\n").map(String.init)
    }
}
