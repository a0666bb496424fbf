package import ArgumentParser
package import LocationClient

/// The options that select the service.
package struct ServiceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The location service's socket (default: $LOCATIOND_SOCKET, or the system's).", valueName: "path"),
        completion: .file())
    package var socket: String?

    package init() {}
}

/// The exit codes, as `--help` lists them.
package enum Exit {
    package static let failure = ExitCode(1)
    package static let noTrack = ExitCode(66)
    package static let unreachable = ExitCode(69)
    /// Trying again may help: there was no fix in time, or this program was replaced while it was running. A service manager
    /// starts it again then.
    package static let temporary = ExitCode(75)
    package static let denied = ExitCode(77)
    package static let configuration = ExitCode(78)

    package static func code(for error: LocationError) -> ExitCode {
        switch error {
        case .clientNotDeclared, .permissionDenied: OwnExecutable.isReplaced ? temporary : denied
        case .denied, .missingUsageDescription, .notAnswered: denied
        case .locationUnknown: temporary
        case .serviceUnavailable: unreachable
        case .invalidParameter: .validationFailure
        case .limitExceeded, .refused, .cancelled, .unexpected: failure
        }
    }
}

extension AsyncParsableCommand {
    /// Runs the command of a command line; `nil` for that of this process.
    package static func perform(_ words: [String]?) async throws {
        var command = try await asyncParseAsRoot(words)
        if var asynchronous = command as? any AsyncParsableCommand {
            try await asynchronous.run()
        } else {
            try command.run()
        }
    }
}

/// Runs a request to the service. An error of the service is printed as a sentence and ends the program with its code.
package func reportingErrors(_ body: () async throws -> Void) async throws {
    do {
        try await body()
    } catch let error as LocationError {
        Terminal.complain(error.description.shown(limit: 4096))
        if case .serviceUnavailable = error { Terminal.complain("To find out why, run: locationctl doctor") }
        throw Exit.code(for: error)
    }
}
