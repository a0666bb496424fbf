import LocationModel

/// The last frame of a view, and the times of its frames.
struct FrameRecord {
    /// The last frame, with the last known position.
    private(set) var last: TrackingFrame?
    private var lastTime = Duration.zero
    /// The time of the last frame that was predicted.
    private(set) var predictionTime: Duration?
    /// The time of the first frame.
    private(set) var beginning: Duration?

    mutating func add(_ frame: TrackingFrame, at now: Duration) {
        (last, lastTime) = (frame, now)
        if frame.isPredicted { predictionTime = now }
        if beginning == nil { beginning = now }
    }

    /// The age of the fix behind the last frame; `nil` without a frame.
    func fixAge(at now: Duration) -> Duration? { last.map { $0.age + now - lastTime } }
}
