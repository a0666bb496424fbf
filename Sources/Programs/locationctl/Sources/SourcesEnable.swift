import ArgumentParser
import CommandLineSupport
import LocationConfiguration
import Glibc
import POSIXSupport

struct SourcesEnable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable", abstract: "Switch a source of locations on (only as root).",
        subcommands: [Modem.self, SourcesEnableWiFi.self])

    struct Modem: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Use the satellite receiver in a mobile modem (only as root).",
            discussion: """
                Sets Modem in the service's settings, and installs the rule by which polkit lets the service switch the modem's \
                receiver on and read it. The same permission lets the service connect the modem and switch it off, which it \
                never does.
                """)

        @OptionGroup var settings: ServiceSettings
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try settings.requireRoot(for: "sources enable modem")
            let change = try SettingChange.setting(
                "Modem", to: .dictionary(["Enabled": .boolean(true)]), in: settings.file)
            let rule = settings.config == nil ? try PolkitRule.modem.install() : []
            let result = try await settings.perform([change])
            try SettingReport(
                isChanged: change != nil || !rule.isEmpty,
                message: ["The modem’s receiver is a source of locations."], steps: rule + result,
                undo: "sudo locationctl sources disable modem"
            ).say(output)
        }
    }
}

struct SourcesDisable: AsyncParsableCommand {
    /// A source that can be switched off.
    enum Source: String, ExpressibleByArgument, CaseIterable {
        case modem, wifi
    }

    static let configuration = CommandConfiguration(
        commandName: "disable", abstract: "Switch a source of locations off (only as root).")

    @Argument(help: ArgumentHelp("modem or wifi", valueName: "source"))
    var source: Source

    @OptionGroup var settings: ServiceSettings
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try settings.requireRoot(for: "sources disable \(source.rawValue)")
        let (key, undo, title) =
            switch source {
            case .modem: ("Modem", "sources enable modem", "The modem’s receiver")
            case .wifi: ("WiFi", "sources enable wifi --server URL", "Wi-Fi positioning")
            }
        let changes = try SettingChange.removing(key, in: settings.file)
        let rule = source == .modem ? PolkitRule.modem : .wifi
        let isRuleThere = settings.config == nil && rule.isInstalled
        guard !changes.isEmpty || isRuleThere else {
            return try SettingReport(isChanged: false, message: ["\(title) is off already."]).say(output)
        }
        let result = try await settings.perform(changes)
        // After the service has let go of the modem, for which it needs the rule.
        let removal = isRuleThere ? try rule.remove() : []
        try SettingReport(
            isChanged: true, message: ["\(title) is no source of locations any more."], steps: result + removal,
            undo: "sudo locationctl \(undo)"
        ).say(output)
    }
}

/// A rule by which polkit lets the service use something. It is in force only while its file is installed.
enum PolkitRule: String {
    case modem, wifi

    private var packaged: String { "/usr/share/locationd/polkit/\(rawValue).rules" }
    var installed: String { "/etc/polkit-1/rules.d/60-locationd-\(rawValue).rules" }

    var isInstalled: Bool { SmallFile.text(installed) != nil }

    /// Copies the rule, and returns lines for people.
    func install() throws(SettingChange.Failure) -> [String] {
        let rule: [UInt8]
        do throws(Errno) {
            rule = try SmallFile.read(packaged)
        } catch {
            throw SettingChange.Failure(
                description: "\(packaged) cannot be read: \(error). To fix it, install the package locationd again.")
        }
        do {
            guard (try? SmallFile.read(installed)) != rule else { return [] }
            // polkit reads its directory again by itself.
            try AtomicFile.write(rule, to: installed)
        } catch {
            throw SettingChange.Failure(
                description: "\(installed) cannot be written: \(error). It takes polkit to use this source.")
        }
        return [ServiceSettings.row("wrote", installed)]
    }

    func remove() throws(SettingChange.Failure) -> [String] {
        guard unlink(installed) == 0 else {
            throw SettingChange.Failure(description: "\(installed) cannot be removed: \(Errno()).")
        }
        return [ServiceSettings.row("removed", installed)]
    }
}
