import ArgumentParser
import LocationClient
import LocationInterface

@main
struct Locationctl: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "locationctl",
        abstract: "Ask the location service where you are, and look after it.",
        discussion: """
            Exit codes:
              0   it worked
              1   something else went wrong
              64  the command was not understood
              66  the file is no track that can be read
              69  the location service cannot be reached
              75  no fix came in time
              77  you, or this program, may not
              78  a configuration file has a problem, or doctor found one
            """,
        version: serviceVersion,
        groupedSubcommands: [
            CommandGroup(name: "Where you are:", subcommands: [Get.self, Watch.self, Follow.self, Track.self]),
            CommandGroup(
                name: "Who may know:",
                subcommands: [
                    Clients.self, Allow.self, Deny.self, Reset.self, Accuracy.self, Off.self, On.self, History.self,
                    Explain.self,
                ]),
            CommandGroup(name: "Being asked:", subcommands: [Agent.self, Prompts.self, Answer.self]),
            CommandGroup(name: "The service:", subcommands: [Status.self, Config.self, Doctor.self]),
        ])
}

/// Where the service is.
struct ServiceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The location service's socket; $LOCATIOND_SOCKET where this is not given.", valueName: "path"))
    var socket: String?
}

/// What the exit codes of `--help` are called.
enum Exit {
    static let failure = ExitCode(1)
    static let noTrack = ExitCode(66)
    static let unreachable = ExitCode(69)
    static let noFix = ExitCode(75)
    static let denied = ExitCode(77)
    static let configuration = ExitCode(78)

    /// The code that tells a script what an error was.
    static func code(for error: LocationError) -> ExitCode {
        switch error {
        case .clientNotDeclared, .denied, .missingUsageDescription, .notAnswered, .permissionDenied: denied
        case .locationUnknown: noFix
        case .serviceUnavailable: unreachable
        case .invalidParameter: .validationFailure
        case .limitExceeded, .refused, .unexpected: failure
        }
    }
}

/// Runs what asks the service; an error is said in a sentence and ends the program with its code.
func reportingErrors(_ body: () async throws -> Void) async throws {
    do {
        try await body()
    } catch let error as LocationError {
        Terminal.complain(error.description.shown(limit: 4096))
        throw Exit.code(for: error)
    }
}
