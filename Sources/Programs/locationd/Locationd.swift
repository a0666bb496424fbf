public import ArgumentParser
import LocationCore
import LocationDaemon
import LocationInterface
public import Logging
import ServiceSupport

@main
enum Main {
    static func main() async {
        Daemon.useOneHeap()
        EventLoopTasks.install()
        await Locationd.main()
    }
}

struct Locationd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "locationd",
        abstract: "The location service: reads fixes from gpsd and gives them to authorized clients.",
        discussion: """
            Started by systemd it needs no options. To try it as yourself, give it files of your own:

              locationd --config my.plist --socket /tmp/location.sock --state-directory /tmp/location

            SIGHUP reloads the configuration; SIGTERM and SIGINT stop the service.

            Exit status: 0 stopped on request, 1 another error, 64 the command is invalid, 66 a recorded \
            track cannot be replayed, 71 the socket cannot be created, 74 the state directory cannot be used, 78 the \
            configuration has a problem.
            """,
        version: serviceVersion)

    @Option(help: ArgumentHelp("The daemon's property list.", valueName: "file"), completion: .file())
    var config = "/etc/locationd/locationd.plist"

    @Option(help: ArgumentHelp("The path of the socket.", valueName: "path"), completion: .file())
    var socket = "/run/locationd/org.locationd"

    @Option(
        help: ArgumentHelp("The directory for decisions and history.", valueName: "directory"), completion: .directory)
    var stateDirectory = "/var/lib/locationd"

    @Option(help: ArgumentHelp("The address of gpsd, instead of the configured one.", valueName: "host:port|path"))
    var gpsd: String?

    @Option(
        help: ArgumentHelp(
            "Replay a recorded track instead of reading gpsd: GPX (.gpx), GeoJSON (.geojson) or a recording of gpspipe -w "
                + "(Debian's package gpsd-clients has it).",
            valueName: "file"), completion: .file())
    var replay: String?

    @Option(
        help: ArgumentHelp(
            "The factor of the replay's speed, above 0 to 1000 (default: 1). The simulated receiver moves faster by the "
                + "same factor, and reports that speed.",
            valueName: "factor"))
    var speed: Double?

    @Option(
        help: ArgumentHelp(
            "Serve programs of gpsd (cgps, OpenCPN and others) at this port of 127.0.0.1 and ::1.", valueName: "port"))
    var gpsdListen: Int?

    @Option(
        help: ArgumentHelp(
            "The lowest log level: trace, debug, info, notice, warning, error, critical.", valueName: "level"))
    var logLevel = Logger.Level.info

    func validate() throws {
        if gpsd != nil && replay != nil {
            throw ValidationError("--gpsd and --replay cannot be combined.")
        }
        if let gpsd, let problem = Daemon.problem(withAddress: gpsd) { throw ValidationError(problem) }
        if let gpsdListen, !(1...65_535).contains(gpsdListen) {
            throw ValidationError("--gpsd-listen takes a port from 1 to 65535.")
        }
        if let speed {
            guard replay != nil else { throw ValidationError("--speed needs --replay.") }
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
                    source: gpsd.map { .gpsd($0) } ?? replay.map { .replay(file: $0, speed: speed ?? 1) },
                    gpsdPort: gpsdListen),
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
