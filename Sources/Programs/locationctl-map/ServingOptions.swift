import ArgumentParser
import CommandLineSupport
@preconcurrency import Dispatch
import Glibc
import Logging
import Synchronization

/// The options of a command that serves a page.
struct ServingOptions: ParsableArguments {
    @Flag(help: "Open the address in the browser of this session.")
    var open = false

    @Flag(help: "End once no page has been open for ten minutes, as a desktop wants it.")
    var untilUnused = false

    @Option(help: ArgumentHelp("The port to serve the page at. (default: any that is free)", valueName: "number"))
    var port: Int = 0

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port takes 0 to 65535.") }
    }

    /// The time after which the server ends if no page is open; `nil` for never.
    var idleLimit: Duration? { untilUnused ? .seconds(600) : nil }

    /// Prints the address of a page that is served now, and opens it if that was asked for.
    func announce(_ address: String) {
        Terminal.say(address)
        if open {
            Browser.open(address)
        } else if let command = SSHForwarding.command(for: address) {
            Terminal.complain("To open it where you are logged in from, run there: \(command)")
        }
    }

    /// The logger of the server.
    static let log: Logger = {
        var logger = Logger(label: "org.locationd.map") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .warning
        return logger
    }()
}

/// Notes whether Ctrl-C has ended the map, which ends like other programs then: scripts can distinguish it from an end of its own.
final class Interrupted: Sendable {
    private let isNoted = Mutex(false)
    private let source: any DispatchSourceSignal

    init() {
        // The server ignores the signal otherwise, and ends.
        source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        source.setEventHandler { @Sendable [weak self] in self?.isNoted.withLock { $0 = true } }
        source.resume()
    }

    var hasHappened: Bool { isNoted.withLock { $0 } }
}
