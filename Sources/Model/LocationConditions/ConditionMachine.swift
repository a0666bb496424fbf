/// The state of a condition. Named after Core Location's `CLMonitor.Event.State`.
public enum ConditionState: UInt8, CaseIterable, Hashable, Sendable {
    /// It has not been determined, or the source of locations has been lost for long.
    case unknown
    /// The user is inside.
    case satisfied
    /// The user is outside.
    case unsatisfied
}

/// The rules by which a condition changes its state. 12 bytes, because there may be 100,000.
///
/// A fix is *certain* evidence of a side if it is farther from the border than the radius of doubt, which is 2.5 times its
/// 68 % accuracy and holds 99.9 % of a normal distribution; and *probable* evidence if it is farther than its accuracy
/// and that is not worse than the condition's size. Other fixes are no evidence and end a run of it. The state changes
/// after a run of evidence of the other side
///
/// - that lasts half a second, which are two fixes, so that one wrong fix has no effect, and one of them is certain; or
///   10 s, if the last change was less than a minute ago, so that noise does not make it flap;
/// - that lasts two minutes, if it is probable only.
package struct ConditionMachine: Hashable, Sendable {
    /// A monotonic time in tenths of a second since the start of the set of conditions; it wraps after 13 years.
    package typealias Tenths = UInt32

    /// The radius of doubt of a fix as a multiple of its accuracy.
    package static let doubt = 2.5
    static let confirmation: Tenths = 5
    static let reversalDwell: Tenths = 100
    static let reversalWindow: Tenths = 600
    static let probableDwell: Tenths = 1200

    /// The state that was last reported.
    package private(set) var state: ConditionState
    /// The side of the current run of evidence; `unknown` without one.
    private var side = ConditionState.unknown
    private var hasCertainFix = false
    private var hasChanged = false
    private var since: Tenths = 0
    private var changedAt: Tenths = 0

    /// A condition whose last reported state is `state`.
    package init(state: ConditionState = .unknown) { self.state = state }

    /// True while a run of evidence may lead to a change.
    package var isDeciding: Bool { side != .unknown }

    /// Applies a fix, and returns the state if it has changed.
    ///
    /// - Parameters:
    ///   - distance: The fix's distance from the border in metres, negative inside.
    ///   - accuracy: The radius in metres that contains the true position with 68 % probability.
    ///   - size: The radius of the condition in metres.
    ///   - time: The time of the fix, not before that of the last one.
    package mutating func observe(
        distance: Double, accuracy: Double, size: Double, at time: Tenths
    ) -> ConditionState? {
        let isCertain = abs(distance) > Self.doubt * accuracy
        let evidence: ConditionState = distance < 0 ? .satisfied : .unsatisfied
        guard isCertain || (abs(distance) > accuracy && accuracy <= size), evidence != state else {
            side = .unknown
            return nil
        }
        if side != evidence { (side, since, hasCertainFix) = (evidence, time, false) }
        if isCertain { hasCertainFix = true }
        let isReversal = hasChanged && time &- changedAt < Self.reversalWindow
        let dwell = hasCertainFix ? (isReversal ? Self.reversalDwell : Self.confirmation) : Self.probableDwell
        guard time &- since >= dwell else { return nil }
        if state != .unknown { (hasChanged, changedAt) = (true, time) }
        (state, side) = (evidence, .unknown)
        return state
    }

    /// Forgets the state, because the user may have crossed the border since the last fix. Returns the state if it has
    /// changed.
    package mutating func lose() -> ConditionState? {
        side = .unknown
        guard state != .unknown else { return nil }
        (state, hasChanged) = (.unknown, false)
        return state
    }
}
