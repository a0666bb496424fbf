import NIOCore
import Pacing

/// Limits how often one program is started.
///
/// A program that connects after its start may be started again ten seconds later; each start of one that does not doubles
/// the time, up to an hour.
struct LaunchPace {
    private static let shortest = Duration.seconds(10)
    private static let longest = Duration.seconds(3600)

    private var backOff = BackOff(from: shortest, to: longest)
    private var earliest = NIODeadline.uptimeNanoseconds(0)

    /// Returns the time for which a start has to wait; `nil` if it may happen now, and then it counts.
    mutating func delay(at now: NIODeadline) -> TimeAmount? {
        guard now >= earliest else { return earliest - now }
        earliest = now + TimeAmount(backOff.next())
        return nil
    }

    /// Notes that the program has connected.
    mutating func programConnected(at now: NIODeadline) {
        backOff.reset()
        earliest = min(earliest, now + TimeAmount(Self.shortest))
    }
}
