import CommandSupport
import ArgumentParser
import Glibc
import LocationClient

struct Off: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Switch location services off: nobody may know, and every decision is kept.")

    @OptionGroup var options: SwitchOptions

    func run() async throws { try await options.set(isEnabled: false) }
}

struct On: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Switch location services on again: every decision counts as before.")

    @OptionGroup var options: SwitchOptions

    func run() async throws { try await options.set(isEnabled: true) }
}

/// What the two switches share.
struct SwitchOptions: ParsableArguments {
    @OptionGroup var service: ServiceOptions
    @OptionGroup var whose: UserOptions
    @OptionGroup var output: OutputOptions

    @Flag(help: "For everybody on this machine; for root and the user that locationd runs as.")
    var system = false

    /// What holds now.
    private struct Setting: Encodable {
        var isEnabled: Bool
        var isSystem: Bool
        /// Whose; absent for everybody's.
        var userID: Int?
    }

    func set(isEnabled: Bool) async throws {
        try await reportingErrors {
            try await LocationServiceManager(socketPath: service.socket)
                .setEnabled(isEnabled, forSystem: system, user: whose.user?.id)
            let user = system ? nil : whose.user?.id ?? Int(getuid())
            try output.say(Setting(isEnabled: isEnabled, isSystem: system, userID: user)) {
                ["Location services are \(isEnabled ? "on" : "off") for \(system ? "this machine" : whose.name)."]
            }
        }
    }
}
