import FoundationEssentials
import GPSDProtocol
import LocationModel
import Testing

/// Recorded receiver logs: this project's, made by simulated receivers, and those of the GPSD project's test suite, if
/// `LOCATIOND_GPSD_LOGS` names their directory.
struct Recording: CustomTestStringConvertible {
    var path: String

    var testDescription: String { String(path.split(separator: "/").last ?? "") }

    func bytes() throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: path))) }

    /// The expected messages of gpsd, one a line: `Recordings/expect` writes this project's.
    func check() throws -> [String] {
        let data = try Data(contentsOf: URL(filePath: path + ".chk"))
        return String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
    }

    /// True for a recording of this project.
    var isOwn: Bool { path.hasPrefix(Self.directory) }

    /// The number of epochs that a gpsd of today reports of a recording whose expectation it no longer meets: the weeks of
    /// these receivers have rolled over, or their protocol is not recognised at this speed. `nil` for all others.
    var epochsToday: Int? {
        switch testDescription {
        case "april6_2019.log", "garmin17n.log", "haicom-305N.log", "skytraq-A8.log": 0
        case "ublox-neo-m8l.log": 18
        default: nil
        }
    }

    private static let directory = String(#filePath.dropLast("Recordings.swift".count)) + "Recordings"

    static let own = logs(in: directory)
    static let suite = ProcessInfo.processInfo.environment["LOCATIOND_GPSD_LOGS"].map { logs(in: $0) } ?? []

    /// Skips a test where the GPSD project's recordings are not named.
    static let suiteIsNamed = ConditionTrait.enabled(
        if: ProcessInfo.processInfo.environment["LOCATIOND_GPSD_LOGS"] != nil,
        "LOCATIOND_GPSD_LOGS does not name the recordings of the GPSD project's test suite")

    private static func logs(in directory: String) -> [Recording] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.filter { $0.hasSuffix(".log") }.sorted().map { Recording(path: directory + "/" + $0) }
    }
}

/// A TPV message decoded without libgps, for comparison.
struct RawTPV: Decodable {
    var `class`: String
    var mode, status: Int?
    var time: String?
    var lat, lon, altMSL, altHAE, eph, epv, track, epd, speed, eps: Double?

    /// The message in `line` if it is a TPV.
    init?(in line: String) {
        guard let tpv = try? JSONDecoder().decode(RawTPV.self, from: Data(line.utf8)), tpv.class == "TPV" else {
            return nil
        }
        self = tpv
    }

    /// The message in `line` if it is a TPV with a fix.
    init?(fixIn line: String) {
        self.init(in: line)
        if !hasFix { return nil }
    }

    var hasFix: Bool { (mode ?? 0) >= 2 && lat != nil && lon != nil }

    /// The numbers in the order of `RawTPV.values(of:)`, converted as documented.
    var values: [Double?] {
        let ratio = 0.616729
        return [
            lat, lon, altMSL, altHAE, eph.map { $0 * ratio }, epv.map { $0 / 1.96 }, track.map { $0 == 360 ? 0 : $0 },
            epd.map { $0 / 1.96 }, speed, eps.map { $0 / 1.96 }, Double(status ?? 1),
        ]
    }

    static func values(of location: Location) -> [Double?] {
        [
            location.coordinate.latitude, location.coordinate.longitude, location.altitude,
            location.ellipsoidalAltitude, location.horizontalAccuracy, location.verticalAccuracy, location.course,
            location.courseAccuracy, location.speed, location.speedAccuracy,
            Double(location.sourceInformation?.isSimulated == true ? 8 : location.fixType?.gpsdStatus ?? 0),
        ]
    }
}

/// The locations to publish for a sequence of reports: each new time once, with the values of its reports, and each fix
/// without a time. A time whose last report has no fix is published only if that comes too late.
struct Expectation {
    /// The reports of each time that is later than all before it, in order.
    private(set) var epochs: [(time: Timestamp, reports: [RawTPV])] = []
    /// The times whose last report has no fix.
    private(set) var withoutFix: Set<Timestamp> = []
    /// Reports that went back in time.
    private(set) var backward: Set<Timestamp> = []
    private(set) var timeless: [RawTPV] = []

    init(_ reports: [RawTPV]) {
        for report in reports {
            guard let time = report.time.flatMap({ Timestamp($0) }) else {
                if report.hasFix { timeless.append(report) }
                continue
            }
            guard report.hasFix else {
                if epochs.last?.time == time { withoutFix.insert(time) }
                continue
            }
            withoutFix.remove(time)
            if let index = epochs.firstIndex(where: { $0.time == time }) {
                epochs[index].reports.append(report)
            } else if let last = epochs.last, time < last.time {
                backward.insert(time)
            } else {
                epochs.append((time, [report]))
            }
        }
    }

    /// The differences of `told`, in sentences without positions.
    func faults(in told: [Location]) -> [String] {
        var faults: [String] = []
        let times = Set(epochs.map(\.time)).union(backward)
        let timed = told.filter { times.contains($0.timestamp) }
        let others = told.filter { !times.contains($0.timestamp) }
        for (time, reports) in epochs {
            let matches = timed.filter { $0.timestamp == time }
            if matches.count != 1, !(matches.isEmpty && withoutFix.contains(time)) {
                faults.append("\(time) told \(matches.count) times")
            }
            for location in matches {
                for (index, value) in RawTPV.values(of: location).enumerated()
                where !reports.contains(where: { same($0.values[index], value) }) {
                    faults.append("\(time): value \(index) is none of its reports'")
                }
            }
        }
        if others.count != timeless.count {
            faults.append("\(others.count) told of \(timeless.count) without a time")
        } else {
            for (location, report) in zip(others, timeless)
            where !zip(RawTPV.values(of: location), report.values).allSatisfy({ same($0, $1) }) {
                faults.append("a fix without a time has other values")
            }
        }
        return faults
    }

    private func same(_ a: Double?, _ b: Double?) -> Bool {
        guard let a, let b else { return a == nil && b == nil }
        return abs(a - b) <= 1e-5 * max(1e-3, abs(a)) && abs(a - b) < 1e-2
    }
}
