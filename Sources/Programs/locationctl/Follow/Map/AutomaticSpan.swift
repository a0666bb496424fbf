import Glibc

/// The span of the map without zooming: the service's suggestion for the speed, in steps and with smooth changes,
/// because a span that changes with every frame is restless.
struct AutomaticSpan: Hashable, Sendable {
    /// The current span in metres; `nil` before the first suggestion.
    private(set) var value: Double?
    private var target = 0.0
    private var time = Duration.zero

    /// The time in which the difference to the target shrinks by a factor of e.
    private static let pace = Duration.milliseconds(400)
    /// The longest time step, after a pause without frames.
    private static let longestStep = Duration.milliseconds(250)

    /// Handles a suggestion, in metres above 0, and returns the span at `now`.
    mutating func follow(_ suggestion: Double, at now: Duration) -> Double {
        if suggestion.isFinite, suggestion > 0, !(target / 2.2...target).contains(suggestion) {
            // Each step shows 1.4 times as much as the previous one.
            target = exp2((log2(suggestion) * 2).rounded(.up) / 2)
        }
        guard let old = value, target > 0 else {
            (value, time) = (target > 0 ? target : nil, now)
            return value ?? TerminalCamera.spans.lowerBound
        }
        let rest = exp(-(min(max(.zero, now - time), Self.longestStep) / Self.pace))
        let new = target * pow(old / target, rest)
        time = now
        value = abs(log2(new / target)) < 0.02 ? target : new
        return value ?? target
    }
}
