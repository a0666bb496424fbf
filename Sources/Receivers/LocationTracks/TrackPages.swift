import Glibc
import POSIXSupport

/// A track file that is a complete document at every moment, even after a crash or a loss of power.
///
/// The file consists of pages of the size that the kernel and the disk write as a whole. Points fill one page after the
/// other: adding a point writes only its page, and the file keeps its size. The last page ends the document
/// (`terminal`); everything between the newest point and there is spaces. So that any page may be on disk in an older
/// state, each page has one of three states:
///
/// - empty: spaces;
/// - full: points, then a `joint` that makes a parser ignore the spaces up to the next page or `terminal` (GPX needs
///   none, because it ignores spaces between points);
/// - newest: points, then `pageClosing`, which ends the document and makes a parser ignore the rest up to `terminal`.
///
/// The second and the third leave the parser in the same state, so a page that is newer or older than its neighbours
/// only lacks the points that are not on disk. When the pages are used up, a longer copy replaces the file.
struct TrackPages: ~Copyable {
    static let pageSize = 4096
    /// The initial number of pages, and the most by which a file grows: for a quarter of an hour and for seven hours,
    /// at a point a second.
    private static let (initialPages, mostNewPages) = (64, 2048)

    private let path: String
    private let writer: any PointWriter.Type
    private var descriptor: Int32
    /// The number of pages, without the last.
    private var pages = initialPages
    /// The newest page: its number and its content, without `pageClosing`.
    private var (number, content): (Int, [UInt8])

    init(creating path: String, _ writer: any PointWriter.Type) throws(TrackError) {
        self.path = path
        self.writer = writer
        (number, content) = (0, Array(writer.opening.utf8))
        let bytes =
            Self.padded(content + writer.pageClosing.utf8)
            + Self.spaces((Self.initialPages - 1) * Self.pageSize) + Self.lastPage(writer)
        do throws(Errno) {
            descriptor = try AtomicFile.create(path, bytes)
        } catch {
            throw TrackError(file: path, verb: "made", code: error.code)
        }
    }

    deinit { close(descriptor) }

    /// Adds a point, which must be shorter than half a page. If this throws, the file is unchanged.
    mutating func append(_ text: String) throws(TrackError) {
        if content.count + text.utf8.count + writer.pageClosing.utf8.count > Self.pageSize { try turnPage() }
        let grown = content + text.utf8
        try write(grown + writer.pageClosing.utf8, insteadOf: content + writer.pageClosing.utf8)
        content = grown
    }

    func synchronize() throws(TrackError) {
        guard fdatasync(descriptor) == 0 else { throw TrackError(file: path, verb: "written") }
    }

    /// Replaces the file by a copy without padding.
    mutating func finish() throws(TrackError) {
        let joint = writer.joint
        let full = try read(number * Self.pageSize)
        var document: [UInt8] = []
        for start in stride(from: 0, to: full.count, by: Self.pageSize) {
            var page = full[start..<start + Self.pageSize]
            while page.last == UInt8(ascii: " ") { page.removeLast() }
            document += page.dropFirst(start > 0 ? joint.start.utf8.count : 0).dropLast(joint.end.utf8.count)
        }
        document += content.dropFirst(number > 0 ? joint.start.utf8.count : 0)
        try replace(with: document + writer.closing.utf8)
    }

    /// Moves on to the next page, because the newest one is full.
    private mutating func turnPage() throws(TrackError) {
        if number + 1 == pages { try grow() }
        let joint = writer.joint
        try write(
            content.dropLast(joint.moved) + joint.end.utf8, insteadOf: content + writer.pageClosing.utf8)
        content = joint.start.utf8 + content.suffix(joint.moved)
        number += 1
    }

    private mutating func grow() throws(TrackError) {
        let more = min(pages, Self.mostNewPages)
        let old = try read(pages * Self.pageSize)
        try replace(with: old + Self.spaces(more * Self.pageSize) + Self.lastPage(writer))
        pages += more
    }

    private mutating func replace(with bytes: [UInt8]) throws(TrackError) {
        do {
            let new = try AtomicFile.replace(path, with: bytes) { _ in
                var (mine, there) = (stat(), stat())
                guard fstat(descriptor, &mine) == 0, lstat(path, &there) == 0, mine.st_dev == there.st_dev,
                    mine.st_ino == there.st_ino
                else { throw TrackError(file: path, reason: "was moved, removed or replaced while it was recorded") }
            }
            close(descriptor)
            descriptor = new
        } catch let error as TrackError {
            throw error
        } catch {
            throw TrackError(file: path, verb: "written", code: (error as? Errno)?.code ?? EIO)
        }
    }

    /// Reads the first `count` bytes, which must be there.
    private func read(_ count: Int) throws(TrackError) -> [UInt8] {
        do throws(Errno) {
            let bytes = try DescriptorIO.read(upTo: count, from: descriptor)
            guard bytes.count == count else { throw Errno(EIO) }
            return bytes
        } catch {
            throw TrackError(file: path, verb: "read", code: error.code)
        }
    }

    private func write(_ page: [UInt8]) throws(TrackError) {
        do throws(Errno) {
            try DescriptorIO.write(Self.padded(page), to: descriptor, at: number * Self.pageSize)
        } catch {
            throw TrackError(file: path, verb: "written", code: error.code)
        }
    }

    /// Writes the newest page. A copy-on-write file system may run out of space after a part of it; then `old` is
    /// restored.
    private func write(_ bytes: [UInt8], insteadOf old: [UInt8]) throws(TrackError) {
        do throws(TrackError) {
            try write(bytes)
        } catch {
            do throws(TrackError) {
                try write(old)
            } catch {
                throw TrackError(file: path, reason: "\(error.reason); its last page may be incomplete")
            }
            throw error
        }
    }

    private static func lastPage(_ writer: any PointWriter.Type) -> [UInt8] {
        spaces(pageSize - writer.terminal.utf8.count) + writer.terminal.utf8
    }

    private static func padded(_ bytes: [UInt8]) -> [UInt8] { bytes + spaces(pageSize - bytes.count) }

    private static func spaces(_ count: Int) -> [UInt8] { [UInt8](repeating: UInt8(ascii: " "), count: count) }
}
