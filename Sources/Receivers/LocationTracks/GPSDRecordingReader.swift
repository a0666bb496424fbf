import GPSDProtocol
import LocationModel

/// Reads what `gpspipe -w` recorded as a track: the fixes of the receiver that has the first one. A report without a fix
/// ends a segment.
struct GPSDRecordingReader {
    /// True if a file looks like a recording of gpsd: JSON, line by line, after comments.
    static func recognises(_ bytes: [UInt8]) -> Bool {
        for line in bytes.prefix(4096).split(separator: UInt8(ascii: "\n")) where line.first != UInt8(ascii: "#") {
            return line.starts(with: #"{"class":"#.utf8)
        }
        return false
    }

    static func read(_ bytes: [UInt8], file: String) throws(TrackError) -> Track {
        var draft = TrackDraft()
        var device: String?
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            guard let first = line.first, first != UInt8(ascii: "#"), first != UInt8(ascii: "\r") else { continue }
            do throws(TrackRefusal) {
                try add(line, number: index + 1, to: &draft, of: &device)
            } catch {
                throw TrackError(file: file, line: index + 1, reason: error.reason)
            }
        }
        return draft.track
    }

    private static func add(
        _ line: ArraySlice<UInt8>, number: Int, to draft: inout TrackDraft, of device: inout String?
    ) throws(TrackRefusal) {
        guard let line = try? GPSDLine(Array(line)) else { throw TrackRefusal(reason: "this is not a report of gpsd") }
        guard case .position(let report) = line, device == nil || report.device == device else { return }
        guard (report.mode ?? 0) >= 2, let latitude = report.lat else { return draft.endSegment() }
        device = device ?? report.device
        var point = try PointDraft(line: number, latitude: latitude, longitude: report.lon)
        for (measurement, value) in [
            (Measurement.altitude, report.altMSL), (.ellipsoidalAltitude, report.altHAE), (.speed, report.speed),
            (.course, report.track),
        ] where value != nil { try point.set(measurement, value) }
        if let time = report.time { try point.setTime(time) }
        // Several reports an epoch: the later ones say the same again, or more of it.
        if let time = point.time, time == draft.lastTime { return }
        try draft.add(point)
    }
}
