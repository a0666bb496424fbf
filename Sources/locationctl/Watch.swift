import CommandSupport
import ArgumentParser
import LocationClient
import LocationInterface

struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print where you are, again and again, one line each.",
        discussion: """
            Ends with Ctrl-C (exit code 130), after --count lines, or when you or this program may not know any more. \
            While no location comes, standard error says why, or with --format json an object with a diagnostic.
            """)

    @OptionGroup var service: ServiceOptions

    @Option(help: ArgumentHelp("How to print it: text, json or geojson.", valueName: "format"))
    var format = LocationFormat.text

    @Option(help: ArgumentHelp("End after so many locations.", valueName: "number"))
    var count: Int?

    @Option(help: ArgumentHelp("Leave out what is nearer than this to the last.", valueName: "metres"))
    var distance: Double?

    @Option(help: ArgumentHelp("Leave out what is less exact than this.", valueName: "metres"))
    var accuracy: Double?

    @Option(help: ArgumentHelp("Leave out what follows the last sooner than this.", valueName: "seconds"))
    var interval: Double?

    @Flag(help: "Print headings too, where there is a compass.")
    var heading = false

    @Option(
        help: ArgumentHelp(
            "Leave out headings that differ less from the last; implies --heading.", valueName: "degrees"))
    var headingFilter: Double?

    @Flag(help: "Pause while you stay in one place.")
    var pause = false

    @Flag(help: "Only when you are 500 m from the last, and every five minutes. For programs that may always know.")
    var significant = false

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count takes a number above 0.") }
        try Range.check(distance, "--distance", "0 metres or more") { $0 >= 0 && $0 <= 1e8 }
        try Range.check(accuracy, "--accuracy", "above 0 metres") { $0 > 0 && $0 <= 1e8 }
        try Range.check(interval, "--interval", "0 to 86400 seconds") { $0 >= 0 && $0 <= 86_400 }
        try Range.check(headingFilter, "--heading-filter", "0 to 180 degrees") { $0 >= 0 && $0 <= 180 }
        if significant,
            distance != nil || accuracy != nil || interval != nil || heading || headingFilter != nil || pause
        {
            throw ValidationError("--significant is a choice of its own: leave the other filters out.")
        }
    }

    func run() async throws {
        try await reportingErrors {
            var manager = LocationManager(socketPath: service.socket)
            manager.distanceFilter = distance
            manager.desiredAccuracy = accuracy
            manager.minimumInterval = interval
            manager.includesHeading = heading || headingFilter != nil
            manager.headingFilter = headingFilter
            manager.pausesLocationUpdatesAutomatically = pause
            try await promptingHere(service.socket) { [self, manager] in
                try await withThrowingTaskGroup { group in
                    group.addTask {
                        try await printUpdates(of: manager)
                        return true
                    }
                    if let accuracy {
                        group.addTask {
                            await Self.reportUnmet(accuracy, of: manager)
                            return false
                        }
                    }
                    defer { group.cancelAll() }
                    while let isDone = try await group.next(), !isDone {}
                }
            }
        }
    }

    private func printUpdates(of manager: LocationManager) async throws {
        var left = count ?? .max
        var isReduced = false
        let updates = significant ? manager.significantLocationChanges() : manager.liveUpdates()
        for try await update in updates {
            try show(update, &isReduced)
            if update.location != nil { left -= 1 }
            if left == 0 { return }
        }
    }

    /// Says why nothing is printed if no fix is as exact as was asked for. Any other reason is said by the updates.
    private static func reportUnmet(_ accuracy: Double, of manager: LocationManager) async {
        guard let best = try? await manager.requestLocation(timeout: .seconds(5)).horizontalAccuracy, best > accuracy
        else { return }
        Terminal.complain(
            "No fix as exact as \(TextFormat.asTyped(accuracy)) m has come yet; the best was "
                + "±\(TextFormat.number(best, 1)) m. Still waiting.")
    }

    /// - Parameter isReduced: whether the program may know only roughly, which each update may change.
    private func show(_ update: LocationUpdate, _ isReduced: inout Bool) throws {
        if update.skippedCount > 0, format == .text {
            Terminal.complain("Missed \(update.skippedCount): this program was too slow.")
        }
        if update.accuracyLimited { isReduced = true }
        if let location = update.location {
            if location.isExact { isReduced = false }
            Terminal.say(try format.line(location) + (isReduced && format == .text ? "  reduced" : ""))
        }
        if let heading = update.heading, let line = try format.line(heading) { Terminal.say(line) }
        try Self.reportObstacle(in: update, asJSON: format == .json)
    }

    /// Why there is no location, as JSON.
    private struct Obstacle: Encodable {
        var diagnostic: LocationDiagnostic
        var cause: LocationCause?
    }

    /// Says what an update has instead of a location, if anything; ends the command when that is for good.
    static func reportObstacle(in update: some ServiceUpdate, asJSON: Bool) throws {
        if asJSON, let diagnostic = update.diagnostic {
            Terminal.say(try LocationFormat.encode(Obstacle(diagnostic: diagnostic, cause: update.cause)))
        } else if let sentence = update.sentence {
            Terminal.complain(sentence.shown(limit: 4096))
        }
        if update.authorizationDenied || update.authorizationRestricted { throw Exit.denied }
    }
}
