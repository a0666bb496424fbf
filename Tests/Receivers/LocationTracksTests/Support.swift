import FoundationEssentials
import LocationModel
import LocationTracks
import TestSupport
import Testing

/// A time this many seconds after the common start of all test tracks.
func time(_ seconds: Double) -> Timestamp {
    Timestamp(nanosecondsSince1970: 1_700_000_000_000_000_000 + Int64(seconds * 1e9))
}

func location(_ seconds: Double, _ latitude: Double, _ longitude: Double = 11.575569) throws -> Location {
    Location(
        coordinate: try #require(Coordinate(latitude: latitude, longitude: longitude)), timestamp: time(seconds))
}

/// A location with every value that a file can hold.
func fullLocation(_ seconds: Double) throws -> Location {
    var location = try location(seconds, 48.137555, -11.000000001)
    location.altitude = 519.25
    location.ellipsoidalAltitude = 564.5
    location.horizontalAccuracy = 3.125
    location.verticalAccuracy = 5
    location.course = 359.5
    location.courseAccuracy = 2.5
    location.speed = 1.4
    location.speedAccuracy = 0.05
    location.sourceInformation = .init(isSimulated: true)
    return location
}

extension Track {
    /// The recorder's input for the same file.
    var locations: [[Location]] {
        segments.map { segment in segment.points.compactMap { point in point.time.map(point.location(at:)) } }
    }
}

/// Reads a track from GPX or GeoJSON text; errors name `track.gpx` or `track.geojson`.
func read(_ text: String, _ format: TrackFormat = .gpx) throws(TrackError) -> Track {
    try Track(bytes: Array(text.utf8), file: "track" + format.suffix)
}

func content(of file: String) throws -> String {
    try String(decoding: Data(contentsOf: URL(filePath: file)), as: UTF8.self)
}

/// GPX with `body` between `<gpx>` and `</gpx>`: its first line is line 2.
func gpx(_ body: String, namespace: String? = "http://www.topografix.com/GPX/1/1") -> String {
    let declaration = namespace.map { " xmlns=\"\($0)\"" } ?? ""
    return "<gpx version=\"1.1\" creator=\"a test\"\(declaration)>\n\(body)\n</gpx>\n"
}

/// A track with one segment.
func gpx(points: String) -> String { gpx("<trk><trkseg>\n\(points)\n</trkseg></trk>") }
