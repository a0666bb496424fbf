import Glibc

/// How much ground the map shows when nobody has zoomed: what the service suggests for the speed, but in steps and
/// gently, as a map that breathes with every frame is restless.
struct AutomaticSpan: Hashable, Sendable {
    /// How much it shows now, in metres; `nil` before the first suggestion.
    private(set) var value: Double?
    private var target = 0.0
    private var time = Duration.zero

    /// How fast it gets there: by a factor of e in this time.
    private static let pace = Duration.milliseconds(400)
    /// What a frame may go on by, should there have been none for a while.
    private static let longestStep = Duration.milliseconds(250)

    /// Takes in a suggestion, in metres above 0, and moves on. Gives the span for `now`.
    mutating func follow(_ suggestion: Double, at now: Duration) -> Double {
        if suggestion.isFinite, suggestion > 0, !(target / 2.2...target).contains(suggestion) {
            // Each step shows 1.4 times as much as the one before.
            target = exp2((log2(suggestion) * 2).rounded(.up) / 2)
        }
        guard let old = value, target > 0 else {
            (value, time) = (target > 0 ? target : nil, now)
            return value ?? MapCamera.spans.lowerBound
        }
        let rest = exp(-(min(max(.zero, now - time), Self.longestStep) / Self.pace))
        let new = target * pow(old / target, rest)
        time = now
        value = abs(log2(new / target)) < 0.02 ? target : new
        return value ?? target
    }
}
