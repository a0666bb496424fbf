import Glibc

/// Why a file cannot be read as a track, replayed as one, or written: nothing of it is used.
public struct TrackError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file's path, as it was given.
    public var file: String
    /// The line, counted from 1; `nil` when the trouble is with the file as a whole.
    public var line: Int?
    /// What is wrong and what to do, without what the line says: that may be a position.
    public var reason: String

    /// An error in a file, or in a line of it.
    public init(file: String, line: Int? = nil, reason: String) {
        self.file = file
        self.line = line
        self.reason = reason
    }

    /// `track.gpx:12: this point has no time`
    public var description: String {
        "\(file)\(line.map { ":\($0)" } ?? ""): \(reason)"
    }

    /// What a call of the system failed with.
    init(file: String, verb: String, code: Int32 = errno) {
        let reason =
            switch code {
            case EEXIST: "there is such a file already, and it is not written over; name another"
            case ENOSPC, EDQUOT, EFBIG: "there is no space left; what was recorded before is kept"
            default: "cannot be \(verb): \(String(cString: strerror(code)))"
            }
        self.init(file: file, reason: reason)
    }
}
