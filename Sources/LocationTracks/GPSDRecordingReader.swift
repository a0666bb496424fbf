import LocationModel
import StrictJSON

/// Reads what `gpspipe -w` recorded as a track: the fixes of the receiver that has the first one. A report without a fix
/// ends a segment.
struct GPSDRecordingReader {
    /// Whether a file looks like a recording of gpsd: JSON, line by line, after comments.
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
            do throws(Refusal) {
                try add(try report(in: line), line: index + 1, to: &draft, of: &device)
            } catch {
                throw TrackError(file: file, line: index + 1, reason: error.reason)
            }
        }
        return draft.track
    }

    private static func report(in line: ArraySlice<UInt8>) throws(Refusal) -> JSONNode {
        var scanner = JSONScanner(Array(line), acceptsRepeatedNames: true)
        do throws(JSONFlaw) {
            return try scanner.node()
        } catch {
            throw Refusal(error)
        }
    }

    private static func add(
        _ report: JSONNode, line: Int, to draft: inout TrackDraft, of device: inout String?
    ) throws(Refusal) {
        guard report["class"]?.string == "TPV", device == nil || report["device"]?.string == device else { return }
        guard (report["mode"]?.number ?? 0) >= 2, let latitude = report["lat"]?.number else {
            return draft.endSegment()
        }
        device = device ?? report["device"]?.string
        var point = try PointDraft(line: line, latitude: latitude, longitude: report["lon"]?.number)
        for (name, measurement) in [
            ("altMSL", Measurement.altitude), ("altHAE", .ellipsoidalAltitude), ("speed", .speed), ("track", .course),
        ] {
            if let value = report[name], !value.isNull { try point.set(measurement, value.number) }
        }
        if let time = report["time"]?.string { try point.setTime(time) }
        // Several reports an epoch: the later ones say the same again, or more of it.
        if let time = point.time, time == draft.lastTime { return }
        try draft.add(point)
    }
}
