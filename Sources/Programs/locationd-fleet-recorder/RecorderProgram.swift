import ArgumentParser
import CommandLineSupport
import FleetRecording
import Glibc
import LocationInterface
import LocationModel
import LocationSharing
import LocationTracks
import POSIXSupport

/// `locationctl fleet record`, `track` and `forget`.
@main
struct RecorderProgram: ParsableCommand {
    /// Runs the command. An error is printed as a sentence and ends the program with its code.
    static func main() {
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch let error as RecorderRefusal {
            end(error.description, Exit.failure)
        } catch let error as FleetDatabaseFailure {
            end(error.description, Exit.failure)
        } catch let error as InvalidServiceURL {
            // It is wrong at the next start as well.
            end(error.description, Exit.configuration)
        } catch {
            exit(withError: error)
        }
    }

    private static func end(_ sentence: String, _ code: ExitCode) -> Never {
        Terminal.complain(sentence.shown(limit: 4096))
        exit(withError: code)
    }

    static let configuration = CommandConfiguration(
        commandName: "locationctl fleet",
        abstract: "Record the positions of vehicles, and show where one was.",
        discussion: """
            The positions go from a broker into a PostgreSQL database with PostGIS. To start on Debian:

              sudo apt install postgresql postgresql-postgis
              sudo -u postgres createdb --owner "$USER" fleet
              sudo -u postgres psql fleet --command 'CREATE EXTENSION postgis'
              locationctl fleet record --broker mqtts://broker.example --password-file recorder

            What arrives at the broker while the recorder is away is kept there for a week, and recorded afterwards.
            """,
        version: serviceVersion, subcommands: [Record.self, ShowTrack.self, Forget.self, ShowDay.self])
}

struct DatabaseOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The database, as PostgreSQL's programs take it: postgresql://HOST/NAME. A password belongs in ~/.pgpass.",
            valueName: "database"))
    var database = FleetDatabase.usual
}

struct Record: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Record the positions that vehicles publish at a broker.",
        discussion: """
            Runs until it is stopped. A position is acknowledged when it is on the database's disk, so that none is lost at whatever \
            moment the recorder, the broker's connection or the database fails, and one that arrives twice is recorded once.
            """)

    @Option(help: ArgumentHelp("The broker: mqtts://HOST:PORT, or the path of its socket.", valueName: "broker"))
    var broker: String

    @OptionGroup var access: BrokerAccess
    @OptionGroup var database: DatabaseOption

    @Option(help: ArgumentHelp("Remove positions after this number of days, 1 to 3650.", valueName: "days"))
    var keep = 90

    func validate() throws {
        guard access.passwordFile != "-" else {
            throw ValidationError("--password-file takes a file here: a recorder starts where nobody types.")
        }
        guard (1...3650).contains(keep) else { throw ValidationError("--keep takes a number of days, 1 to 3650.") }
    }

    func run() throws {
        var text = broker
        if let passwordFile = access.passwordFile {
            do {
                text += "\n" + String(decoding: try SmallFile.read(passwordFile, limit: 4096), as: UTF8.self)
            } catch {
                throw RecorderRefusal(description: "\(passwordFile.shown()) cannot be read: \(error).")
            }
        }
        let certificate = access.certificate.flatMap { file in
            access.certificateKey.map { ClientCertificate(file: file, key: $0) }
        }
        let recorder = FleetRecorder(
            try ServiceAccess(text, of: .mqtt, allowsPlain: access.plainHttp), authorities: access.ca,
            certificate: certificate,
            database: database.database, keeping: keep)
        var generator = SystemRandomNumberGenerator()
        try recorder.run(using: &generator) { event in
            switch event {
            case .started(let origin): Terminal.complain("Recording the vehicles at \(origin).")
            case .interrupted(let words), .leftOut(let words): Terminal.complain(words.shown(limit: 4096))
            }
        }
    }
}

struct ShowTrack: ParsableCommand {
    /// The formats of a track.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case gpx
        case geojson
    }

    static let configuration = CommandConfiguration(
        commandName: "track", abstract: "Print where a vehicle was, as a track.",
        discussion: """
            To measure it, write it to a file and give that to locationctl track:

              locationctl fleet track van7 --from 2026-11-24 --to 2026-11-25 > van7.gpx
              locationctl track van7.gpx
            """)

    @Argument(
        help: ArgumentHelp(
            "Its device, its user and device as fleet/van7, or the name it gives itself.", valueName: "name"))
    var name: String

    @Option(
        help: ArgumentHelp(
            "From this time on: 2026-11-24, 2026-11-24 08:30, ISO 8601, or an age as 2h or 1d.", valueName: "time"))
    var from = PastTime.instant(Timestamp.now().advanced(by: .seconds(-86_400)))

    @Option(help: ArgumentHelp("Before this time, in the same forms (default: now).", valueName: "time"))
    var to: PastTime?

    @Option(help: ArgumentHelp("The output format: gpx or geojson.", valueName: "format"))
    var format = Format.gpx

    @OptionGroup var database: DatabaseOption

    func run() throws {
        let database = try FleetDatabase(database.database)
        let topic = try database.vehicle(name)
        let (start, end) = (from.timestamp(isLocal: true), to?.timestamp(isLocal: true) ?? .now())
        guard start < end else { throw RecorderRefusal(description: "--to has to be later than --from.") }
        let locations = try database.track(topic, from: start, to: end)
        guard !locations.isEmpty else {
            throw RecorderRefusal(
                description: "Nothing is recorded of \(name.quoted(limit: 64)) between \(start) and \(end).")
        }
        let document = Track.document(format == .gpx ? .gpx : .geoJSON, name: topic, Self.segments(locations))
        Terminal.say(String(document.dropLast()))
    }

    /// The time without positions after which a track is interrupted, in seconds: that after which a vehicle is offline.
    private static let gap = 900.0

    private static func segments(_ locations: [Location]) -> [[Location]] {
        var segments: [[Location]] = []
        for location in locations {
            if let last = segments.last?.last, location.timestamp.duration(since: last.timestamp) / .seconds(1) <= gap {
                segments[segments.count - 1].append(location)
            } else {
                segments.append([location])
            }
        }
        return segments
    }
}

/// `locationctl fleet day`: what `locationctl map --recorded` reads, as JSON that is for no person.
struct ShowDay: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "day", abstract: "Pass the positions of a day on to the map.", shouldDisplay: false)

    @Option var from: Int64
    @Option var to: Int64
    @OptionGroup var database: DatabaseOption

    func run() throws {
        guard from < to, to - from <= Int64(RecordedDay.longestTime) else {
            throw RecorderRefusal(description: "The time is longer than a day.")
        }
        let day = try FleetDatabase(database.database)
            .day(from: Timestamp(secondsSince1970: from), to: Timestamp(secondsSince1970: to))
        guard !day.isTooLong else {
            throw RecorderRefusal(
                description:
                    "This day has more than \(RecordedDay.mostPositions) positions, which are not played back.")
        }
        var rest = day.json()[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            // The map no longer reads.
            guard count > 0 else { throw Exit.failure }
            rest = rest.dropFirst(count)
        }
    }
}

struct Forget: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Remove all that is recorded of a vehicle.",
        discussion: """
            What it publishes afterwards is recorded again. To end that, take its right to publish away at the broker, or have it stop \
            sharing.
            """)

    @Argument(
        help: ArgumentHelp(
            "Its device, its user and device as fleet/van7, or the name it gives itself.", valueName: "name"))
    var name: String

    @OptionGroup var database: DatabaseOption

    func run() throws {
        let database = try FleetDatabase(database.database)
        let topic = try database.vehicle(name)
        let count = try database.delete(topic)
        Terminal.say("Removed \(count) \(count == 1 ? "position" : "positions") of \(topic.shown(limit: 256)).")
    }
}

extension FleetDatabase {
    /// The topic of the vehicle that a name means.
    fileprivate func vehicle(_ name: String) throws -> String {
        let topics = try topics(named: name)
        guard let topic = topics.first else {
            throw RecorderRefusal(description: "No vehicle \(name.quoted(limit: 64)) is recorded.")
        }
        guard topics.count == 1 else {
            throw RecorderRefusal(
                description: "\(name.quoted(limit: 64)) is the name of \(topics.count) vehicles. Give one of: "
                    + topics.prefix(10).map { $0.shown(limit: 64) }.joined(separator: ", ")
                    + (topics.count > 10 ? ", …" : ""))
        }
        return topic
    }
}

/// A command that cannot be carried out: a sentence with the reason.
private struct RecorderRefusal: Error { var description: String }
