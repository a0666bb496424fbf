import Glibc

/// A failure to read, replay or write a track file. No part of the file is used.
public struct TrackError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path of the file, as given.
    public var file: String
    /// The line, counted from 1; `nil` when the whole file is concerned.
    public var line: Int?
    /// The fault and its remedy, without the content of the line, which may be a position.
    public var reason: String

    /// An error in a file, or in one of its lines.
    public init(file: String, line: Int? = nil, reason: String) {
        self.file = file
        self.line = line
        self.reason = reason
    }

    /// `track.gpx:12: this point has no time`
    public var description: String {
        "\(file)\(line.map { ":\($0)" } ?? ""): \(reason)"
    }

    /// A failed system call, from its `errno`.
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
