import FoundationEssentials
public import LocationModel
import MotionEstimation

/// The fixes of a recorded receiver log, one for each time.
public struct RecordedLog: Sendable {
    /// The log's name without its suffix.
    public var name: String
    /// In increasing order of time: steps back are dropped, as by the sources.
    public var locations: [Location]

    /// The logs with a fix to predict: this project's, and those of the GPSD project's test suite if `LOCATIOND_GPSD_LOGS`
    /// names their directory.
    public static func all() throws -> [RecordedLog] {
        let file = "Tests/Benchmarks/TrackingSimulation/RecordedLog.swift"
        let own = String(#filePath.dropLast(file.count)) + "Tests/Receivers/LocationSourcesTests/Recordings"
        let suite = ProcessInfo.processInfo.environment["LOCATIOND_GPSD_LOGS"].map { [$0] } ?? []
        return try ([own] + suite).flatMap { directory in
            try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
                .filter { $0.hasSuffix(".log.chk") }
                .map { try RecordedLog(name: String($0.dropLast(8)), path: directory + "/" + $0) }
                .filter { $0.locations.count > 1 }
        }
    }

    init(name: String, path: String) throws {
        self.name = name
        let decoder = JSONDecoder()
        var report: Report?
        locations = []
        for line in try Data(contentsOf: URL(filePath: path)).split(separator: UInt8(ascii: "\n")) {
            // Ignore lines that are not JSON.
            guard let next = try? decoder.decode(Report.self, from: Data(line)), next.class == "TPV",
                let time = next.time, let timestamp = Timestamp(time)
            else { continue }
            let latest = report?.time.flatMap { Timestamp($0) }
            if let latest, timestamp < latest { continue }
            // Later reports of the same time refine the earlier ones.
            report = timestamp == latest ? report?.refined(by: next) : next
            guard let location = report?.location(at: timestamp) else { continue }
            if locations.last?.timestamp == timestamp { locations.removeLast() }
            locations.append(location)
        }
    }

    /// The distances between displays and each next fix, just before it: with the filter, and for holding the last fix.
    public func foretell() -> (filter: [Double], held: [Double]) {
        var filter = MotionFilter()
        let start = ContinuousClock.now
        var (errors, held): ([Double], [Double]) = ([], [])
        for (location, next) in zip(locations, locations.dropFirst()) {
            let arrival = start + location.timestamp.duration(since: locations[0].timestamp)
            let nextArrival = start + next.timestamp.duration(since: locations[0].timestamp)
            _ = filter.observe(location, at: arrival)
            // There are no frames in a gap.
            guard let frame = filter.frame(at: nextArrival - .milliseconds(1)) else { continue }
            errors.append(frame.coordinate.distance(to: next.coordinate))
            held.append(location.coordinate.distance(to: next.coordinate))
        }
        return (errors, held)
    }
}

/// A TPV message of gpsd.
private struct Report: Decodable {
    var `class`: String
    var mode: Int?
    var time: String?
    var lat, lon, eph, track, epd, speed, eps: Double?

    func refined(by other: Report) -> Report {
        var report = self
        report.mode = other.mode ?? mode
        (report.lat, report.lon) = (other.lat ?? lat, other.lon ?? lon)
        (report.eph, report.epd, report.eps) = (other.eph ?? eph, other.epd ?? epd, other.eps ?? eps)
        (report.track, report.speed) = (other.track ?? track, other.speed ?? speed)
        return report
    }

    func location(at timestamp: Timestamp) -> Location? {
        guard let mode, mode >= 2, let lat, let lon, let coordinate = Coordinate(latitude: lat, longitude: lon)
        else { return nil }
        var location = Location(coordinate: coordinate, timestamp: timestamp)
        // From 95 % to 68 %, like `LocationSources`.
        location.horizontalAccuracy = eph.map { $0 * 0.6167 }
        location.course = track.flatMap { (0..<360).contains($0) ? $0 : nil }
        location.courseAccuracy = epd.map { $0 / 1.96 }
        location.speed = speed
        location.sourceInformation = .init(isSimulated: true)
        location.speedAccuracy = eps.map { $0 / 1.96 }
        return location
    }
}
