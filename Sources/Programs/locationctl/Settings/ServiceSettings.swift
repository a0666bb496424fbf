import ArgumentParser
import CommandLineSupport
import Glibc
import LocationClient
import LocationConfiguration
import LocationDiagnosis
import LocationServiceManagement

/// The options of the commands that change the service's settings.
struct ServiceSettings: ParsableArguments {
    @OptionGroup var service: ServiceOptions

    @Option(
        help: ArgumentHelp("The property list of the service, if it is not the system's.", valueName: "file"),
        completion: .file())
    var config: String?

    /// The service's property list.
    var file: String { config ?? DaemonConfiguration.defaultFile }

    func validate() throws {
        if let config, access(config, F_OK) != 0 { throw ValidationError("--config: \(config) does not exist.") }
    }

    /// Requires root for the settings of the system's service.
    ///
    /// - Parameter command: the command line without `locationctl`, which is named in the remedy.
    func requireRoot(for command: String) throws {
        guard config == nil, geteuid() != 0 else { return }
        Terminal.complain(
            "This changes files in /etc, which only root may do. To fix it, run: sudo locationctl \(command)")
        throw Exit.denied
    }

    /// Performs changes and makes the service use them. Returns lines for people: the changes, and when they take effect.
    func perform(_ changes: [SettingChange?]) async throws -> [String] {
        let changes = changes.compactMap(\.self)
        for change in changes { try change.perform() }
        return changes.map(\.line) + [Self.row("in force", await reload())]
    }

    /// Makes the service read its settings again, and returns the time from which they hold.
    func reload() async -> String {
        // Connecting would start the system's service.
        if config == nil, service.socket == nil,
            UnitState.probe(at: "locationd.service").value.map({ !$0.isActive }) ?? false
        {
            return "when the service starts; it does not run now"
        }
        do {
            let problems = try await LocationServiceManager(socketPath: service.socket).reload()
            return problems.isEmpty
                ? "now" : "now, but some settings are refused: \(problems.map(\.sentence).joined(separator: "; "))"
        } catch .serviceUnavailable {
            return "when the service starts; it does not answer now"
        } catch {
            return "after: sudo locationctl config reload (\(error))"
        }
    }

    /// Runs systemctl with each of these arguments. Returns lines for people.
    static func run(_ commands: [[String]]) throws -> [String] {
        try PortFix.run(commands)
        return commands.map { row("ran", "systemctl \($0.joined(separator: " "))") }
    }

    static func row(_ name: String, _ text: String) -> String {
        "  " + name + String(repeating: " ", count: max(1, 10 - name.count)) + text
    }
}

/// The result of a command that changes the service's settings.
struct SettingReport: Encodable {
    /// False if all was so already.
    var isChanged: Bool
    /// The new state, as sentences.
    var message: [String]
    /// The changes of files and units, and the time at which they are in force.
    var steps: [String] = []
    /// The command that undoes it; `nil` without a change.
    var undo: String?

    /// The result of a command that had nothing to do.
    static func unchanged(_ message: [String]) -> SettingReport {
        let steps = [ServiceSettings.row("already", "nothing was changed")]
        return SettingReport(isChanged: false, message: message, steps: steps)
    }

    /// Prints the result.
    func say(_ output: OutputOptions) throws {
        var shown = self
        shown.steps = steps.map { $0.split(separator: " ").joined(separator: " ") }
        try output.say(shown) { message + steps + (undo.map { [ServiceSettings.row("undo", $0)] } ?? []) }
    }
}

extension SettingChange {
    /// The change of the file, as a line of the report.
    fileprivate var line: String {
        ServiceSettings.row(old == nil ? "wrote" : new == nil ? "removed" : "changed", file.shown())
    }
}
