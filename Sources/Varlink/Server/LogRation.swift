import Logging
import NIOCore

/// The lines of the log that any peer can cause: so many a second, and how many were left out. Else who wants something to
/// go unnoticed would fill the log until it is lost.
struct LogRation {
    /// A second, in the long run.
    private static let rate = 10
    /// At once.
    static let burst = 100
    private static let interval = TimeAmount.nanoseconds(1_000_000_000 / Int64(rate))

    /// When as many had been written as may have by now.
    private var due = NIODeadline.uptimeNanoseconds(0)
    private var leftOut = 0

    /// The lines to write for one that is due: none if there were too many.
    mutating func lines(for line: String, at now: NIODeadline) -> [String] {
        let next = max(due, now) + Self.interval
        guard next - now <= Self.interval * Self.burst else {
            leftOut += 1
            return []
        }
        due = next
        defer { leftOut = 0 }
        return leftOut > 0 ? ["Left out \(leftOut) lines about connections like the next.", line] : [line]
    }
}
