import GPSDProtocol
import LocationModel

/// Reads what `gpspipe -w` recorded as a track: the fixes of the receiver that has the first one. A report without a fix
/// ends a segment.
struct GPSDRecordingReader {
    /// True if the beginning of a file looks like a recording of gpsd: JSON, line by line, after comments.
    static func recognises(_ bytes: ArraySlice<UInt8>) -> Bool {
        for line in bytes.split(separator: UInt8(ascii: "\n")) where line.first != UInt8(ascii: "#") {
            return line.starts(with: #"{"class":"#.utf8)
        }
        return false
    }

    static func read(_ content: TrackContent) throws(TrackError) -> Track {
        var draft = TrackDraft()
        var device: String?
        let lines = try content.bytes().split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            guard let first = line.first, first != UInt8(ascii: "#"), first != UInt8(ascii: "\r") else { continue }
            do throws(TrackRefusal) {
                try add(line, number: index + 1, to: &draft, of: &device)
            } catch {
                throw TrackError(file: content.file, line: index + 1, reason: error.reason)
            }
        }
        return try draft.finish(file: content.file)
    }

    private static func add(
        _ line: ArraySlice<UInt8>, number: Int, to draft: inout TrackDraft, of device: inout String?
    ) throws(TrackRefusal) {
        guard let line = try? GPSDLine(Array(line)) else { throw TrackRefusal(reason: "this is not a report of gpsd") }
        guard case .position(let report) = line, device == nil || report.device == device else { return }
        guard (report.mode ?? 0) >= 2, let latitude = report.lat else { return draft.endSegment() }
        guard var point = draft.point(line: number, latitude: latitude, longitude: report.lon) else { return }
        device = device ?? report.device
        for (measurement, value) in [
            (Measurement.altitude, report.altMSL), (.ellipsoidalAltitude, report.altHAE), (.speed, report.speed),
            (.course, report.track),
        ] where value != nil { draft.set(measurement, value, of: &point) }
        if let time = report.time { draft.set(Timestamp(dateTime: time), of: &point) }
        // Several reports an epoch: the later ones say the same again, or more of it.
        if let time = point.time, time == draft.lastTime { return }
        try draft.add(point)
    }
}
