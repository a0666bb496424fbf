public import LocationModel

/// Where the user is at any moment, by fixes that come now and then: the position of follow mode.
///
/// Fixes and headings go in as they arrive, `frame(at:)` says what to show. Between fixes the position is carried on; a new
/// fix is approached without a jump; what is stated as accuracy is meant. It is a value without a clock or a
/// lock of its own: the same calls give the same frames.
///
/// - A `MotionEstimator` turns fixes into position, velocity, acceleration and their uncertainty.
/// - A `Prediction` carries them on, to the moment that a `ReceiverClock` says it is.
/// - A `DisplayCorrection` leads from what was shown to what is meant.
public struct MotionFilter: Sendable {
    /// What became of a fix.
    public enum Verdict: Hashable, Sendable {
        /// Taken in.
        case used
        /// Others of a later time had come before; taken in at its place, as if it had come in time.
        case late
        /// Everything begins anew with it: the first one, one after a long gap, or one that confirms that the receiver is
        /// really somewhere else. The next frame is there at once.
        case restarted
        /// Too far from where it can be by all others; not used.
        case outlier
        /// Not the first one of its moment; not used.
        case duplicate
        /// Later than there is a memory for; not used.
        case stale
    }

    /// What is known since the first fix.
    struct Track: Sendable {
        var estimator: MotionEstimator
        var clock: ReceiverClock
        var prediction: Prediction
        var correction = DisplayCorrection.none
        var bearing: DisplayedBearing?
        var span: DisplayedSpan
        /// When `correction`, `bearing` and `span` began.
        var corrected: ContinuousClock.Instant
        var source: Location.SourceInformation?
    }

    var track: Track?
    var pace = FixPace()
    /// Nothing is to be shown until the next fix.
    var isLost = false
    var compass: Compass?
    private var timeline = FixTimeline()
    private var setBack = LateRun()

    /// A filter that has seen nothing yet.
    public init() {}

    /// Takes in a fix that arrives now; says what became of it.
    ///
    /// Its time may come twice, out of order, or from a clock that is set: whenever times and arrivals disagree by
    /// more than 10 s, or three fixes of an earlier time arrive one after the other, arrivals count.
    public mutating func observe(_ location: Location, at arrival: ContinuousClock.Instant) -> Verdict {
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

    /// Takes in a compass's direction that arrives now.
    public mutating func observe(_ heading: Heading, at arrival: ContinuousClock.Instant) {
        compass = Compass(heading: heading.trueHeading, arrival: arrival)
    }

    /// The source says that it has no fix any more: there is nothing to show until the next one.
    public mutating func sourceLost(at now: ContinuousClock.Instant) {
        isLost = true
    }

    /// How far times and arrivals may disagree before the times are no longer believed, in seconds.
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

    /// A fix that is newer than all others, `elapsed` seconds after the last one.
    private mutating func append(
        _ location: Location, at arrival: ContinuousClock.Instant, elapsed: Double
    ) -> Verdict {
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

    /// A fix that is older than the newest one.
    private mutating func insert(_ location: Location, at arrival: ContinuousClock.Instant) -> Verdict {
        guard let before = track, let (estimator, outcome) = timeline.insert(location) else { return .stale }
        guard outcome != .outlier else { return .outlier }
        change(to: estimator, from: isShown(at: arrival) ? before : nil, at: arrival)
        return .late
    }

    /// Goes on with `estimator`, from what is shown now to what it says.
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
