import ArgumentParser
import CommandLineSupport
import Glibc
import LocationConfiguration
import LocationModel

struct SourcesFixed: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fixed",
        abstract: "Show or set the position of a machine that does not move.",
        discussion: """
            For desktops and servers: programs get this position, under your decisions, while no receiver has a fix. It is one \
            position for all users, so only root can set it. Places for rules have names: see locationctl places.
            """,
        subcommands: [Show.self, SourcesFixedSet.self, Clear.self], defaultSubcommand: Show.self)

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the position that is set, and the file that it comes from.")

        @OptionGroup var settings: ServiceSettings
        @OptionGroup var output: OutputOptions
        @OptionGroup var display: DisplayOptions

        func run() throws {
            guard let place = try FixedPlace.inForce(configurationFile: settings.file) else {
                if output.format == .json { return Terminal.say(#"{"isSet":false}"#) }
                return Terminal.say(
                    "No position is set. To set it, run: sudo locationctl sources fixed set LATITUDE LONGITUDE")
            }
            try output.say(place) {
                [place.location.line(display.style), ServiceSettings.row("from", place.file.shown())]
            }
        }
    }

    struct Clear: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove the position from the service's settings (only as root).")

        @OptionGroup var settings: ServiceSettings
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try settings.requireRoot(for: "sources fixed clear")
            let before = try? FixedPlace.inForce(configurationFile: settings.file)
            let changes = try SettingChange.removing(FixedPlace.key, in: settings.file)
            let isFileThere = access(GeolocationFile.path, F_OK) == 0
            guard !changes.isEmpty else {
                let message =
                    isFileThere
                    ? "The position comes from \(GeolocationFile.path). To remove it, run: sudo rm "
                        + GeolocationFile.path
                    : "No position was set, and nothing was changed."
                return try SettingReport(isChanged: false, message: [message]).say(output)
            }
            var lines = ["No position is set any more."]
            if isFileThere {
                lines = [
                    "The position now comes from \(GeolocationFile.path). To remove that, too, run: sudo rm "
                        + GeolocationFile.path
                ]
            }
            let steps = try await settings.perform(changes)
            try SettingReport(
                isChanged: true, message: lines, steps: steps,
                undo: before.map { "sudo locationctl \($0.location.command)" }
            ).say(output)
        }
    }
}

/// The fixed position in force, and where it comes from.
struct FixedPlace: Encodable {
    static let key = "FixedLocation"

    let location: FixedLocation
    let file: String

    private enum CodingKeys: CodingKey { case isSet, latitude, longitude, altitude, horizontalAccuracy, file }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(true, forKey: .isSet)
        try container.encode(location.coordinate.latitude, forKey: .latitude)
        try container.encode(location.coordinate.longitude, forKey: .longitude)
        try container.encodeIfPresent(location.altitude, forKey: .altitude)
        try container.encode(location.horizontalAccuracy, forKey: .horizontalAccuracy)
        try container.encode(file, forKey: .file)
    }

    /// The position in force; `nil` if none is set. Ends the program with a message if the files cannot be read.
    static func inForce(configurationFile: String) throws -> FixedPlace? {
        do {
            switch try Configuration.load(file: configurationFile, keeping: nil).daemon.fixedPosition {
            case .configured(let location):
                let holder = try SettingChange.holder(of: key, in: configurationFile)
                return FixedPlace(location: location, file: holder?.file ?? configurationFile)
            case .geolocationFile:
                return try GeolocationFile.read().map { FixedPlace(location: $0, file: GeolocationFile.path) }
            case .inDoubt:
                Terminal.complain("The position is refused. To see why, run: sudo locationctl config check")
                throw Exit.configuration
            }
        } catch let error as InvalidConfiguration {
            if geteuid() != 0, error.problems.contains(where: { $0.isUnreadable }) {
                throw needsRoot(error.problems[0].file)
            }
            Terminal.complain(error.problems.map { $0.description.shown(limit: 4096) })
            throw Exit.configuration
        } catch let error as GeolocationFile.Refusal {
            if geteuid() != 0, error.problem.isUnreadable { throw needsRoot(error.problem.file) }
            Terminal.complain(error.description.shown(limit: 4096))
            throw Exit.configuration
        }
    }

    private static func needsRoot(_ file: String) -> ExitCode {
        Terminal.complain(
            "\(file.shown()) is readable by root and the service only. To see it, run: sudo locationctl sources fixed")
        return Exit.denied
    }
}

extension FixedLocation {
    /// The position on one line for people.
    func line(_ style: DisplayStyle) -> String {
        let height = altitude.map { ", altitude \(Quantity.distance($0, style.units))" } ?? ""
        return
            "\(style.coordinates.position(coordinate)), within \(Quantity.distance(horizontalAccuracy, style.units))\(height)"
    }

    /// The command line, without `locationctl`, that sets it.
    var command: String {
        "sources fixed set \(TextFormat.asTyped(coordinate)) --accuracy \(TextFormat.asTyped(horizontalAccuracy))"
            + (altitude.map { " --altitude \(TextFormat.asTyped($0))" } ?? "")
    }

    /// The value of the key.
    var value: PropertyListValue {
        var entries: [String: PropertyListValue] = [
            "Latitude": .real(coordinate.latitude), "Longitude": .real(coordinate.longitude),
            "HorizontalAccuracy": .real(horizontalAccuracy),
        ]
        entries["Altitude"] = altitude.map { .real($0) }
        return .dictionary(entries)
    }
}
