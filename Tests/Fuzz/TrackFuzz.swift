import FoundationEssentials
import LocationModel

@testable import LocationSources
@testable import LocationTracks

/// A track in GPX or GeoJSON: read, summarised, written, read again, and replayed.
enum TrackFuzz {
    static func run(_ input: [UInt8]) throws {
        let format: TrackFormat = input.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "<") ? .gpx : .geoJSON
        let track: Track
        do throws(TrackError) {
            track = try Track(bytes: input, file: "F" + format.suffix)
        } catch {
            return try Finding.unless(!error.reason.isEmpty, "a track was refused without a reason")
        }
        for point in track.points { try check(point) }
        try Finding.unless(track.segments.allSatisfy { !$0.points.isEmpty }, "a segment without a point")
        try check(TrackSummary(of: track))
        for format in TrackFormat.allCases { try writeAndRead(track, format) }
        try play(input, format)
    }

    private static func check(_ point: Track.Point) throws {
        let location = point.location(at: point.time ?? Timestamp(nanosecondsSince1970: 0))
        for measurement in Measurement.allCases {
            guard let value = location[measurement] else { continue }
            try Finding.unless(measurement.range.contains(value), "\(measurement) is \(value)")
        }
        try Finding.unless(location.course != 360, "a course off the circle")
    }

    private static func check(_ summary: TrackSummary) throws {
        let numbers = [
            summary.length, summary.duration, summary.movingTime, summary.climb, summary.descent, summary.averageSpeed,
            summary.highestSpeed,
        ]
        for case .some(let number) in numbers {
            try Finding.unless(number.isFinite && number >= 0, "\(number) in a summary")
        }
        if let bounds = summary.bounds {
            try Finding.unless(bounds.south <= bounds.north, "the south is above the north")
        } else {
            try Finding.unless(summary.points == 0, "points that are nowhere")
        }
    }

    /// Checks that the recorder's output reads the same.
    private static func writeAndRead(_ track: Track, _ format: TrackFormat) throws {
        let writer = format.writer
        var text = writer.opening
        for (number, segment) in track.segments.enumerated() {
            for (index, point) in segment.points.enumerated() {
                let location = point.location(at: point.time ?? Timestamp(nanosecondsSince1970: 0))
                text += writer.text(
                    location, segment: number, isFirst: number == 0 && index == 0,
                    beginsSegment: number > 0 && index == 0)
            }
        }
        text += writer.closing
        let again: Track
        do throws(TrackError) {
            again = try Track(bytes: Array(text.utf8), file: "F" + format.suffix)
        } catch {
            throw Finding("what was written as \(format) cannot be read: \(error)")
        }
        try Finding.unless(
            again.segments.map(\.points.count) == track.segments.map(\.points.count),
            "what was written as \(format) has other points")
        for (old, new) in zip(track.points, again.points) {
            try Finding.unless(old.time == nil || old.time == new.time, "what was written as \(format) has other times")
            // Two longitudes are a full turn apart only where both are 180°.
            let distance = old.coordinate.distance(to: new.coordinate)
            try Finding.unless(distance < 0.001, "what was written as \(format) is \(distance) m away")
        }
    }

    private static func play(_ input: [UInt8], _ format: TrackFormat) throws {
        let path = "\(Scratch.directory)/track\(format.suffix)"
        try Data(input).write(to: URL(filePath: path))
        let track: RecordedTrack
        do throws(TrackError) {
            track = try RecordedTrack(contentsOfFile: path)
        } catch {
            return
        }
        try PlayedTrack.check(track)
    }
}
