import ArgumentParser
import LocationClient
import LocationInterface

/// What the commands that decide about a client share.
struct DecisionOptions: ParsableArguments {
    @OptionGroup var service: ServiceOptions
    @OptionGroup var whose: UserOptions

    @Argument(help: ArgumentHelp("The client's identifier, as clients lists it.", valueName: "client"))
    var client: String

    @Option(help: ArgumentHelp("How to print what holds now: text or json.", valueName: "format"))
    var format = PlainFormat.text

    /// Decides, and says what holds now.
    func decide(
        _ decision: (LocationServiceManager) async throws -> ManagerInterface.Outcome
    ) async throws {
        try await reportingErrors {
            let outcome = try await decision(LocationServiceManager(socketPath: service.socket))
            switch format {
            case .json: Terminal.say(try LocationFormat.encode(outcome))
            case .text:
                let how = outcome.accuracy == .full ? "exactly" : "roughly"
                Terminal.say("\(client) may know where you are: \(outcome.status.words), \(how).")
            }
        }
    }
}

struct Allow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Let a client know where you are while it is in use.",
        discussion: "A policy may allow less than you do; explain says so.")

    @OptionGroup var options: DecisionOptions

    @Flag(help: "At any time, not only while it is in use.")
    var always = false

    func run() async throws {
        try await options.decide {
            try await $0.setAuthorization(
                always ? .authorizedAlways : .authorizedWhenInUse, of: options.client, user: options.whose.user?.id)
        }
    }
}

struct Deny: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Do not let a client know where you are.")

    @OptionGroup var options: DecisionOptions

    func run() async throws {
        try await options.decide {
            try await $0.setAuthorization(.denied, of: options.client, user: options.whose.user?.id)
        }
    }
}

struct Reset: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Forget what you decided about a client: it may ask again.")

    @OptionGroup var options: DecisionOptions

    func run() async throws {
        try await options.decide {
            try await $0.setAuthorization(.notDetermined, of: options.client, user: options.whose.user?.id)
        }
    }
}

struct Accuracy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Let a client know exactly where you are, or only to about 5 km.")

    @OptionGroup var options: DecisionOptions

    @Argument(help: "full or reduced")
    var accuracy: Choice

    enum Choice: String, ExpressibleByArgument, CaseIterable {
        case full
        case reduced
    }

    func run() async throws {
        try await options.decide {
            try await $0.setAccuracy(
                accuracy == .full ? .full : .reduced, of: options.client, user: options.whose.user?.id)
        }
    }
}

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

    @Flag(help: "For everybody on this machine; for root.")
    var system = false

    func set(isEnabled: Bool) async throws {
        try await reportingErrors {
            try await LocationServiceManager(socketPath: service.socket)
                .setEnabled(isEnabled, forSystem: system, user: whose.user?.id)
            let whom = system ? "this machine" : whose.user.map { "user \(User.name($0.id))" } ?? "you"
            Terminal.say("Location services are \(isEnabled ? "on" : "off") for \(whom).")
        }
    }
}
