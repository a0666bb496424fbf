public import LocationModel

extension MotionFilter {
    /// What to show now; `nil` when there is nothing to show: no fix yet, the source was lost, or the last fix is too old
    /// to say anything (10 s, or three and a half intervals of a slower receiver).
    ///
    /// - A prediction ends 3 s after the moment of the last fix, or after one and a half intervals of a slower receiver,
    ///   15 s at most.
    /// - The stated radius is that of the filter's own uncertainty now, of what the receiver's delay may be, of how far
    ///   what is shown is from what is meant, and of where the user may be when the next fix is overdue.
    /// - The speed is unknown until there were measurements of it, and when the prediction has ended.
    public func frame(at now: ContinuousClock.Instant) -> TrackingFrame? {
        guard let track, isShown(at: now) else { return nil }
        let (age, interval) = (track.clock.age(at: now), track.clock.interval(at: now))
        let shown = track.shown(at: now)
        guard let coordinate = track.estimator.plane.coordinate(of: shown.position) else { return nil }
        var frame = TrackingFrame(
            coordinate: coordinate,
            horizontalAccuracy: track.radius(at: now, usualInterval: pace.usual),
            span: track.span(at: now),
            timestamp: track.estimator.timestamp.advanced(by: .seconds(interval)))
        let moves = track.prediction.kinematics(after: interval)
        frame.bearing = track.bearing(at: now)
        frame.heading = compass?.heading(at: now)
        if track.estimator.state.velocityVariance < 25, interval < track.prediction.horizon {
            frame.speed = length(moves.velocity)
        }
        frame.isPredicted = age > 0 && moves.position != track.estimator.state.position
        frame.age = age
        frame.sourceInformation = track.source
        return frame
    }

    /// Whether there is something to show.
    func isShown(at now: ContinuousClock.Instant) -> Bool {
        guard let track, !isLost else { return false }
        return track.clock.age(at: now) <= pace.patience
    }
}

extension MotionFilter.Track {
    /// What is shown: what is meant, and what is left of the last correction.
    func shown(at now: ContinuousClock.Instant) -> Kinematics {
        let meant = prediction.kinematics(after: clock.interval(at: now))
        let left = correction.kinematics(after: sinceCorrection(at: now))
        return Kinematics(
            position: meant.position + left.position,
            velocity: meant.velocity + left.velocity,
            acceleration: meant.acceleration + left.acceleration)
    }

    func bearing(at now: ContinuousClock.Instant) -> Double? {
        bearing?.degrees(after: clock.interval(at: now), age: sinceCorrection(at: now))
    }

    func span(at now: ContinuousClock.Instant) -> Double { span.metres(after: sinceCorrection(at: now)) }

    /// The radius around what is shown that holds the truth with 68 %.
    ///
    /// What is not noise but a known distance counts half of its square along each axis. When a fix is overdue, the user may
    /// go on at any speed up to theirs: that is off by a third of its square on the average.
    ///
    /// - Parameter usualInterval: how soon the next fix is due after one, in seconds.
    func radius(at now: ContinuousClock.Instant, usualInterval: Double) -> Double {
        let interval = clock.interval(at: now)
        let left = correction.kinematics(after: sinceCorrection(at: now)).position
        let speed = length(prediction.state.velocity)
        let delayed = speed * clock.sigma
        let overdue = speed * max(clock.age(at: now) - usualInterval, 0)
        let untold = speed * max(interval - prediction.horizon, 0)
        let variance =
            prediction.state.positionVariance(after: interval)
            + (dot(left, left) + delayed * delayed + overdue * overdue / 3 + untold * untold) / 2
        return ErrorModel.sigmasInRadius68 * variance.squareRoot()
    }

    private func sinceCorrection(at now: ContinuousClock.Instant) -> Double {
        max(corrected.duration(to: now).seconds, 0)
    }
}
