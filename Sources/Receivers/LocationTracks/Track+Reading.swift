extension Track {
    /// The largest file that is read, in bytes: about nine days of `TrackRecorder`'s output at one point a second.
    public static let maximumFileSize = 256 << 20

    /// Reads the track at `path`. Its beginning, and not its name, decides the format. This blocks.
    ///
    /// GPX 1.1, and 1.0, which many loggers still write: tracks with their segments, routes where there are no tracks, and
    /// waypoints; unknown namespaces are ignored. GeoJSON: a collection of features, a single feature, a geometry, or one
    /// feature a line as `locationctl watch --format geojson` prints them. Points belong to the track, except that a point
    /// with a name and no time is a waypoint; lines may have their times in `coordTimes`, in
    /// `coordinateProperties.times`, or in a fourth coordinate. Records of Google's location history, and recordings of
    /// `gpspipe -w`. Through gpsbabel, where it is installed: KML, KMZ, FIT, TCX, IGC, NMEA and CSV. Each also compressed by
    /// gzip.
    ///
    /// A value that is unknown or invalid is left out, as is a point without a position; ``omissions`` counts them.
    ///
    /// - Throws: the reason why the file as a whole cannot be read, or has nothing but omissions in it.
    public init(contentsOfFile path: String) throws(TrackError) {
        try self.init(TrackContent(contentsOfFile: path))
    }

    /// Reads a track from memory; errors name `file`.
    package init(bytes: [UInt8], file: String) throws(TrackError) {
        try self.init(TrackContent(bytes, file: file))
    }

    private init(_ content: TrackContent) throws(TrackError) {
        switch try content.kind() {
        case .gpx: self = try GPXReader.read(content)
        case .geoJSON: self = try GeoJSONReader.read(content)
        case .gpsdRecording: self = try GPSDRecordingReader.read(content)
        case .foreign(let format): self = try GPSBabel.read(format, content)
        case .gzip: try self.init(GPSBabel.unpacked(content))
        case .unknown:
            throw TrackError(
                file: content.file,
                reason:
                    "this is none of the formats GPX, GeoJSON, KML, KMZ, FIT, TCX, IGC, NMEA and CSV, nor a recording "
                    + "of gpspipe -w")
        }
    }
}

/// A file that is played as if a receiver reported it.
package enum RecordedFile {
    /// A track, with times or without.
    case track(Track)
    /// The reports of gpsd, line by line, or something unknown.
    case lines([UInt8])

    /// Reads the regular file at `path`.
    package init(contentsOfFile path: String) throws(TrackError) {
        let content = try TrackContent(contentsOfFile: path)
        switch try content.kind() {
        case .gpx: self = .track(try GPXReader.read(content))
        case .geoJSON: self = .track(try GeoJSONReader.read(content))
        case .foreign(let format): self = .track(try GPSBabel.read(format, content))
        case .gzip: self = .track(try Track(contentsOfFile: path))
        case .gpsdRecording, .unknown: self = .lines(try content.bytes())
        }
    }
}
