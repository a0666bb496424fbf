import Glibc
package import LocationModel
import POSIXSupport

extension Track {
    /// True if a file of this name can be written: its suffix is .gpx, .geojson, .kml or .fit.
    public static func canWrite(_ path: String) -> Bool { TrackFormat(path: path) != nil || exported(path) != nil }

    /// Writes the track to a new file at `path`, in the format of its suffix: GPX, GeoJSON, or through gpsbabel KML or FIT.
    /// An existing file is never overwritten. This blocks.
    public func write(to path: String) throws(TrackError) {
        let bytes: [UInt8]
        if let format = TrackFormat(path: path) {
            bytes = Array(document(format).utf8)
        } else if let format = Self.exported(path) {
            bytes = try GPSBabel.write(format, Array(document(.gpx).utf8), file: path)
        } else {
            throw TrackError(file: path, reason: "the name of a track to write ends with .gpx, .geojson, .kml or .fit")
        }
        do throws(Errno) {
            close(try AtomicFile.create(path, bytes))
        } catch {
            throw TrackError(file: path, verb: "made", code: error.code)
        }
    }

    private static func exported(_ path: String) -> GPSBabel.Format? {
        [GPSBabel.Format.kml, .fit].first { path.lowercased().hasSuffix($0.suffix) }
    }

    private func document(_ format: TrackFormat) -> String {
        let locations = segments.map { segment in
            segment.points.map { $0.location(at: $0.time ?? Timestamp(nanosecondsSince1970: 0)) }
        }
        return Self.document(format, name: name, locations)
    }

    /// The text of a file with locations by segments and, in GPX, a name.
    package static func document(_ format: TrackFormat, name: String?, _ segments: [[Location]]) -> String {
        let writer = format.writer
        var text = writer.opening
        if format == .gpx, let name {
            let escaped = name.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            text = text.replacing("<trk>\n", with: "<trk>\n<name>\(escaped)</name>\n")
        }
        for (number, segment) in segments.enumerated() {
            for (index, location) in segment.enumerated() {
                text += writer.text(
                    location, segment: number, isFirst: number == 0 && index == 0,
                    beginsSegment: number > 0 && index == 0)
            }
        }
        return text + writer.closing
    }
}
