import Glibc
import POSIXSupport

extension Track {
    /// The largest file that is read, in bytes: about nine days of `TrackRecorder`'s output at one point a second.
    public static let maximumFileSize = 256 << 20

    /// Reads the track at `path`, whose suffix selects GPX or GeoJSON. This blocks.
    ///
    /// GPX 1.1, and 1.0, which many loggers still write: tracks with their segments, and waypoints; routes and unknown
    /// namespaces are ignored. GeoJSON: a collection of features, a single feature, or one feature a line as
    /// `locationctl watch --format geojson` prints them. Points belong to the track, except that a point with a name
    /// and no time is a waypoint; lines may have their times in `coordTimes`.
    ///
    /// - Throws: the first error in the file, which is read as a whole or not at all.
    public init(contentsOfFile path: String) throws(TrackError) {
        if let format = TrackFormat(path: path) {
            try self.init(bytes: try TrackFile.read(path), format: format, file: path)
            return
        }
        let bytes = try TrackFile.read(path)
        guard GPSDRecordingReader.recognises(bytes) else {
            throw TrackError(
                file: path,
                reason: "the name of a track ends with .gpx or .geojson, and this is no recording of gpspipe -w either")
        }
        self = try GPSDRecordingReader.read(bytes, file: path)
    }

    /// Reads a track from memory; errors name `file`.
    package init(bytes: [UInt8], format: TrackFormat, file: String) throws(TrackError) {
        switch format {
        case .gpx: self = try GPXReader.read(bytes, file: file)
        case .geoJSON: self = try GeoJSONReader.read(bytes, file: file)
        }
    }
}

/// Access to files of tracks and recordings.
package enum TrackFile {
    /// Reads the regular file at `path`; refuses directories and files that could block, such as pipes.
    package static func read(_ path: String) throws(TrackError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw TrackError(file: path, verb: "read") }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw TrackError(file: path, verb: "read") }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw TrackError(file: path, reason: "is a directory; name a file in it")
        default: throw TrackError(file: path, reason: "is no regular file")
        }
        let size = Int(status.st_size)
        guard size <= Track.maximumFileSize else {
            throw TrackError(file: path, reason: "is larger than \(Track.maximumFileSize >> 20) MiB; split it")
        }
        // A file that grows meanwhile is read up to its initial length.
        do throws(Errno) {
            return try DescriptorIO.read(upTo: size, from: descriptor)
        } catch {
            throw TrackError(file: path, verb: "read", code: error.code)
        }
    }
}
