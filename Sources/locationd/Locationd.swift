public import ArgumentParser
import LocationDaemon
import LocationInterface
public import Logging

@main
enum Main {
    static func main() async {
        Daemon.useOneHeap()
        EventLoopExecutors.install()
        await Locationd.main()
    }
}

struct Locationd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "locationd",
        abstract: "The location service: reads fixes from gpsd and gives them to clients that may know.",
        discussion: """
            Started by systemd it needs no options. To try it as yourself, give it files of your own:

              locationd --config my.plist --socket /tmp/location.sock --state-directory /tmp/location

            SIGHUP reads the configuration again; SIGTERM and SIGINT end it.

            Exit codes: 0 ended as told, 1 something else failed, 64 the command was not understood, 66 a recorded \
            track cannot be played, 71 the socket cannot be made, 74 the state directory cannot be used, 78 the \
            configuration has a problem.
            """,
        version: serviceVersion)

    @Option(help: ArgumentHelp("The daemon's property list.", valueName: "file"), completion: .file())
    var config = "/etc/locationd/locationd.plist"

    @Option(help: ArgumentHelp("Where to listen.", valueName: "path"), completion: .file())
    var socket = "/run/locationd/org.locationd"

    @Option(
        help: ArgumentHelp("Where decisions and history are kept.", valueName: "directory"), completion: .directory)
    var stateDirectory = "/var/lib/locationd"

    @Option(help: ArgumentHelp("Read gpsd there, whatever the configuration says.", valueName: "host:port|path"))
    var gpsd: String?

    @Option(
        help: ArgumentHelp(
            "Play a recorded track instead of reading gpsd: GPX (.gpx), GeoJSON (.geojson) or what gpspipe -w recorded "
                + "(Debian's package gpsd-clients has it).",
            valueName: "file"), completion: .file())
    var replay: String?

    @Option(
        help: ArgumentHelp(
            "Play it so many times as fast, above 0 to 1000 (default: 1). The receiver that is simulated moves so much "
                + "faster, and reports that speed.",
            valueName: "factor"))
    var speed: Double?

    @Option(
        help: ArgumentHelp(
            "Log from this level on: trace, debug, info, notice, warning, error, critical.", valueName: "level"))
    var logLevel = Logger.Level.info

    func validate() throws {
        if gpsd != nil && replay != nil {
            throw ValidationError("--gpsd and --replay both say where locations come from: give one of them.")
        }
        if let gpsd, let problem = Daemon.problem(withAddress: gpsd) { throw ValidationError(problem) }
        if let speed {
            guard replay != nil else { throw ValidationError("--speed is the pace of a track: give --replay, too.") }
            guard speed > 0, speed <= 1000 else { throw ValidationError("--speed takes a factor above 0 to 1000.") }
        }
    }

    func run() async throws {
        let level = logLevel
        LoggingSystem.bootstrap { _ in JournalLogHandler(logLevel: level) }
        let logger = Logger(label: "locationd")
        do {
            try await Daemon(
                options: Daemon.Options(
                    configurationFile: config, socketPath: socket, stateDirectory: stateDirectory,
                    source: gpsd.map { .gpsd($0) } ?? replay.map { .replay(file: $0, speed: speed ?? 1) }),
                logger: logger
            ).run()
        } catch {
            // Each problem of a configuration on a line of its own.
            for line in "\(error)".split(whereSeparator: \.isNewline) {
                logger.critical("locationd cannot run: \(line)", metadata: JournalMessage.failed.metadata)
            }
            throw ExitCode(Daemon.exitCode(for: error))
        }
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
