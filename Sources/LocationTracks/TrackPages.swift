import Glibc

/// A file that is a whole document at every moment, whatever of it has reached the disk.
///
/// It consists of pages, which are what the kernel copies and the disk writes as a whole. Points fill one page after the
/// other; a new point is one write of the page that it is in, nothing else changes, and the file keeps its size. The last
/// page holds what ends the file (`terminal`), and all between the newest point and there are spaces. So that any page may
/// be as it was before, each is one of three things to the reader who comes to it:
///
/// - spaces;
/// - full: points, then something that has the spaces after it mean nothing, and ends where the next page begins or with
///   `terminal` (`joint`; GPX needs none, since spaces between points mean nothing there);
/// - the newest: points, then what ends the document (`pageClosing`) and something that has all the rest mean nothing, and
///   ends likewise.
///
/// The second and the third leave the reader in the same state, so a page that is newer or older than its neighbours does no
/// harm but for the points that are not on the disk. When the pages are used up, a longer copy takes the file's place.
struct TrackPages: ~Copyable {
    static let pageSize = 4096
    /// At first, and the most by which a file grows: a quarter of an hour, and seven hours at a point a second.
    private static let (initialPages, mostNewPages) = (64, 2048)

    private let path: String
    private let writer: any PointWriter.Type
    private var descriptor: Int32
    /// How many there are beside the last.
    private var pages = initialPages
    /// The newest page: its number and what it holds, without `pageClosing`.
    private var (number, content): (Int, [UInt8])

    init(creating path: String, _ writer: any PointWriter.Type) throws(TrackError) {
        self.path = path
        self.writer = writer
        (number, content) = (0, Array(writer.opening.utf8))
        descriptor = try NewFile.create(
            path,
            Self.padded(content + writer.pageClosing.utf8)
                + Self.spaces((Self.initialPages - 1) * Self.pageSize) + Self.lastPage(writer))
    }

    deinit { close(descriptor) }

    /// Adds a point, which must be shorter than half a page. When this throws, the file is what it was.
    mutating func append(_ text: String) throws(TrackError) {
        if content.count + text.utf8.count + writer.pageClosing.utf8.count > Self.pageSize { try turnPage() }
        let grown = content + text.utf8
        try write(grown + writer.pageClosing.utf8, insteadOf: content + writer.pageClosing.utf8)
        content = grown
    }

    func synchronize() throws(TrackError) {
        guard fdatasync(descriptor) == 0 else { throw TrackError(file: path, verb: "written") }
    }

    /// Puts a copy without spaces in the file's place.
    mutating func finish() throws(TrackError) {
        let joint = writer.joint
        let full = try NewFile.read(number * Self.pageSize, from: descriptor, path)
        var document: [UInt8] = []
        for start in stride(from: 0, to: full.count, by: Self.pageSize) {
            var page = full[start..<start + Self.pageSize]
            while page.last == UInt8(ascii: " ") { page.removeLast() }
            document += page.dropFirst(start > 0 ? joint.start.utf8.count : 0).dropLast(joint.end.utf8.count)
        }
        document += content.dropFirst(number > 0 ? joint.start.utf8.count : 0)
        try replace(with: document + writer.closing.utf8)
    }

    /// The newest page is full: the next one becomes the newest.
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
        let old = try NewFile.read(pages * Self.pageSize, from: descriptor, path)
        try replace(with: old + Self.spaces(more * Self.pageSize) + Self.lastPage(writer))
        pages += more
    }

    private mutating func replace(with bytes: [UInt8]) throws(TrackError) {
        let new = try NewFile.replace(path, openAs: descriptor, with: bytes)
        close(descriptor)
        descriptor = new
    }

    /// Writes the newest page. A disk that does not write in place may run out of space and have taken a part of it; then
    /// `old` is put back.
    private func write(_ bytes: [UInt8], insteadOf old: [UInt8]) throws(TrackError) {
        let offset = number * Self.pageSize
        do throws(TrackError) {
            try NewFile.write(Self.padded(bytes), to: descriptor, at: offset, path)
        } catch {
            do throws(TrackError) {
                try NewFile.write(Self.padded(old), to: descriptor, at: offset, path)
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
