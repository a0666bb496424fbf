import CommandLineSupport
import ArgumentParser
import Glibc
import LocationServiceManagement

struct Off: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Switch location services off: no program receives your location. Your decisions are kept.")

    @OptionGroup var options: SwitchOptions

    func run() async throws { try await options.set(isEnabled: false) }
}

struct On: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Switch location services on again.")

    @OptionGroup var options: SwitchOptions

    func run() async throws { try await options.set(isEnabled: true) }
}

/// The common parts of the two commands.
struct SwitchOptions: ParsableArguments {
    @OptionGroup var service: ServiceOptions
    @OptionGroup var whose: UserOptions
    @OptionGroup var output: OutputOptions

    @Flag(help: "For the whole machine (only for root and the service's own user).")
    var system = false

    /// The result of the command.
    private struct Setting: Encodable {
        var isEnabled: Bool
        var isSystem: Bool
        /// The user; absent for the whole machine.
        var userID: Int?
    }

    func set(isEnabled: Bool) async throws {
        try await LocationServiceManager(socketPath: service.socket)
            .setEnabled(isEnabled, forSystem: system, user: whose.user?.id)
        let user = system ? nil : whose.user?.id ?? Int(getuid())
        try output.say(Setting(isEnabled: isEnabled, isSystem: system, userID: user)) {
            ["Location services are \(isEnabled ? "on" : "off") for \(system ? "this machine" : whose.name)."]
        }
        if !isEnabled { SharingProgram.forget(user: whose.user?.id) }
    }
}
