/// Whether the clock of this machine agrees with that of the receiver.
///
/// Locations carry the receiver's time; programs compare it with the machine's, and take for old, or for coming, what is
/// neither. gpsd takes the century and the GPS week's era from the machine's clock.
package struct ClockCheck: Check {
    /// GPS counts weeks to 1,024, 19.6 years, and begins anew (IS-GPS-200, 20.3.3.3.1.1). In seconds.
    static let rollover = 1024.0 * 7 * 86_400
    /// Seconds of difference that a slow receiver's reports explain.
    static let tolerance = 5.0
    /// Seconds of difference that break programs.
    static let limit = 60.0

    /// By how many seconds the machine's clock is ahead of each receiver's.
    package var offsets: [String: Double] = [:]
    /// Whether something keeps the machine's clock in time.
    package var isSynchronized: Evidence<Bool> = .seen(true)

    package init() {}

    package var findings: [Finding] {
        let compared = offsets.sorted { $0.key < $1.key }.map { finding(of: $0.key, ahead: $0.value) }
        return
            (compared.isEmpty
            ? [.notLookedAt(.clockReceiver, "the receiver's clock", "no receiver has told the time")] : compared)
            + [synchronization]
    }

    private func finding(of receiver: String, ahead: Double) -> Finding {
        let eras = (ahead / Self.rollover).rounded()
        if eras != 0, abs(ahead - eras * Self.rollover) < 86_400 {
            return .problem(
                .clockReceiver,
                "\(receiver) is \(Int(abs(eras)) * 1024) weeks \(ahead > 0 ? "behind" : "ahead"): its GPS week has rolled over",
                remedy:
                    "Set this machine's clock if that is what is wrong; otherwise the receiver needs newer firmware, or "
                    + "gpsd a newer release, since both guess the era.",
                subject: receiver)
        }
        let words =
            "this machine's clock is \(Self.words(abs(ahead))) \(ahead > 0 ? "ahead of" : "behind") that of \(receiver)"
        let remedy = "Have it kept in time: timedatectl set-ntp true, or chrony with gpsd as its source."
        if abs(ahead) > Self.limit { return .problem(.clockReceiver, words, remedy: remedy, subject: receiver) }
        if abs(ahead) > Self.tolerance { return .advice(.clockReceiver, words, remedy: remedy, subject: receiver) }
        return .ok(.clockReceiver, "this machine's clock and that of \(receiver) agree", subject: receiver)
    }

    private var synchronization: Finding {
        switch isSynchronized {
        case .hidden(let reason): .notLookedAt(.clockSynchronized, "whether the clock is kept in time", reason)
        case .seen(true): .ok(.clockSynchronized, "the clock is kept in time")
        case .seen(false):
            .advice(
                .clockSynchronized, "nothing keeps this machine's clock in time",
                remedy: "timedatectl set-ntp true, or install chrony, which can also take the time from gpsd.")
        }
    }

    /// A time span in the unit that fits.
    private static func words(_ seconds: Double) -> String {
        switch seconds {
        case ..<120: "\(Int(seconds.rounded())) s"
        case ..<7200: "\(Int((seconds / 60).rounded())) minutes"
        case ..<172_800: "\(Int((seconds / 3600).rounded())) hours"
        case ..<1e15: "\(Int((seconds / 86_400).rounded())) days"
        default: "an age"
        }
    }
}
