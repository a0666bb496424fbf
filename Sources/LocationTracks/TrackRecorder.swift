import Glibc
public import LocationModel

/// Writes locations to a track that is complete after every one of them.
///
/// The points are followed by what ends the document and by white space, which neither GPX nor GeoJSON minds. A new point
/// is written over that, with a new end, in one write that neither changes the size of the file nor, where blocks are
/// written in place, needs space on the disk: whoever looks at the file, and whatever kills the program, finds a whole
/// document. The file appears under its name when it is complete, too. Every five seconds that points come, and whenever
/// a stretch ends, what was written is forced to the disk, so a loss of power costs the points of five seconds (a disk
/// that tears a write which goes over two of its blocks may then need the last line mended).
///
/// Where somebody was is for them to know: the file's mode is 0600. Every call blocks, for as long as the disk takes.
/// To be used by one task at a time.
public final class TrackRecorder {
    /// How long it may be until a point is forced to the disk, while points come.
    public static let synchronizationInterval = Duration.seconds(5)
    /// After so long without a point the next one begins another stretch.
    public static let pause = Duration.seconds(30)
    /// By how much the file grows at a time, in bytes.
    static let growth = 1 << 16

    private let path: String
    private let writer: any PointWriter.Type
    private let descriptor: Int32
    /// Where the end of the document begins, and how large the file is.
    private var (end, size): (Int, Int)
    private var segment = 0
    private var beginsSegment = false
    private var lastTime: Timestamp?
    private var synchronized = ContinuousClock.now
    private var isOpen = true

    /// Begins a track at `path`, which ends with `.gpx` or `.geojson`.
    ///
    /// - Throws: when there is such a file already, which is never written over, or when none can be made there.
    public init(creating path: String) throws(TrackError) {
        let writer = try TrackFormat.of(path).writer
        let document = Array((writer.opening + writer.closing).utf8)
        let content = document + Self.whiteSpace(Self.growth - document.count)
        self.path = path
        self.writer = writer
        descriptor = try NewFile.create(path, content)
        (end, size) = (writer.opening.utf8.count, content.count)
    }

    deinit {
        if isOpen { close(descriptor) }
    }

    /// How many points were written.
    public private(set) var pointCount = 0

    /// Adds a location.
    ///
    /// - Returns: false if it is not later than the last one, so that it has no place in a track: nothing was written.
    /// - Throws: what kept it from being written, such as a full disk. The track is as it was, and complete.
    @discardableResult
    public func append(_ location: Location) throws(TrackError) -> Bool {
        precondition(isOpen, "the track was finished")
        if let lastTime {
            guard location.timestamp > lastTime else { return false }
            if location.timestamp.duration(since: lastTime) > Self.pause { try endSegment() }
        }
        let text = writer.text(
            location, segment: beginsSegment ? segment + 1 : segment, isFirst: pointCount == 0,
            beginsSegment: beginsSegment)
        try write(text)
        if beginsSegment { segment += 1 }
        beginsSegment = false
        lastTime = location.timestamp
        pointCount += 1
        if ContinuousClock.now - synchronized >= Self.synchronizationInterval { try synchronize() }
        return true
    }

    /// Ends a stretch: for a while there is no location. Without a point since the last call, or any, it does nothing.
    public func endSegment() throws(TrackError) {
        guard pointCount > 0, !beginsSegment else { return }
        beginsSegment = true
        try synchronize()
    }

    /// Cuts off the white space and closes the file. Afterwards nothing can be added.
    public func finish() throws(TrackError) {
        guard isOpen else { return }
        isOpen = false
        defer { close(descriptor) }
        guard ftruncate(descriptor, end + writer.closing.utf8.count) == 0, fsync(descriptor) == 0 else {
            throw failure()
        }
    }

    private func write(_ text: String) throws(TrackError) {
        let bytes = Array((text + writer.closing).utf8)
        try grow(to: end + bytes.count)
        do throws(TrackError) {
            try NewFile.write(bytes, to: descriptor, at: end, path)
        } catch {
            // A disk with no space left may have taken a part of it, if it does not write in place.
            let closing = Array(writer.closing.utf8)
            let mended = closing + Self.whiteSpace(bytes.count - closing.count)
            guard (try? NewFile.write(mended, to: descriptor, at: end, path)) != nil else {
                throw TrackError(file: path, reason: "\(error.reason); its last line may be incomplete")
            }
            throw error
        }
        end += text.utf8.count
    }

    /// Makes room with white space, which may be cut short at any byte.
    private func grow(to needed: Int) throws(TrackError) {
        guard needed > size else { return }
        do throws(TrackError) {
            try NewFile.write(Self.whiteSpace(Self.growth), to: descriptor, at: size, path)
        } catch {
            // What was written of it does no harm, should it stay.
            _ = ftruncate(descriptor, size)
            throw error
        }
        size += Self.growth
        try synchronize()
    }

    private func synchronize() throws(TrackError) {
        guard fdatasync(descriptor) == 0 else { throw failure() }
        synchronized = .now
    }

    private func failure() -> TrackError { TrackError(file: path, verb: "written") }

    private static func whiteSpace(_ count: Int) -> [UInt8] { [UInt8](repeating: UInt8(ascii: "\n"), count: count) }
}
