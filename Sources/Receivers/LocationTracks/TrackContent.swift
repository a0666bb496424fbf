import Glibc
import POSIXSupport

/// The content of a track file: of one on disk, which is read in pieces, or of one in memory.
final class TrackContent {
    /// The size of a piece, in bytes.
    private static let pieceSize = 1 << 18

    /// The path of the file, as given.
    let file: String
    /// The size in bytes.
    let count: Int
    /// The descriptor of a file on disk.
    let descriptor: CInt?
    private let memory: [UInt8]

    /// A file in memory; errors name `file`.
    init(_ bytes: [UInt8], file: String) {
        (self.file, memory, count, descriptor) = (file, bytes, bytes.count, nil)
    }

    /// Opens the regular file at `path`; refuses directories and files that could block, such as pipes.
    init(contentsOfFile path: String) throws(TrackError) {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw TrackError(file: path, verb: "read") }
        (file, memory, self.descriptor) = (path, [], descriptor)
        var status = stat()
        let isKnown = fstat(descriptor, &status) == 0
        // A file that grows meanwhile is read up to its initial length.
        count = Int(status.st_size)
        guard isKnown else { throw TrackError(file: path, verb: "read") }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw TrackError(file: path, reason: "is a directory; name a file in it")
        default: throw TrackError(file: path, reason: "is no regular file")
        }
        guard count <= Track.maximumFileSize else {
            throw TrackError(file: path, reason: "is larger than \(Track.maximumFileSize >> 20) MiB; split it")
        }
    }

    deinit { if let descriptor { close(descriptor) } }

    /// The bytes at `range`, as far as the file has them.
    func read(_ range: Range<Int>) throws(TrackError) -> [UInt8] {
        let range = range.clamped(to: 0..<count)
        guard let descriptor else { return Array(memory[range]) }
        do throws(Errno) {
            return try DescriptorIO.read(upTo: range.count, from: descriptor, at: range.lowerBound)
        } catch {
            throw TrackError(file: file, verb: "read", code: error.code)
        }
    }

    /// All bytes.
    func bytes() throws(TrackError) -> [UInt8] { descriptor == nil ? memory : try read(0..<count) }

    /// The place where the text begins.
    struct Beginning {
        /// The number of bytes before it: a byte-order mark, white space and line ends, which XML does not allow there, and the
        /// separator of a sequence of JSON.
        var offset = 0
        /// Its line, counted from 1.
        var line = 1
        /// True if there is a byte-order mark of UTF-8.
        var isMarkedUTF8 = false
        /// The first bytes of the text.
        var bytes: ArraySlice<UInt8> = []
    }

    /// Looks for the text among the first bytes.
    func beginning() throws(TrackError) -> Beginning {
        var beginning = Beginning(bytes: try read(0..<4096)[...])
        while let byte = beginning.bytes.first {
            if beginning.bytes.starts(with: [0xef, 0xbb, 0xbf]) {
                beginning.isMarkedUTF8 = true
                beginning.bytes.removeFirst(3)
            } else if " \t\r\n\u{1e}".utf8.contains(byte) {
                if byte == UInt8(ascii: "\n") { beginning.line += 1 }
                beginning.bytes.removeFirst()
            } else {
                break
            }
        }
        beginning.offset = beginning.bytes.startIndex
        return beginning
    }

    /// The pieces from `start` to the end, and then empty ones. After an error, which `failure` has then, they are empty,
    /// too.
    func pieces(from start: Int, failure: @escaping (TrackError) -> Void) -> () -> [UInt8] {
        var position = start
        return {
            do throws(TrackError) {
                let piece = try self.read(position..<min(position + Self.pieceSize, self.count))
                position += piece.count
                return piece
            } catch {
                failure(error)
                return []
            }
        }
    }

    /// The kind of a content.
    enum Kind {
        case gpx, geoJSON, gpsdRecording, gzip, unknown
        /// A format of other programs.
        case foreign(GPSBabel.Format)
    }

    /// The kind by the first bytes or, where they belong to none, by the name.
    func kind() throws(TrackError) -> Kind {
        let bytes = try beginning().bytes
        let file = file.lowercased().hasSuffix(".gz") ? String(file.dropLast(3)) : file
        // UTF-16 has a byte-order mark.
        if bytes.starts(with: [0x1f, 0x8b]) { return .gzip }
        if let format = GPSBabel.Format(bytes, file: file) { return .foreign(format) }
        if bytes.first == UInt8(ascii: "<") || bytes.starts(with: [0xfe, 0xff]) || bytes.starts(with: [0xff, 0xfe]) {
            return .gpx
        }
        if GPSDRecordingReader.recognises(bytes) { return .gpsdRecording }
        switch TrackFormat(path: file) {
        case .gpx: return .gpx
        case .geoJSON: return .geoJSON
        case nil: return bytes.first.map { "{[".utf8.contains($0) } ?? false ? .geoJSON : .unknown
        }
    }
}
