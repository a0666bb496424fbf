import ArgumentParser
import CommandLineSupport
import Glibc
import LocationConfiguration
import LocationDiagnosis
import POSIXSupport
import WiFiPositioning

struct SourcesEnableWiFi: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wifi",
        abstract: "Find this machine by the Wi-Fi routers around it, through a server that you name (only as root).",
        discussion: """
            Names the server in /etc/locationd/network.plist, sets WiFi in the service's settings, and installs the rule by which \
            polkit lets the service look for access points. It takes the package locationd-network. No server is named by \
            default. To see before what would be sent, run: locationctl sources wifi --dry-run
            """)

    @Option(
        help: ArgumentHelp(
            "The URL of the server, such as https://server.example/v1/geolocate (default: the one that is named already).",
            valueName: "url"))
    var server: String?

    @OptionGroup var settings: ServiceSettings
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let server { _ = try ServerAddress(option: server) }
    }

    func run() async throws {
        try settings.requireRoot(for: "sources enable wifi\(server == nil ? "" : " --server URL")")
        guard access(NetworkServer.program, X_OK) == 0 else {
            throw SettingChange.Failure(
                description:
                    "The package locationd-network is not installed, which asks the server. Download it from where locationd came "
                    + "from, then run: sudo apt install ./locationd-network_*.deb")
        }
        let address = try named()
        let change = try SettingChange.setting(
            "WiFi", to: .dictionary(["Enabled": .boolean(true)]), in: settings.file)
        let file = server == nil ? [] : try NetworkServer.write(address)
        let rule = settings.config == nil ? try PolkitRule.wifi.install() : []
        let result = try await settings.perform([change])
        try SettingReport(
            isChanged: change != nil || !file.isEmpty || !rule.isEmpty,
            message: [
                "\(address) learns which Wi-Fi routers are near, and so where this machine is, each time it is asked.",
                "It is asked at most once in 30 seconds, and only while a program that may have the location needs it and no "
                    + "receiver has a fix.",
            ] + Self.missing(UnitState.probe(at: "NetworkManager.service")), steps: file + rule + result,
            undo: "sudo locationctl sources disable wifi"
        ).say(output)
    }

    /// A sentence if NetworkManager, which lists the access points, does not run.
    static func missing(_ manager: Evidence<UnitState>) -> [String] {
        guard let unit = manager.value, !unit.isActive else { return [] }
        return [
            "It has no effect yet: NetworkManager, which lists the access points, "
                + (unit.isLoaded
                    ? "is not running. To start it, run: sudo systemctl enable --now NetworkManager"
                    : "is not installed. To install it on Debian, run: sudo apt install network-manager")
        ]
    }

    private func named() throws -> ServerAddress {
        if let server { return try ServerAddress(option: server) }
        if let named = try NetworkConfiguration.load(file: NetworkConfiguration.defaultFile) { return named.server }
        throw SettingChange.Failure(
            description:
                "No server is named, and there is none by default. To name one, run: sudo locationctl sources enable wifi "
                + "--server URL")
    }
}

/// The server that locationd-network queries.
enum NetworkServer {
    static let program = "/usr/libexec/locationd/locationd-network"

    /// Writes the file that names it, and returns lines for people.
    static func write(_ server: ServerAddress) throws(SettingChange.Failure) -> [String] {
        let file = NetworkConfiguration.defaultFile
        let text = PropertyListValue.dictionary(["Server": .string(server.url)])
            .document(comment: "Written by locationctl: the positioning server that locationd-network(8) asks.")
        guard SmallFile.text(file) != text else { return [] }
        do {
            try AtomicFile.write(Array(text.utf8), to: file)
        } catch {
            throw SettingChange.Failure(description: "\(file) cannot be written: \(error).")
        }
        return [ServiceSettings.row("wrote", file)]
    }
}

extension ServerAddress {
    /// The address in an option.
    init(option: String) throws {
        do throws(Flaw) { self = try ServerAddress(option) } catch { throw ValidationError("--server: \(error)") }
    }
}
