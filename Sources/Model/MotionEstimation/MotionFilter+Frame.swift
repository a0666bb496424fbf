public import LocationModel

extension TrackingFrame {
    /// The frame of a location that says nothing of motion, such as one of Wi-Fi. It shows the whole circle.
    public init(standingAt location: Location) {
        let radius = location.horizontalAccuracy ?? 0
        self.init(
            coordinate: location.coordinate, horizontalAccuracy: radius,
            span: max(DisplayedSpan(speed: 0, from: nil).metres(after: 0), 4 * radius), timestamp: location.timestamp)
        altitude = location.altitude
        sourceInformation = location.sourceInformation
    }
}

extension MotionFilter {
    /// The frame to show now; `nil` without a fix, after the source was lost, or if the last fix is too old (10 s, or
    /// three and a half intervals of a slower receiver).
    ///
    /// - A prediction ends 3 s after the time of the last fix, or after one and a half intervals of a slower receiver,
    ///   15 s at most.
    /// - The stated radius covers the filter's uncertainty, the unknown delay of the receiver, the distance between the
    ///   shown and the predicted position, and the user's possible movement while the next fix is overdue.
    /// - The speed is `nil` until there were measurements of it, and after the prediction has ended.
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
        frame.age = .seconds(age)
        frame.sourceInformation = track.source
        return frame
    }

    /// True if there is a position to show.
    func isShown(at now: ContinuousClock.Instant) -> Bool {
        guard let track, !isLost else { return false }
        return track.clock.age(at: now) <= pace.patience
    }
}

extension MotionFilter.Track {
    /// The shown state: the prediction plus the rest of the last correction.
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

    /// The radius around the shown position that holds the true one with 68 %.
    ///
    /// A known offset contributes half of its square to the variance along each axis. While a fix is overdue, the user
    /// may move at any speed up to theirs, which is off by a third of its square on average.
    ///
    /// - Parameter usualInterval: the usual time between fixes, in seconds.
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
