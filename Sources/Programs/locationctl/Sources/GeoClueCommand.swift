import ArgumentParser
import CommandLineSupport
import GPSDProtocol
import LocationConfiguration
import LocationDiagnosis

struct GeoClueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "geoclue",
        abstract: "Show or choose whether desktop programs that ask GeoClue get their location from locationd.",
        discussion: """
            The package does that only where GeoClue is not installed or this machine has a source of locations, and an upgrade \
            keeps your choice.
            """,
        subcommands: [Show.self, On.self, Off.self, Advice.self], defaultSubcommand: Show.self)

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show which service answers programs that ask GeoClue.")

        @OptionGroup var output: OutputOptions

        /// The result of the command.
        private struct State: Encodable {
            var isOn: Bool
            var isGeoClueInstalled: Bool
            /// The sources of locations that were found.
            var sources: [String]
        }

        func run() throws {
            let state = State(
                isOn: GeoClueSwitch.isOn, isGeoClueInstalled: GeoClueAlias.isGeoClueInstalled,
                sources: GeoClueSwitch.sources)
            try output.say(state) {
                let sources = state.sources.isEmpty ? "none" : state.sources.joined(separator: ", ")
                return [
                    GeoClueSwitch.sentence(isOn: state.isOn, isGeoClueInstalled: state.isGeoClueInstalled),
                    ServiceSettings.row("sources", sources),
                    ServiceSettings.row("change", "sudo locationctl geoclue \(state.isOn ? "off" : "on")"),
                ]
            }
        }
    }

    struct On: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Answer programs that ask GeoClue (only as root).")

        @OptionGroup var output: OutputOptions

        func run() async throws { try await GeoClueSwitch.turn(on: true, output) }
    }

    struct Off: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Leave programs that ask GeoClue to GeoClue (only as root).")

        @OptionGroup var output: OutputOptions

        func run() async throws { try await GeoClueSwitch.turn(on: false, output) }
    }

    /// For the package's installation.
    struct Advice: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print on or off: what suits this machine.", shouldDisplay: false)

        func run() { Terminal.say(GeoClueSwitch.isAdvised ? "on" : "off") }
    }
}

/// Gives GeoClue's name on the bus to the system's service, or back.
enum GeoClueSwitch {
    private static let file = DaemonConfiguration.defaultFile
    private static let key = "GeoClue"

    /// The sources of locations that were found, without starting gpsd.
    static var sources: [String] {
        let isRunning = UnitState.probe(at: "gpsd.service").value?.isActive ?? false
        let configured = (try? Configuration.load(leavingOutUnreadable: file))?.daemon.gpsd ?? []
        let address = configured.map(\.address).first(where: \.isLocal)
        let gpsd = isRunning ? address.map { GPSDProbe.ask($0, seconds: 1, startingSeconds: 1) } : nil
        return SourcesCheck.probe(configurationFile: file, gpsd: gpsd).found
    }

    /// True where programs lose nothing: there is no GeoClue, or a source of locations.
    static var isAdvised: Bool { !GeoClueAlias.isGeoClueInstalled || !sources.isEmpty }

    /// True if the service answers programs that ask GeoClue.
    static var isOn: Bool {
        let configured = (try? Configuration.load(leavingOutUnreadable: file))?.daemon.geoClue.isEnabled
        return configured ?? GeoClueAlias.isSet
    }

    /// The service that answers programs that ask GeoClue, as a sentence.
    static func sentence(isOn: Bool, isGeoClueInstalled: Bool) -> String {
        if isOn { return "Programs that ask GeoClue get their location from locationd." }
        return isGeoClueInstalled
            ? "Programs that ask GeoClue get their location from GeoClue."
            : "Programs that ask GeoClue get no location: GeoClue is not installed."
    }

    /// The line about programs that ask GeoClue, after a source was set; `nil` if there is nothing to do for them.
    static func advice(isOn: Bool, isGeoClueInstalled: Bool) -> String? {
        guard !isOn else { return nil }
        let now =
            isGeoClueInstalled ? "desktop programs still ask GeoClue" : "desktop programs that ask GeoClue get nothing"
        return ServiceSettings.row("geoclue", "\(now). To give them this one, run: sudo locationctl geoclue on")
    }

    static func turn(on isOn: Bool, _ output: OutputOptions) async throws {
        let word = isOn ? "on" : "off"
        // Both are of the system's service only.
        let settings = try ServiceSettings.parse([])
        try settings.requireRoot(for: "geoclue \(word)")
        let message = [sentence(isOn: isOn, isGeoClueInstalled: GeoClueAlias.isGeoClueInstalled)]
        let change = try change(to: isOn)
        let commands = commands(to: isOn)
        guard change != nil || !commands.isEmpty else {
            return try SettingReport.unchanged(message).say(output)
        }
        let steps = try ServiceSettings.run(commands) + (try await settings.perform([change]))
        try SettingReport(
            isChanged: true, message: message, steps: steps,
            undo: "sudo locationctl geoclue \(isOn ? "off" : "on")"
        ).say(output)
        if isOn, sources.isEmpty {
            Terminal.complain(
                "This machine has no source of locations, so these programs get none. To see what each source needs, run: "
                    + "locationctl sources")
        }
    }

    /// The arguments of systemctl for each step.
    private static func commands(to isOn: Bool) -> [[String]] {
        guard isOn != GeoClueAlias.isSet else { return [] }
        guard isOn else { return [["disable", "locationd.service"]] }
        // GeoClue ends before its unit's name goes to the service, which its next client starts.
        let geoClue = UnitState.probe(at: "geoclue.service").value
        let isRunning = geoClue.map { $0.isActive && $0.id == "geoclue.service" } ?? false
        return (isRunning ? [["stop", "geoclue.service"]] : []) + [["enable", "locationd.service"]]
    }

    /// The change of `GeoClue.Enabled` where it says something else.
    private static func change(to isOn: Bool) throws(InvalidConfiguration) -> SettingChange? {
        guard let holder = try SettingChange.holder(of: key, in: file), case .dictionary(var entries) = holder.value,
            let enabled = entries["Enabled"], enabled != .boolean(isOn)
        else { return nil }
        entries["Enabled"] = .boolean(isOn)
        return try SettingChange.setting(key, to: .dictionary(entries), in: file)
    }
}
