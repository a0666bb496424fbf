import LocationClient
import LocationInterface
import LocationModel

/// The status line and its style.
enum StatusLine {
    static func of(_ state: FollowState, at now: Duration) -> (text: String, style: Style) {
        let wait = Quantity.time(now - state.conditionTime)
        return switch state.condition {
        case .waiting: ("Waiting for the location service.", .plain)
        case .serviceAway: ("The location service has stopped. Waiting for it (\(wait)).", .warning)
        case .interrupted(.locationUnavailable) where state.frame == nil:
            ("No fix yet. Waiting for one (\(wait)).", .warning)
        case .interrupted(.locationUnavailable): ("No fix for \(wait); this is where you were.", .warning)
        case .interrupted(.stationary): (LocationInterface.Diagnostic.stationary.sentence, .plain)
        case .interrupted(let diagnostic): (diagnostic.sentence, .warning)
        case .following where state.isReduced: (LocationInterface.Diagnostic.accuracyLimited.sentence, .warning)
        case .following:
            state.receiver?.doubts?.first.map { ("Doubtful. \($0.message)", .warning) } ?? (fix(state, now), .plain)
        }
    }

    /// The age of the fix in whole seconds, and a note on prediction for a second after the last predicted frame: a line
    /// that changes with every frame could not be read.
    private static func fix(_ state: FollowState, _ now: Duration) -> String {
        let age = state.frames.fixAge(at: now).map { Int(min(max(0, $0 / .seconds(1)), 1e6)) } ?? 0
        let fix = age < 2 ? "Fix now" : "Fix \(age) s ago"
        let isPredicted = state.frames.predictionTime.map { now - $0 < .seconds(1) } ?? false
        return fix + (isPredicted ? (age < 2 ? ", predicted in between." : ", predicted since then.") : ".")
    }
}
