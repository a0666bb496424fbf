import CommandLineSupport
import ArgumentParser
import LocationClient
import MapTiles
import PlaceSearch

struct Get: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print where you are now.",
        discussion:
            "Waits for a fix; with --accuracy for one of this accuracy or, at the end of the time, the best one.")

    @OptionGroup var service: ServiceOptions

    @Option(help: ArgumentHelp("The output format: text, json or geojson.", valueName: "format"))
    var format = LocationFormat.text

    @Option(help: ArgumentHelp("The longest time to wait, up to 3600.", valueName: "seconds"))
    var timeout = 30.0

    @Option(help: ArgumentHelp("The accuracy to wait for.", valueName: "metres"))
    var accuracy: Double?

    @Flag(help: "Add the place in words, from the installed places.")
    var place = false

    func validate() throws {
        if place, format != .text { throw ValidationError("--place goes with the format text.") }
        try Range.check(timeout, "--timeout", "above 0 to 3600 seconds") { $0 > 0 && $0 <= 3600 }
        try Range.check(accuracy, "--accuracy", "above 0 metres") { $0 > 0 && $0 <= 1e8 }
    }

    func run() async throws {
        try await reportingErrors {
            var manager = LocationManager(socketPath: service.socket)
            manager.desiredAccuracy = LocationAccuracy(meters: accuracy)
            try await promptingHere(service.socket, timeout: .seconds(timeout)) { [self, manager] in
                let location = try await manager.requestLocation(timeout: .seconds(timeout))
                try await show(location, manager)
            }
        }
    }

    /// The place in words: `Städtle 5, Vaduz, Liechtenstein`.
    private static func name(of location: Location) throws -> String {
        do {
            var namer = PlaceNamer(try PlaceSearcher(paths: try InstalledPlaces(around: location.coordinate).paths))
            let name = try namer.name(at: location.coordinate, accuracy: location.horizontalAccuracy)
            let parts = [name.street, name.town, name.country].compactMap { $0 }
            return parts.isEmpty ? "no place is known there" : parts.joined(separator: ", ").shown()
        } catch let error as InstalledPlaces.Missing {
            Terminal.complain(error.description.shown(limit: 4096))
            throw Exit.failure
        } catch let error as PlaceIndexError {
            Terminal.complain(error.description.shown(limit: 4096))
            throw Exit.failure
        }
    }

    private func show(_ location: Location, _ manager: LocationManager) async throws {
        guard format == .text else { return Terminal.say(try format.block(location)) }
        // Only if it may be the reason.
        let accuracy = location.isExact ? .full : try await manager.accuracyAuthorization
        if place { Terminal.say(try Self.name(of: location)) }
        Terminal.say(
            TextFormat.block(location) + (accuracy == .reduced ? ["  accuracy   reduced, as decided: about 5 km"] : []))
        if let wanted = self.accuracy, location.horizontalAccuracy.map({ $0 > wanted }) ?? true {
            Terminal.complain(
                "No fix as exact as \(TextFormat.asTyped(wanted)) m came in \(TextFormat.asTyped(timeout)) s; this is the "
                    + "best one.")
        }
    }
}

extension Location {
    /// True if it is more accurate than a reduced location, which has a radius of kilometres.
    var isExact: Bool { (horizontalAccuracy ?? .infinity) < 1000 }
}

/// Checks numbers on the command line.
enum Range {
    static func check(_ value: Double?, _ name: String, _ range: String, _ isAllowed: (Double) -> Bool) throws {
        guard value.map(isAllowed) ?? true else { throw ValidationError("\(name) takes \(range).") }
    }
}
