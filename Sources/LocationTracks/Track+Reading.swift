import Glibc

extension Track {
    /// The largest file that is read, in bytes: about nine days of what `TrackRecorder` writes at one point a second.
    public static let maximumFileSize = 256 << 20

    /// Reads the track at `path`, which is GPX or GeoJSON by the end of its name. This blocks.
    ///
    /// Of GPX 1.1, and of 1.0, which many loggers still write, it takes the tracks with their segments and the
    /// waypoints; routes and what other namespaces bring are passed over. Of GeoJSON it takes points, each of which is one of
    /// the track unless it has a name and no time, which makes it a waypoint, and lines, with the times that they have in `coordTimes`: a collection of features, a single one, or one a line as
    /// `locationctl watch --format geojson` prints them.
    ///
    /// - Throws: what keeps any part of the file from being read: it is read as a whole or not at all.
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

    /// Reads a track out of memory; errors name `file`.
    package init(bytes: [UInt8], format: TrackFormat, file: String) throws(TrackError) {
        switch format {
        case .gpx: self = try GPXReader.read(bytes, file: file)
        case .geoJSON: self = try GeoJSONReader.read(bytes, file: file)
        }
    }
}

/// Files that tracks and recordings are read from.
package enum TrackFile {
    /// All of the regular file at `path`: neither a directory nor something that could keep one waiting. This blocks.
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
        // A file that grows meanwhile is read as long as it was.
        var filled = 0
        var failure: Int32?
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while filled < size {
                let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
                let length = Glibc.read(descriptor, rest.baseAddress, size - filled)
                if length < 0, errno == EINTR { continue }
                if length < 0 { failure = errno }
                guard length > 0 else { break }
                filled += length
            }
            count = filled
        }
        if let failure { throw TrackError(file: path, verb: "read", code: failure) }
        return bytes
    }
}
