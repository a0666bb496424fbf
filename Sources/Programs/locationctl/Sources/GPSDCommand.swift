import ArgumentParser
import CommandLineSupport
import LocationDiagnosis

struct GPSDCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gpsd",
        abstract: "Show or choose whether programs that ask gpsd's port get their location from locationd.",
        discussion: """
            cgps, xgps, OpenCPN, Signal K, Kismet and others know only gpsd's port, 2947. While locationd has it, each of them gets \
            what its user allows; a program that nobody has decided about is asked about. The port is gpsd's until you say so.
            """,
        subcommands: [Show.self, On.self, Off.self], defaultSubcommand: Show.self)

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Show who answers at gpsd's port.")

        @OptionGroup var output: OutputOptions

        /// The result of the command.
        private struct State: Encodable {
            var isOn: Bool
            /// The addresses at which gpsd, or another program, answers everybody.
            var open: [String]
        }

        func run() throws {
            let port = GPSDPort.probe()
            let state = State(isOn: port.isOn, open: PortCheck.probe().open.map(\.description))
            try output.say(state) {
                let word = state.isOn ? "off" : "on"
                var lines = [
                    state.isOn
                        ? "Programs that ask gpsd's port get their location from locationd, as their users allow."
                        : state.open.isEmpty
                            ? "Programs that ask gpsd's port get no location: nothing answers there."
                            : "Programs that ask gpsd's port get every location: gpsd answers all users there."
                ]
                if !state.open.isEmpty { lines.append(ServiceSettings.row("open", state.open.joined(separator: ", "))) }
                lines.append(
                    ServiceSettings.row(
                        "change",
                        state.isOn || state.open.isEmpty
                            ? "sudo locationctl gpsd \(word)" : "sudo locationctl doctor --fix"))
                return lines
            }
        }
    }

    struct On: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Answer programs that ask gpsd's port (only as root).")

        @OptionGroup var output: OutputOptions

        func run() async throws { try await GPSDCommand.turn(on: true, output) }
    }

    struct Off: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Leave gpsd's port alone (only as root).")

        @OptionGroup var output: OutputOptions

        func run() async throws { try await GPSDCommand.turn(on: false, output) }
    }

    private static func turn(on isOn: Bool, _ output: OutputOptions) async throws {
        let word = isOn ? "on" : "off"
        let settings = try ServiceSettings.parse([])
        try settings.requireRoot(for: "gpsd \(word)")
        let port = GPSDPort.probe()
        guard port.isInstalled else {
            Terminal.complain("\(GPSDPort.unitName) is not installed, or systemd is not the init system here.")
            throw Exit.failure
        }
        let open = PortCheck.probe().open
        guard !isOn || open.isEmpty else {
            Terminal.complain(
                "Nothing was changed: gpsd or another program listens at \(open.map(\.description).joined(separator: " and ")). "
                    + "To give gpsd a socket of its own, and the port to locationd, run: sudo locationctl doctor --fix"
            )
            throw Exit.failure
        }
        let message = [
            isOn
                ? "Programs that ask gpsd's port get their location from locationd, as their users allow."
                : "Programs that ask gpsd's port get no location from locationd."
        ]
        guard isOn != port.isOn || isOn != port.isEnabled else {
            return try SettingReport.unchanged(message).say(output)
        }
        try SettingReport(
            isChanged: true, message: message, steps: try ServiceSettings.run(isOn ? port.turnOn : port.turnOff),
            undo: "sudo locationctl gpsd \(isOn ? "off" : "on")"
        ).say(output)
    }
}
