public import LocationModel

/// Records locations to a track file that is complete after every point; see `TrackPages`.
///
/// Whatever kills the program or the machine leaves a complete document; until `finish()` it contains padding. While
/// points come, the file is flushed to disk every five seconds and at the end of each segment: a loss of power costs at
/// most five seconds. The file also appears under its name only when it is complete.
///
/// The file's mode is 0600, because it shows where its owner was. Every call blocks for as long as the disk takes. Use
/// from one task at a time.
public final class TrackRecorder {
    /// The longest time until a point is flushed to disk, while points come.
    public static let synchronizationInterval = Duration.seconds(5)
    /// The time without a point after which the next one begins a new segment.
    public static let pause = Duration.seconds(30)

    private let writer: any PointWriter.Type
    private var pages: TrackPages
    private var segment = 0
    private var beginsSegment = false
    private var lastTime: Timestamp?
    private var synchronized = ContinuousClock.now
    private var isFinished = false

    /// Creates a track file at `path`, which ends with `.gpx` or `.geojson`.
    ///
    /// - Throws: when the file exists, because it is never overwritten, or cannot be created.
    public init(creating path: String) throws(TrackError) {
        writer = try TrackFormat.of(path).writer
        pages = try TrackPages(creating: path, writer)
    }

    /// The number of points written.
    public private(set) var pointCount = 0
    /// The number of locations that were not written because they had the time of the last one.
    public private(set) var repeatedCount = 0

    /// Adds a location. One that is earlier than the last one, because a clock was set back, begins a new segment.
    ///
    /// - Returns: false if the location has the time of the last one and was therefore not written.
    /// - Throws: the write error, such as a full disk. The file is unchanged and complete.
    @discardableResult
    public func append(_ location: Location) throws(TrackError) -> Bool {
        precondition(!isFinished, "the track was finished")
        if let lastTime {
            guard location.timestamp != lastTime else {
                repeatedCount += 1
                return false
            }
            if !(.zero...Self.pause).contains(location.timestamp.duration(since: lastTime)) { try endSegment() }
        }
        let text = writer.text(
            location, segment: beginsSegment ? segment + 1 : segment, isFirst: pointCount == 0,
            beginsSegment: beginsSegment)
        try pages.append(text)
        if beginsSegment { segment += 1 }
        beginsSegment = false
        lastTime = location.timestamp
        pointCount += 1
        if ContinuousClock.now - synchronized >= Self.synchronizationInterval { try synchronize() }
        return true
    }

    /// Ends the segment because there is no location for a while. Does nothing if the current segment has no points.
    public func endSegment() throws(TrackError) {
        guard pointCount > 0, !beginsSegment else { return }
        beginsSegment = true
        try synchronize()
    }

    /// Removes the padding from the file. Nothing can be added afterwards.
    ///
    /// - Throws: the write error. The track is complete all the same, with its padding.
    public func finish() throws(TrackError) {
        guard !isFinished else { return }
        isFinished = true
        try pages.finish()
    }

    private func synchronize() throws(TrackError) {
        try pages.synchronize()
        synchronized = .now
    }
}
