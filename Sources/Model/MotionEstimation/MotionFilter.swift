public import LocationModel

/// Estimates the user's position at any moment from fixes that arrive now and then; the position that follow mode
/// shows.
///
/// Pass fixes and headings as they arrive; `frame(at:)` returns what to show. Between fixes the position is
/// extrapolated, a new fix is approached without a jump, and the stated accuracy covers the error of the shown
/// position. A value without a clock or lock of its own: the same calls give the same frames.
///
/// - `MotionEstimator` estimates position, velocity, acceleration and their uncertainty from fixes.
/// - `Prediction` extrapolates them to the current moment, which `ReceiverClock` provides.
/// - `DisplayCorrection` blends from the position shown so far to the new prediction.
public struct MotionFilter: Sendable {
    /// The handling of a fix.
    public enum Outcome: Hashable, Sendable {
        /// The fix was used.
        case used
        /// Fixes of later times had arrived before; the fix was used as if it had arrived in time.
        case late
        /// The estimate was reset to the fix: the first one, one after a long gap, or one that confirms that the
        /// receiver is really elsewhere. The next frame jumps there.
        case restarted
        /// The fix is too far from any possible position; it was ignored.
        case outlier
        /// A fix of the same time was used before; it was ignored.
        case duplicate
        /// The fix is older than the remembered fixes; it was ignored.
        case stale
    }

    /// The state since the first fix.
    struct Track: Sendable {
        var estimator: MotionEstimator
        var clock: ReceiverClock
        var prediction: Prediction
        var correction = DisplayCorrection.none
        var bearing: DisplayedBearing?
        var span: DisplayedSpan
        /// The time at which `correction`, `bearing` and `span` were set.
        var corrected: ContinuousClock.Instant
        var source: Location.SourceInformation?
    }

    var track: Track?
    var pace = FixPace()
    /// True after the source was lost, until the next fix; there are no frames.
    var isLost = false
    var compass: Compass?
    private var timeline = FixTimeline()
    private var setBack = LateRun()

    /// A filter without fixes.
    public init() {}

    /// Processes a fix that arrives now.
    ///
    /// The times of fixes may repeat, go backwards or come from a clock that is being set: if times and arrivals
    /// disagree by more than 10 s, or three fixes of an earlier time arrive in a row, arrivals count.
    public mutating func observe(_ location: Location, at arrival: ContinuousClock.Instant) -> Outcome {
        guard let track else {
            begin(MotionEstimator(at: location), at: location, arrival)
            return .restarted
        }
        guard location.timestamp != track.estimator.timestamp, !timeline.contains(location.timestamp) else {
            return .duplicate
        }
        let elapsed = location.timestamp.duration(since: track.estimator.timestamp).seconds
        let waited = max(track.clock.arrival.duration(to: arrival).seconds, 0)
        if abs(elapsed - waited) <= Self.largestDisagreement {
            if elapsed > 0 { return append(location, at: arrival, elapsed: elapsed) }
            guard setBack.add(location.timestamp, at: arrival) else { return insert(location, at: arrival) }
        }
        timeline = FixTimeline()
        return append(location, at: arrival, elapsed: waited)
    }

    /// Processes a compass heading that arrives now.
    public mutating func observe(_ heading: Heading, at arrival: ContinuousClock.Instant) {
        compass = Compass(heading: heading.trueHeading, arrival: arrival)
    }

    /// Stops showing a position until the next fix, because the source has none any more.
    public mutating func sourceLost(at now: ContinuousClock.Instant) {
        isLost = true
    }

    /// The largest disagreement between times and arrivals before times are ignored, in seconds.
    private static let largestDisagreement = 10.0

    private mutating func begin(
        _ estimator: MotionEstimator, at location: Location, _ arrival: ContinuousClock.Instant
    ) {
        timeline = FixTimeline()
        setBack = LateRun()
        isLost = false
        var track = Track(
            estimator: estimator,
            clock: ReceiverClock(location, at: arrival),
            prediction: Prediction(estimator.state, horizon: pace.horizon),
            span: DisplayedSpan(speed: length(estimator.state.velocity), from: nil),
            corrected: arrival,
            source: location.sourceInformation)
        track.bearing = DisplayedBearing(
            estimator.state, in: estimator.plane, from: nil, isEased: false,
            interval: track.clock.interval(at: arrival))
        self.track = track
    }

    /// Processes a fix that is newer than all others, `elapsed` seconds after the last one.
    private mutating func append(
        _ location: Location, at arrival: ContinuousClock.Instant, elapsed: Double
    ) -> Outcome {
        guard let before = track else { return .stale }
        let isShown = isShown(at: arrival)
        var estimator = before.estimator
        switch estimator.observe(location, elapsed: elapsed, isAlone: !isShown) {
        case .outlier:
            track?.estimator = estimator
            return .outlier
        case .restarted:
            begin(estimator, at: location, arrival)
            return .restarted
        case .used:
            break
        }
        timeline.append(location, before: before.estimator)
        setBack = LateRun()
        pace.add(elapsed)
        track?.clock.tick(at: arrival, elapsed: elapsed)
        track?.source = location.sourceInformation
        change(to: estimator, from: isShown ? before : nil, at: arrival)
        isLost = false
        return .used
    }

    /// Processes a fix that is older than the newest one.
    private mutating func insert(_ location: Location, at arrival: ContinuousClock.Instant) -> Outcome {
        guard let before = track, let (estimator, outcome) = timeline.insert(location) else { return .stale }
        guard outcome != .outlier else { return .outlier }
        change(to: estimator, from: isShown(at: arrival) ? before : nil, at: arrival)
        return .late
    }

    /// Continues with `estimator`, blending from the position shown now.
    private mutating func change(
        to estimator: MotionEstimator, from before: Track?, at arrival: ContinuousClock.Instant
    ) {
        guard var track else { return }
        let prediction = Prediction(estimator.state, horizon: pace.horizon)
        let interval = track.clock.interval(at: arrival)
        track.correction = .none
        if let before, let place = before.estimator.plane.coordinate(of: before.shown(at: arrival).position) {
            let (old, new) = (before.estimator.plane, estimator.plane)
            var shown = before.shown(at: arrival)
            shown.position = new.point(of: place)
            shown.velocity = old.vector(shown.velocity, in: new)
            shown.acceleration = old.vector(shown.acceleration, in: new)
            track.correction = DisplayCorrection(
                from: shown, to: prediction.kinematics(after: interval), duration: pace.correction)
        }
        track.bearing = DisplayedBearing(
            estimator.state, in: estimator.plane, from: self.track?.bearing(at: arrival), isEased: before != nil,
            interval: interval)
        track.span = DisplayedSpan(speed: length(estimator.state.velocity), from: before?.span(at: arrival))
        (track.estimator, track.prediction, track.corrected) = (estimator, prediction, arrival)
        self.track = track
    }
}
