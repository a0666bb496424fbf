import LocationModel
public import LocationTracks
import NIOCore

/// A recording of a receiver's reports, for `ReplaySource`.
///
/// Either gpsd's reports as recorded with `gpspipe -w`, one JSON message a line, or a track in any format that `Track` reads.
/// Of a recording, the TPV, SKY and ATT reports of the receiver with the first fix are used; empty lines and lines that
/// begin with `#` are skipped, and reports with earlier times than those before them are dropped, as from gpsd.
public struct RecordedTrack: Sendable {
    /// A report, and its time after the first one.
    struct Entry: Sendable {
        var offset: TimeAmount
        var report: ReceiverReport
    }

    /// The longest pause between reports. No receiver reports without a break for longer, and twice as much is still a
    /// `TimeAmount`.
    private static let longest = TimeAmount.hours(24 * 3653)

    /// The recording's file name; its locations have the device `replay:NAME`.
    public let name: String
    let entries: [Entry]
    /// The time until a repetition may start: one interval after the last report.
    let duration: TimeAmount

    /// Reads the file at `path`: a track, or a recording of gpsd, by its beginning.
    /// This blocks.
    ///
    /// A track without times is played at a walk; where some points have a time, those are played. Where a track's times go
    /// back, or ahead by more than a year, the receiver's clock was set, and a second passes.
    ///
    /// - Throws: if the file cannot be read, if a line of it is not a message of gpsd, or if there is no point, or no fix that
    ///   has a time, in it.
    public init(contentsOfFile path: String) throws(TrackError) {
        let name = String(path.split(separator: "/").last ?? "")
        switch try RecordedFile(contentsOfFile: path) {
        case .track(let track): try self.init(name: name, file: path, reports: Self.reports(of: track))
        case .lines(let bytes): try self.init(name: name, file: path, bytes: bytes)
        }
    }

    /// Reads a recording of gpsd from `bytes`; errors name `file`.
    init(name: String, file: String, bytes: [UInt8]) throws(TrackError) {
        let unpacker = GPSDUnpacker()
        var reports: [ReceiverReport] = []
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            let text = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            guard let first = text.first, first != UInt8(ascii: "#") else { continue }
            if first == UInt8(ascii: "$") || first == UInt8(ascii: "!") {
                throw TrackError(
                    file: file, line: index + 1,
                    reason:
                        "this is NMEA as a receiver sends it. Record what gpsd makes of it, with gpspipe -w (in Debian's "
                        + "package gpsd-clients), or convert it: gpsbabel -i nmea -f FILE -o gpx -F FILE.gpx")
            }
            do {
                let arrival = Timestamp(nanosecondsSince1970: 0)
                if case .report(let report) = try unpacker.message(ByteBuffer(bytes: text), arrival: arrival) {
                    reports.append(report)
                }
            } catch {
                throw TrackError(file: file, line: index + 1, reason: "not a message of gpsd (\(error))")
            }
        }
        try self.init(name: name, file: file, reports: reports)
    }

    private init(name: String, file: String, reports: [ReceiverReport]) throws(TrackError) {
        let firstFix = reports.lazy.compactMap { report -> PositionReport? in
            guard case .position(let position) = report, position.location != nil, position.time != nil else {
                return nil
            }
            return position
        }.first
        guard let firstFix else { throw TrackError(file: file, reason: "no fix with a time in it") }

        self.name = name
        entries = Self.entries(of: reports, device: firstFix.device)
        let end = entries.last?.offset ?? .zero
        guard end <= Self.longest else {
            throw TrackError(file: file, reason: "its times are more than ten years apart; one of them is wrong")
        }
        var intervals = zip(entries.dropFirst(), entries).map { $0.offset - $1.offset }.filter { $0 > .zero }
        intervals.sort()
        let interval = intervals.isEmpty ? EpochPace.assumedInterval : intervals[intervals.count / 2]
        duration = end + interval
    }

    /// The reports of `device` with their times. A report without a time belongs to the one before it.
    private static func entries(of reports: [ReceiverReport], device: String?) -> [Entry] {
        var first: Timestamp?
        var last = TimeAmount.zero
        return reports.compactMap { report in
            guard report.isPlayed, report.device == device else { return nil }
            if let time = report.time {
                let start = first ?? time
                first = start
                let (difference, overflow) = time.nanosecondsSince1970
                    .subtractingReportingOverflow(start.nanosecondsSince1970)
                let offset = TimeAmount.nanoseconds(overflow ? (time < start ? .min : .max) : difference)
                guard offset >= last else { return nil }
                last = offset
            }
            return Entry(offset: last, report: report)
        }
    }
}

extension ReceiverReport {
    fileprivate var isPlayed: Bool {
        switch self {
        case .position, .sky, .heading: true
        case .receivers, .receiver: false
        }
    }

    fileprivate var device: String? {
        switch self {
        case .position(let position): position.device
        case .sky(let sky): sky.device
        case .heading(let heading): heading.sourceInformation?.device
        case .receivers, .receiver: nil
        }
    }

    /// The receiver's own time of this report; `nil` without one.
    fileprivate var time: Timestamp? {
        switch self {
        case .position(let position): position.time
        case .heading(let heading): heading.timestamp.nanosecondsSince1970 > 0 ? heading.timestamp : nil
        case .sky, .receivers, .receiver: nil
        }
    }

    /// The same report dated `time`, from the simulated receiver `device`, which moves `pace` times as fast.
    func replayed(at time: Timestamp, device: String, pace: Double) -> ReceiverReport {
        let source = Location.SourceInformation(kind: .receiver, isSimulated: true, device: device)
        switch self {
        case .position(var position):
            position.device = device
            position.time = position.time.map { _ in time }
            if var location = position.location {
                location.timestamp = time
                location.sourceInformation = source
                location.speed = location.speed.map { $0 * pace }
                location.speedAccuracy = location.speedAccuracy.map { $0 * pace }
                position.location = location
            }
            return .position(position)
        case .sky(var sky):
            sky.device = device
            return .sky(sky)
        case .heading(var heading):
            heading.timestamp = time
            heading.sourceInformation = source
            return .heading(heading)
        case .receivers, .receiver: return self
        }
    }
}
