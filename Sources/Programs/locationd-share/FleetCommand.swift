import ArgumentParser
import CommandLineSupport
import FleetModel
import Glibc
import LocationInterface
import LocationModel
import SharingProgram

/// `locationctl fleet`.
struct FleetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "locationctl fleet",
        abstract: "Show the vehicles that publish their positions at a broker.",
        discussion: """
            The vehicles share their positions with the broker by locationctl share, OwnTracks or another program that writes its \
            messages. The user and the password for the broker are secrets, and are read from a file:

              locationctl fleet list --broker mqtts://broker.example --password-file viewer

            A vehicle is moving or stopped while it reports; stale when two reports are overdue, after 2 minutes while its interval is not \
            known; and offline after 15 minutes, three of its intervals if they are longer, or when the broker has lost its connection.
            """,
        version: serviceVersion, subcommands: [FleetList.self, FleetShow.self, FleetWatch.self, FleetFeedCommand.self],
        defaultSubcommand: FleetList.self)
}

struct FleetList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the vehicles, their state, speed, course, age and position (default).")

    @OptionGroup var broker: FleetBroker
    @OptionGroup var display: FleetDisplay

    @Argument(help: ArgumentHelp("Only those whose name contains this.", valueName: "text"))
    var text: String?

    func run() async throws {
        let (fleet, origin) = try broker.read()
        let now = Timestamp.now()
        let vehicles = fleet.vehicles(at: now)
        let reports = vehicles.filter { $0.matches(text ?? "") }.map { FleetReport($0, at: now) }
        Terminal.complain(FleetWords.problems(of: fleet))
        if reports.isEmpty, display.format == .text {
            return Terminal.complain(
                vehicles.isEmpty
                    ? "No vehicle shows its position at \(origin), or this user may not read any."
                    : "No vehicle's name at \(origin) contains \((text ?? "").quoted(limit: 64)).")
        }
        switch display.format {
        case .text: Terminal.say(FleetWords.table(reports, display))
        case .json: Terminal.say(try JSONLine.encode(reports))
        case .geojson: Terminal.say(try JSONLine.encode(GeoJSONCollection(reports.map(\.feature))))
        }
    }
}

struct FleetShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show one vehicle.")

    @OptionGroup var broker: FleetBroker
    @OptionGroup var display: FleetDisplay

    @Argument(
        help: ArgumentHelp(
            "Its device, its user and device as fleet/van7, or the name it gives itself.", valueName: "name"))
    var name: String

    func run() async throws {
        let (fleet, origin) = try broker.read()
        let now = Timestamp.now()
        let vehicles = fleet.vehicles(named: name, at: now)
        guard let vehicle = vehicles.first else {
            Terminal.complain(FleetWords.problems(of: fleet))
            throw ShareRefusal(
                "There is no vehicle \(name.quoted(limit: 64)) at \(origin). To see all, run: locationctl fleet list"
            )
        }
        guard vehicles.count == 1 else {
            let labels = vehicles.prefix(10).map { $0.label.shown(limit: 64) }.joined(separator: ", ")
            throw ShareRefusal(
                "\(name.quoted(limit: 64)) is the name of \(vehicles.count) vehicles. Give one of: "
                    + "\(labels)\(vehicles.count > 10 ? ", …" : "")")
        }
        let report = FleetReport(vehicle, at: now)
        switch display.format {
        case .text: Terminal.say(FleetWords.block(report, display))
        case .json: Terminal.say(try JSONLine.encode(report))
        case .geojson: Terminal.say(try JSONLine.encode(report.feature))
        }
    }
}

/// `locationctl fleet feed`: what `locationctl map --fleet` reads, in bytes that are for no person.
struct FleetFeedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "feed", abstract: "Pass the messages of vehicles on to the map.", shouldDisplay: false)

    @OptionGroup var broker: FleetBroker

    func run() async throws {
        // The map may end at any time.
        signal(SIGPIPE, SIG_IGN)
        var generator = SystemRandomNumberGenerator()
        try broker.reader().follow(into: FleetPipe(to: STDOUT_FILENO), using: &generator)
    }
}

/// The options for printed vehicles.
struct FleetDisplay: ParsableArguments {
    /// The output formats for vehicles.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text
        case json
        case geojson
    }

    @Option(help: ArgumentHelp("The output format: text, json or geojson.", valueName: "format"))
    var format = Format.text

    @Option(
        help: ArgumentHelp(
            "The units of text: metric, imperial or nautical (default: by the locale).", valueName: "units"))
    var units: UnitSystem?

    @Option(help: ArgumentHelp("The notation of coordinates in text: decimal, ddm or dms.", valueName: "notation"))
    var coordinates = CoordinateNotation.decimal
}
