import CommandLineSupport
import ArgumentParser
import LocationClient
import MapTiles
import PlaceSearch
import Synchronization
import TimeZones

struct Get: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print your current location.",
        discussion:
            "Waits for a fix; with --accuracy for one that is this accurate, or the best one when the time is up.")

    @OptionGroup var service: ServiceOptions

    @Option(help: ArgumentHelp("The output format: text, json or geojson.", valueName: "format"))
    var format = LocationFormat.text

    @Option(help: ArgumentHelp("The longest time to wait, up to 3600.", valueName: "seconds"))
    var timeout = 30.0

    @Option(help: ArgumentHelp("The accuracy to wait for, as a radius.", valueName: "metres"))
    var accuracy: Double?

    @Flag(help: "Add the name of the place, from the installed map data.")
    var place = false

    @Flag(help: "Print only the name of your location's time zone, from borders that are installed.")
    var timeZone = false

    @OptionGroup var display: DisplayOptions
    @OptionGroup var time: ClockOptions

    func validate() throws {
        if place, format != .text { throw ValidationError("--place requires --format text.") }
        if place, timeZone { throw ValidationError("Give either --place or --time-zone.") }
        if timeZone, format == .geojson { throw ValidationError("--time-zone takes --format text or json.") }
        try Range.check(timeout, "--timeout", "above 0 to 3600 seconds") { $0 > 0 && $0 <= 3600 }
        try Range.check(accuracy, "--accuracy", "above 0 metres") { $0 > 0 && $0 <= 1e8 }
    }

    func run() async throws {
        var manager = LocationManager(socketPath: service.socket)
        manager.desiredAccuracy = LocationAccuracy(meters: accuracy)
        try await promptingHere(service.socket, timeout: .seconds(timeout)) { [self, manager] in
            let location = try await explainingDelay(of: manager) {
                try await manager.requestLocation(timeout: .seconds(timeout), waitsForAgent: true)
            }
            try await show(location, manager)
        }
    }

    /// The time after which the reason for waiting is printed: most fixes come sooner.
    private static let delay = Duration.milliseconds(1500)

    /// Makes a request and, if it takes a while, prints why there is no location yet.
    private func explainingDelay(
        of manager: LocationManager, _ request: @escaping @Sendable () async throws -> Location
    ) async throws -> Location {
        let printed = PrintedSentences()
        return try await withThrowingTaskGroup(of: Location?.self) { group in
            group.addTask {
                do {
                    return try await WithholdingRule.naming(socket: service.socket, request)
                } catch let error as LocationError
                    where printed.contains(error.description.shown(limit: 4096))
                {
                    // The reason stands there already.
                    throw Exit.code(for: error)
                }
            }
            group.addTask {
                // Cancelled when the location is there.
                guard (try? await Task.sleep(for: Self.delay)) != nil else { return nil }
                // Without the rights for it, the request itself reports the error.
                try? await Self.printObstacles(to: manager, noting: printed)
                return nil
            }
            defer { group.cancelAll() }
            while let result = try await group.next() {
                if let result { return result }
            }
            throw LocationError.locationUnknown(reason: "No fix came in time.")
        }
    }

    /// Prints each reason for having no location once. Updates of headings report it, too, and take no location.
    private static func printObstacles(to manager: LocationManager, noting printed: PrintedSentences) async throws {
        var last: String?
        for try await update in manager.headingUpdates() where update.locationUnavailable || update.insufficientlyInUse
        {
            let sentence = await update.obstacle(socket: manager.socketPath)
            // Cut short by the end of the request, which says the reason itself.
            guard let sentence, !Task.isCancelled, sentence != last else { continue }
            let shown = sentence.shown(limit: 4096)
            printed.insert(shown)
            Terminal.complain(shown)
            last = sentence
        }
    }

    /// The name of the place: `Städtle 5, Vaduz, Liechtenstein`.
    private static func name(of location: Location) throws -> String {
        do {
            var namer = PlaceNamer(try PlaceSearcher(paths: try InstalledPlaces(around: location.coordinate).paths))
            let name = try namer.name(at: location.coordinate, accuracy: location.horizontalAccuracy)
            let parts = [name.street, name.town, name.country].compactMap { $0 }
            return parts.isEmpty ? "no known place" : parts.joined(separator: ", ").shown()
        } catch {
            throw InstalledPlaces.report(error)
        }
    }

    private func showTimeZone(_ location: Location) throws {
        let verdict = try InstalledTimeZones.grid().verdict(on: location, by: TimeZoneDatabase())
        guard case .zone(let name) = verdict else { throw LocationError.refused(message: verdict.obstacle ?? "") }
        Terminal.say(format == .json ? try JSONLine.encode(["timeZone": name]) : name)
    }

    private func show(_ location: Location, _ manager: LocationManager) async throws {
        if timeZone { return try showTimeZone(location) }
        let style = display.style(time)
        guard format == .text else { return Terminal.say(try format.block(location, style)) }
        // Only if it may be the reason.
        let accuracy = location.isExact ? .full : try await manager.accuracyAuthorization
        if place { Terminal.say(try Self.name(of: location)) }
        Terminal.say(
            TextFormat.block(location, style)
                + (accuracy == .reduced ? ["  accuracy   approximate (about 5 km), as decided"] : []))
        if let wanted = self.accuracy, location.horizontalAccuracy.map({ $0 > wanted }) ?? true {
            Terminal.complain(
                "No fix with an accuracy of \(TextFormat.asTyped(wanted)) m came within \(TextFormat.asTyped(timeout)) s. "
                    + "This is the best one.")
        }
    }
}

/// The reasons that were printed while a request waits.
private final class PrintedSentences: Sendable {
    private let sentences = Mutex<Set<String>>([])

    func insert(_ sentence: String) { sentences.withLock { _ = $0.insert(sentence) } }

    func contains(_ sentence: String) -> Bool { sentences.withLock { $0.contains(sentence) } }
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
