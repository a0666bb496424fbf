import CommandLineSupport
import ArgumentParser
import LocationClient
import LocationModel

struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print your location whenever it changes, one line each.",
        discussion: """
            Ends with Ctrl-C (exit status 130), after --count lines, or when this program is no longer allowed to use your \
            location. While there is no location, standard error shows why, and --format json an object with a diagnostic. \
            To record a track as GPX, run: locationctl follow --record FILE.gpx
            """)

    @OptionGroup var service: ServiceOptions

    @Option(help: ArgumentHelp("The output format: text, json or geojson.", valueName: "format"))
    var format = LocationFormat.text

    @Option(help: ArgumentHelp("End after this number of locations.", valueName: "number"))
    var count: Int?

    @Option(help: ArgumentHelp("The minimum distance from the last location.", valueName: "metres"))
    var distance: Double?

    @Option(help: ArgumentHelp("The largest accuracy radius.", valueName: "metres"))
    var accuracy: Double?

    @Option(help: ArgumentHelp("The minimum time after the last location.", valueName: "seconds"))
    var interval: Double?

    @Flag(help: "Print headings as well, if there is a compass.")
    var heading = false

    @Option(
        help: ArgumentHelp(
            "The minimum difference from the last heading; implies --heading.", valueName: "degrees"))
    var headingFilter: Double?

    @OptionGroup var display: DisplayOptions
    @OptionGroup var time: ClockOptions

    @Flag(help: "Pause while you stay in one place.")
    var pause = false

    @Flag(help: "Only locations 500 m from the last one, or five minutes after it. Requires permission at any time.")
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
            throw ValidationError("--significant cannot be combined with the other filters.")
        }
    }

    func run() async throws {
        var manager = LocationManager(socketPath: service.socket)
        manager.distanceFilter = distance
        manager.desiredAccuracy = LocationAccuracy(meters: accuracy)
        manager.minimumInterval = interval.map { .seconds($0) }
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

    private func printUpdates(of manager: LocationManager) async throws {
        var left = count ?? .max
        var isReduced = false
        let style = display.style(time)
        let updates = significant ? manager.significantLocationChanges() : manager.liveUpdates()
        for try await update in updates {
            try await show(update, style, &isReduced)
            if update.location != nil { left -= 1 }
            if left == 0 { return }
        }
    }

    /// Reports that no fix reaches the requested accuracy, if that is why nothing is printed. The updates report other reasons.
    private static func reportUnmet(_ accuracy: Double, of manager: LocationManager) async {
        guard let best = try? await manager.requestLocation(timeout: .seconds(5)).horizontalAccuracy, best > accuracy
        else { return }
        Terminal.complain(
            "No fix with an accuracy of \(TextFormat.asTyped(accuracy)) m has come yet; the best has "
                + "±\(TextFormat.number(best, 1)) m. Still waiting.")
    }

    /// - Parameter isReduced: true if the program has reduced accuracy; updates may change it.
    private func show(_ update: LocationUpdate, _ style: DisplayStyle, _ isReduced: inout Bool) async throws {
        if update.skippedCount > 0 {
            Terminal.complain("Missed \(update.skippedCount) locations, because this program was too slow.")
        }
        if update.accuracyLimited { isReduced = true }
        if let location = update.location {
            if location.isExact { isReduced = false }
            Terminal.say(try format.line(location, style) + (isReduced && format == .text ? "  approximate" : ""))
        }
        if let heading = update.heading, let line = try format.line(heading) { Terminal.say(line) }
        try await Self.reportObstacle(in: update, asJSON: format == .json, socket: service.socket)
    }

    /// The diagnostic of an update as JSON.
    private struct Obstacle: Encodable {
        var diagnostic: LocationDiagnostic
        var cause: LocationCause?
    }

    /// Prints the diagnostic of an update, if it has one. Ends the command if locations cannot come back by themselves.
    static func reportObstacle(in update: some ServiceUpdate, asJSON: Bool, socket: String?) async throws {
        if asJSON, let diagnostic = update.diagnostic {
            Terminal.say(try JSONLine.encode(Obstacle(diagnostic: diagnostic, cause: update.cause)))
        } else if let sentence = await update.obstacle(socket: socket) {
            Terminal.complain(sentence.shown(limit: 4096))
        }
        if update.authorizationDenied || update.authorizationRestricted { throw Exit.denied }
    }
}
