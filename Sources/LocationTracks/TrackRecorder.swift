public import LocationModel

/// Writes locations to a track that is complete after every one of them: see `TrackPages` for how.
///
/// Whoever looks at the file, and whatever kills the program or the machine, finds a whole document; until `finish()` there
/// are many spaces in it. Every five seconds that points come, and whenever a stretch ends, what was written is forced to
/// the disk: a loss of power costs the points of at most five seconds. The file appears under its name when it is complete,
/// too.
///
/// Where somebody was is for them to know: the file's mode is 0600. Every call blocks, for as long as the disk takes.
/// To be used by one task at a time.
public final class TrackRecorder {
    /// How long it may be until a point is forced to the disk, while points come.
    public static let synchronizationInterval = Duration.seconds(5)
    /// After so long without a point the next one begins another stretch.
    public static let pause = Duration.seconds(30)

    private let writer: any PointWriter.Type
    private var pages: TrackPages
    private var segment = 0
    private var beginsSegment = false
    private var lastTime: Timestamp?
    private var synchronized = ContinuousClock.now
    private var isFinished = false

    /// Begins a track at `path`, which ends with `.gpx` or `.geojson`.
    ///
    /// - Throws: when there is such a file already, which is never written over, or when none can be made there.
    public init(creating path: String) throws(TrackError) {
        writer = try TrackFormat.of(path).writer
        pages = try TrackPages(creating: path, writer)
    }

    /// How many points were written.
    public private(set) var pointCount = 0

    /// Adds a location.
    ///
    /// - Returns: false if it is not later than the last one, so that it has no place in a track: nothing was written.
    /// - Throws: what kept it from being written, such as a full disk. The track is as it was, and complete.
    @discardableResult
    public func append(_ location: Location) throws(TrackError) -> Bool {
        precondition(!isFinished, "the track was finished")
        if let lastTime {
            guard location.timestamp > lastTime else { return false }
            if location.timestamp.duration(since: lastTime) > Self.pause { try endSegment() }
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

    /// Ends a stretch: for a while there is no location. Without a point since the last call, or any, it does nothing.
    public func endSegment() throws(TrackError) {
        guard pointCount > 0, !beginsSegment else { return }
        beginsSegment = true
        try synchronize()
    }

    /// Takes the spaces out of the file. Afterwards nothing can be added.
    ///
    /// - Throws: what kept that from being done. The track is complete all the same, with its spaces.
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
