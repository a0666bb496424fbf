import CommandLineSupport
import ArgumentParser
import LocationModel
import LocationTracks

struct TrackCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "track",
        abstract: "Measure a recorded track.",
        discussion: """
            Prints its length, duration, time in motion, climb, speeds and area. \
            Takes GPX, GeoJSON, such as what watch --format geojson prints, recordings of gpspipe -w, and through gpsbabel, \
            where that is installed, KML, KMZ, FIT, TCX, IGC, NMEA and CSV. \
            Values that are unknown or invalid are left out. The service need not run.
            """)

    @Argument(help: ArgumentHelp("The track.", valueName: "file"), completion: .file())
    var file: String

    @Option(
        help: ArgumentHelp(
            "Also write the track to a new file: .gpx, .geojson, or through gpsbabel .kml or .fit.", valueName: "file"),
        completion: .file(extensions: ["gpx", "geojson", "kml", "fit"]))
    var export: String?

    @OptionGroup var display: DisplayOptions
    @OptionGroup var time: ClockOptions

    @Option(help: ArgumentHelp("The output format: text or json.", valueName: "format"))
    var format = PlainFormat.text

    func validate() throws {
        if let export, !Track.canWrite(export) {
            throw ValidationError("--export takes a file whose name ends with .gpx, .geojson, .kml or .fit.")
        }
    }

    func run() throws {
        let track = try Track(contentsOfFile: file)
        if let export { try track.write(to: export) }
        let summary = TrackSummary(of: track)
        switch format {
        case .text: Terminal.say(TrackReport.lines(summary, track.omissions, display.style(time)))
        case .json: Terminal.say(try JSONLine.encode(TrackReport.Object(summary, track.omissions)))
        }
    }
}

/// The measures of a track in the output.
enum TrackReport {
    static func lines(
        _ summary: TrackSummary, _ omissions: Track.Omissions, _ style: DisplayStyle = DisplayStyle()
    ) -> [String] {
        let units = style.units
        var lines = [summary.name ?? "A track without a name"]
        func row(_ name: String, _ text: String?) {
            if let text { lines.append("  " + name + String(repeating: " ", count: 10 - name.count) + text) }
        }
        row("points", "\(summary.points) in \(summary.segments) segment\(summary.segments == 1 ? "" : "s")")
        row("waypoints", summary.waypoints > 0 ? "\(summary.waypoints)" : nil)
        guard summary.points > 0 else {
            row("left out", omissions.phrase)
            return lines
        }
        row("length", length(summary.length, units))
        if summary.standingLength >= max(10, summary.length / 100) {
            row("standing", "\(length(summary.standingLength, units)) of jitter left out")
        }
        if summary.impossiblePoints > 0 {
            let points = "\(summary.impossiblePoints) point\(summary.impossiblePoints == 1 ? "" : "s")"
            let needed = summary.impossibleSpeed > 0 ? ": \(speed(summary.impossibleSpeed, units))" : ""
            row("doubtful", "\(points) left out\(needed)")
        }
        row("duration", summary.duration.map(duration))
        row("moving", summary.movingTime.map(duration))
        if let climb = summary.climb, let descent = summary.descent {
            row("climb", "\(Quantity.height(climb, units)) up, \(Quantity.height(descent, units)) down")
        }
        let speeds = [
            summary.averageSpeed.map { "\(speed($0, units)) on average while moving" },
            summary.highestSpeed.map { "\(speed($0, units)) at most" },
        ].compactMap(\.self)
        row("speed", speeds.isEmpty ? nil : speeds.joined(separator: ", "))
        row("from", summary.start.map { style.clock.text($0) })
        row("to", summary.end.map { style.clock.text($0) })
        row("bounds", summary.bounds.map { bounds($0, style.coordinates) })
        row("missing", missing(summary))
        row("left out", omissions.phrase)
        return lines
    }

    private static func missing(_ summary: TrackSummary) -> String? {
        if summary.pointsWithoutTime > 0 {
            let whose = summary.pointsWithoutTime == summary.points ? "the" : "\(summary.pointsWithoutTime) of the"
            return "the times of \(whose) points: durations and speeds cannot be calculated"
        }
        guard let line = summary.linesNotLater.first else { return nil }
        let count = summary.linesNotLater.count
        return
            "the ways to \(count == 1 ? "a point that is" : "\(count) points that are") before the previous one "
            + "(first in line \(line))"
    }

    private static func length(_ metres: Double, _ units: UnitSystem) -> String {
        let long = metres / units.long.metres
        return long < 1 || units != .metric
            ? Quantity.distance(metres, units)
            : "\(TextFormat.number(long, long < 100 ? 2 : 0)) \(units.long.symbol)"
    }

    private static func speed(_ metresPerSecond: Double, _ units: UnitSystem) -> String {
        "\(TextFormat.number(units.speed(metresPerSecond), 1)) \(units.speedSymbol)"
    }

    /// Hours, minutes and seconds.
    private static func duration(_ seconds: Double) -> String {
        let seconds = Int(seconds.rounded())
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(seconds / 3600):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
    }

    private static func bounds(_ bounds: TrackSummary.Bounds, _ notation: CoordinateNotation) -> String {
        let latitudes = [bounds.south, bounds.north].map { notation.latitude($0, decimals: 5) }
        let longitudes = [bounds.west, bounds.east].map { notation.longitude($0, decimals: 5) }
        return [latitudes, longitudes].map { $0.joined(separator: " to ") }.joined(separator: ", ")
    }

    /// The object for programs, in metres, seconds, metres a second and degrees; unknown values are absent.
    struct Object: Encodable {
        struct Bounds: Encodable {
            var south, north, west, east: Double
        }

        /// The values and points that were left out of the file, with the line and the reason of the first.
        struct LeftOut: Encodable {
            var count, line: Int
            var reason: String
        }

        var name: String?
        var points, segments: Int
        var pointsWithoutTime: Int
        var linesNotLater: [Int]
        var start, end: Timestamp?
        var length: Double
        var standingLength: Double
        var impossiblePoints: Int
        var impossibleSpeed: Double?
        var duration, movingTime, climb, descent, averageSpeed, highestSpeed: Double?
        var bounds: Bounds?
        var waypoints: Int
        var leftOut: LeftOut?

        init(_ summary: TrackSummary, _ omissions: Track.Omissions) {
            waypoints = summary.waypoints
            standingLength = summary.standingLength
            impossiblePoints = summary.impossiblePoints
            impossibleSpeed = summary.impossiblePoints > 0 ? summary.impossibleSpeed : nil
            leftOut =
                omissions.count > 0
                ? LeftOut(count: omissions.count, line: omissions.line, reason: omissions.reason) : nil
            name = summary.name
            points = summary.points
            segments = summary.segments
            pointsWithoutTime = summary.pointsWithoutTime
            linesNotLater = summary.linesNotLater
            start = summary.start
            end = summary.end
            length = summary.length
            duration = summary.duration
            movingTime = summary.movingTime
            climb = summary.climb
            descent = summary.descent
            averageSpeed = summary.averageSpeed
            highestSpeed = summary.highestSpeed
            bounds = summary.bounds.map { Bounds(south: $0.south, north: $0.north, west: $0.west, east: $0.east) }
        }
    }
}
