import Glibc

/// Checks that this machine's clock agrees with the receiver's, and is synchronized.
///
/// Locations carry the receiver's time, and programs compare it with the machine's: if the clocks differ, they take current
/// locations for old or future ones. gpsd takes the century and the era of the GPS week from the machine's clock.
package struct ClockCheck: Check {
    /// The period of the GPS week number in seconds: 1,024 weeks, or 19.6 years (IS-GPS-200, 20.3.3.3.1.1).
    static let rollover = 1024.0 * 7 * 86_400
    /// The largest difference in seconds that a slow receiver explains.
    static let tolerance = 5.0
    /// The difference in seconds from which programs fail.
    static let limit = 60.0

    /// The seconds by which this machine's clock is ahead of each receiver's.
    package var offsets: [String: Double] = [:]
    /// True if this machine's clock is synchronized with a time source.
    package var isSynchronized: Evidence<Bool> = .seen(true)

    /// This machine's time, in seconds since 1970.
    package var now = Double(time(nil))

    /// The times that a receiver without a date shows, in seconds since 1970: before this software was written.
    private static let withoutDate = -86_400.0...1_577_836_800

    package init() {}

    package var findings: [Finding] {
        let compared = offsets.sorted { $0.key < $1.key }.map { finding(of: $0.key, ahead: $0.value) }
        return
            (compared.isEmpty
            ? [.notChecked(.clockReceiver, "the receiver's clock", "no receiver has reported a time")] : compared)
            + [synchronization]
    }

    private func finding(of receiver: String, ahead: Double) -> Finding {
        let eras = (ahead / Self.rollover).rounded()
        if eras != 0, abs(ahead - eras * Self.rollover) < 86_400 {
            return .problem(
                .clockReceiver,
                "\(receiver) is \(Int(abs(eras)) * 1024) weeks \(ahead > 0 ? "behind" : "ahead"): its GPS week has rolled over",
                remedy:
                    "If this machine's clock is wrong, set it. Otherwise update the firmware of the receiver, or gpsd: both "
                    + "guess the era.",
                subject: receiver)
        }
        if Self.withoutDate.contains(now - ahead), now > Self.withoutDate.upperBound {
            let year = 1970 + Int((now - ahead) / 31_556_952)
            return .problem(
                .clockReceiver, "the clock of \(receiver) shows the year \(year): it does not know the time",
                remedy: "Wait until it has a fix, which sets its clock. A receiver without a battery forgets the time.",
                subject: receiver)
        }
        let words =
            "this machine's clock is \(Self.words(abs(ahead))) \(ahead > 0 ? "ahead of" : "behind") that of \(receiver)"
        let remedy = "Synchronize it: timedatectl set-ntp true, or chrony with gpsd as its source."
        if abs(ahead) > Self.limit { return .problem(.clockReceiver, words, remedy: remedy, subject: receiver) }
        if abs(ahead) > Self.tolerance { return .advice(.clockReceiver, words, remedy: remedy, subject: receiver) }
        return .ok(.clockReceiver, "this machine's clock and that of \(receiver) agree", subject: receiver)
    }

    private var synchronization: Finding {
        switch isSynchronized {
        case .hidden(let reason): .notChecked(.clockSynchronized, "the synchronization of the clock", reason)
        case .seen(true): .ok(.clockSynchronized, "this machine's clock is synchronized")
        case .seen(false):
            .advice(
                .clockSynchronized, "this machine's clock is not synchronized",
                remedy: "timedatectl set-ntp true, or install chrony, which can also take the time from gpsd.")
        }
    }

    /// A time span in a suitable unit.
    private static func words(_ seconds: Double) -> String {
        switch seconds {
        case ..<120: "\(Int(seconds.rounded())) s"
        case ..<7200: "\(Int((seconds / 60).rounded())) minutes"
        case ..<172_800: "\(Int((seconds / 3600).rounded())) hours"
        case ..<1e15: "\(Int((seconds / 86_400).rounded())) days"
        default: "centuries"
        }
    }
}
