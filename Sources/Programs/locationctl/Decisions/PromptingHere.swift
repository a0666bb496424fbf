import CommandLineSupport
import Glibc
import LocationClient
import LocationInterface
import LocationModel
import LocationServiceManagement

/// Runs a command that asks for the location, and shows its own prompt if there is a terminal and no agent. If the
/// prompt is shown elsewhere, or nowhere, it prints that first.
///
/// - Parameter timeout: the time to wait for an answer that has to come from elsewhere; `nil` for no limit.
func promptingHere<Value: Sendable>(
    _ socket: String?, timeout: Duration? = nil, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    // In the background of a terminal, as timeout(1) puts it, reading would stop it.
    let foreground = tcgetpgrp(STDIN_FILENO)
    let isInBackground = foreground >= 0 && foreground != getpgrp()
    let hasTerminal = isatty(STDIN_FILENO) != 0 && isatty(STDERR_FILENO) != 0 && !isInBackground
    let isElsewhere = try await announcePrompt(socket, hasTerminal: hasTerminal, timeout: timeout)
    return try await withThrowingTaskGroup(of: Value?.self) { group in
        if hasTerminal {
            group.addTask {
                let agent = TerminalAgent(manager: LocationServiceManager(socketPath: socket))
                // Without the rights of an agent, or without the service, the command itself reports the error.
                guard case .endOfInput? = try? await agent.run(isFallback: true) else { return nil }
                throw LocationError.notAnswered(message: "You gave no answer. Nothing was decided.")
            }
        }
        if isElsewhere, let timeout {
            group.addTask {
                // Cancelled when the answer arrives.
                guard (try? await Task.sleep(for: timeout)) != nil else { return nil }
                throw try await expired(socket, timeout)
            }
        }
        group.addTask { try await body() }
        defer { group.cancelAll() }
        while let value = try await group.next() {
            if let value { return value }
        }
        throw CancellationError()
    }
}

/// Prints where the user is being asked, if it is not in this terminal. Returns true if it printed something.
private func announcePrompt(_ socket: String?, hasTerminal: Bool, timeout: Duration?) async throws -> Bool {
    guard try await LocationManager(socketPath: socket).authorizationStatus == .notDetermined else { return false }
    let status = try await LocationServiceManager(socketPath: socket).status()
    let limit = timeout.map { " within \(TextFormat.number($0 / .seconds(1), 0)) s" } ?? ""
    if status.hasAgent {
        Terminal.complain(
            "Your agent shows the prompt whether locationctl may use your location. Answer there\(limit). To answer here, run: "
                + "locationctl agent prompts")
        return true
    }
    guard !hasTerminal else { return false }
    Terminal.complain(
        "The prompt whether locationctl may use your location cannot be shown: this is not the foreground of a terminal, and no "
            + "agent is running. To answer it\(limit), run: locationctl agent in a terminal, or locationctl agent prompts"
    )
    return true
}

/// The reason why no answer or no location arrived in time.
private func expired(_ socket: String?, _ timeout: Duration) async throws -> LocationError {
    let seconds = TextFormat.number(timeout / .seconds(1), 0)
    guard try await LocationManager(socketPath: socket).authorizationStatus == .notDetermined else {
        return .locationUnknown(reason: "No fix came in time.")
    }
    return .notAnswered(
        message:
            "The prompt whether locationctl may use your location was not answered within \(seconds) s. To allow it in advance, "
            + "run: locationctl allow org.locationd.locationctl")
}
