public import ArgumentParser
import CommandLineSupport
import Glibc
public import LocationClient
import LocationMap
import LocationTracks
import MapTiles
import PlaceSearch

/// The command `locationctl map show`, also without the word `show`.
struct MapShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show where you are, the way you came and recorded tracks.",
        discussion: """
            Prints an address for a browser of yours, and shows there where you are, the way you came, recorded tracks and \
            their waypoints. The address is valid once; the browser that has opened it can use it until the program ends. \
            Nobody else sees the map. Ctrl-C ends it.
            """)

    @OptionGroup var service: ServiceOptions

    @Argument(
        help: ArgumentHelp(
            "Recorded tracks to show, GPX or GeoJSON, and places as links, such as 'geo:47.14,9.52?z=15'.",
            valueName: "file"))
    var files: [String] = []

    @OptionGroup var serving: ServingOptions

    @Option(
        help: ArgumentHelp("How the map follows you at first: none, follow or followWithHeading.", valueName: "mode"))
    var mode: UserTracking.Mode?

    @Option(
        help: ArgumentHelp(
            "Show the vehicles that publish their positions at this broker: mqtts://HOST:PORT, the path of its socket, or the name of one "
                + "that was added by locationctl share add NAME mqtt. Requires the package locationd-share.",
            valueName: "broker"))
    var fleet: String?

    @OptionGroup(title: "Options for --fleet") var brokerAccess: BrokerAccess

    @Option(
        help: ArgumentHelp(
            "Play back days of this database of locationctl fleet record, beside the vehicles of --fleet or alone: postgresql://HOST/NAME. "
                + "Requires the package locationd-fleet-recorder.",
            valueName: "database"))
    var recorded: String?

    @Option(help: ArgumentHelp("Record the fixes into a new track, .gpx or .geojson.", valueName: "file"))
    var record: String?

    func validate() throws {
        if let record, TrackFormat(path: record) == nil {
            throw ValidationError("--record takes a file whose name ends with .gpx or .geojson.")
        }
        guard fleet != nil || brokerAccess.arguments.isEmpty else {
            throw ValidationError("Give the broker with --fleet.")
        }
    }

    @MainActor
    func run() async throws {
        do {
            let places = try files.filter(MapLink.isLink).map { try Self.place($0) }
            let tracks = try files.filter { !MapLink.isLink($0) }.map { file throws(TrackError) in
                let track = try Track(contentsOfFile: file)
                if let phrase = track.omissions.phrase {
                    Terminal.complain("\(file): left out: \(phrase)".shown(limit: 4096))
                }
                return (file, track)
            }
            let feed = try fleet.map { broker in
                try FleetFeedProcess(
                    SharingProgram.program.installed(), ["--broker=\(broker)"] + brokerAccess.arguments)
            }
            let recording = try record.map { path throws(TrackError) in try TrackRecording(creating: path) }
            let program = MapProgram(
                manager: LocationManager(socketPath: service.socket), tracks: tracks, places: places, mode: mode,
                recording: recording, feed: feed,
                recorded: try recorded.map { database in
                    RecordedDays(try PackagedProgram.fleetRecorder.installed(), database: database)
                })
            let server = try MapServer(
                program.map, port: serving.port, idleLimit: serving.idleLimit, logger: ServingOptions.log)
            let interruption = Interrupted()
            // The recording is saved, however the map ends.
            let result: Result<Void, any Error>
            do {
                result = .success(try await program.run(server, serving))
            } catch {
                result = .failure(error)
            }
            if let recording { Terminal.complain(try await recording.finish()) }
            try result.get()
            if interruption.hasHappened { throw ExitCode(128 + SIGINT) }
        } catch let error as ExitCode {
            throw error
        } catch {
            Terminal.complain("\(error)".shown(limit: 4096))
            throw error is TrackError ? Exit.noTrack : Exit.failure
        }
    }

    /// The place of a link; one that names a place is searched for in the installed regions.
    private static func place(_ text: String) throws -> MapLink {
        guard var link = MapLink(text) else {
            Terminal.complain(
                "“\(text.shown(limit: 256))” is a link without a position. A geo: link has the form geo:LATITUDE,LONGITUDE, as in geo:47.14,9.52?z=15."
            )
            throw Exit.failure
        }
        guard link.coordinate == nil, let name = link.name else { return link }
        let found: FoundPlace?
        do {
            found = try PlaceSearcher(paths: try InstalledPlaces().paths).search(name, limit: 1).first
        } catch is InstalledPlaces.Missing {
            found = nil
        }
        guard let found else {
            Terminal.complain(
                "The link names a place instead of a position, and nothing is called “\(name.shown())” in the installed regions."
            )
            throw Exit.failure
        }
        link.coordinate = found.coordinate
        return link
    }
}

extension UserTracking.Mode: ExpressibleByArgument {}
