import LocationModel
import NIOCore

/// Looks for signs that one receiver's positions are wrong. It decides nothing: the positions are published all the same.
///
/// A state machine without clock and timer: every input carries its time. What it notices:
///
/// - **Jamming** as the receiver measures it, from ``leastJamming`` of 255. The receivers of gpsd's own tests report 31 at most.
/// - **A fault of the antenna** as the receiver reports it.
/// - **A jump**: between two fixes the position moves farther than the faster of the two reported speeds explains, by more than
///   three radii of both and ``leastJump``. A speed that is not reported counts as ``highestSpeed``, and so does that after a
///   gap. A signal that draws the position away slowly stays unnoticed here: only another source can contradict it.
/// - **A step of its time** of more than ``leastTimeStep``, back, or ahead of the time that has passed by this machine's clocks.
///   Reports that arrive late are no step. Ahead of both clocks: one of them stops while the machine sleeps, and the other is set.
struct ReceiverScrutiny {
    /// The indicator from which jamming is reported.
    static let leastJamming = 128
    /// The part of a jump in metres that is always forgiven: reflections move a position by dozens of metres.
    static let leastJump = 100.0
    /// The speed of the fastest vehicles in metres a second, about Mach 1.
    static let highestSpeed = 350.0
    /// The gap between fixes in seconds after which the speed before it explains nothing.
    static let longestGap = 5.0
    /// The step of time in seconds that is always forgiven: a receiver without an almanac is wrong by the leap seconds.
    static let leastTimeStep = 30.0
    /// The time for which a state that the receiver reports again and again is kept after its last report.
    static let reportHorizon = TimeAmount.seconds(10)
    /// The time for which an event is kept.
    static let eventHorizon = TimeAmount.minutes(10)

    private struct Notice {
        var sign: SourceDoubt.Sign
        var since: NIODeadline
        var until: NIODeadline
    }

    private var jamming: Notice?
    private var antenna: Notice?
    private var jump: Notice?
    private var timeStep: Notice?
    /// The last fix, and its arrival.
    private var last: (fix: Fix, at: NIODeadline)?
    /// The last time of a fix, with this machine's two clocks at its arrival.
    private var lastTime: (time: Timestamp, at: NIODeadline, clock: Timestamp?)?

    /// The signs at this time, those of spoofing first.
    func doubts(at now: NIODeadline) -> [SourceDoubt] {
        [jump, timeStep, jamming, antenna].compactMap(\.self).filter { now < $0.until }.map {
            SourceDoubt(sign: $0.sign, age: .nanoseconds((now - $0.since).nanoseconds))
        }
    }

    /// Takes a report as it comes.
    mutating func receive(_ report: PositionReport, at now: NIODeadline, clock: Timestamp?) {
        if let level = report.jamming, level >= Self.leastJamming {
            note(.jamming(level: level), in: &jamming, at: now)
        }
        if report.hasAntennaFault { note(.antennaFault, in: &antenna, at: now) }
        guard report.location != nil, let time = report.time else { return }
        defer { lastTime = (time, now, clock) }
        guard let lastTime else { return }
        let step = time.duration(since: lastTime.time) / .seconds(1)
        let passed = max(
            Double((now - lastTime.at).nanoseconds) / 1e9,
            clock.flatMap { clock in lastTime.clock.map { clock.duration(since: $0) / .seconds(1) } } ?? 0)
        let excess = step < 0 ? step : step - passed
        guard abs(excess) > Self.leastTimeStep, step < 0 || excess > 0 else { return }
        timeStep = Notice(sign: .timeStep(seconds: excess), since: now, until: now + Self.eventHorizon)
    }

    /// Takes a complete fix.
    mutating func receive(_ fix: Fix, at now: NIODeadline) {
        defer { last = (fix, now) }
        guard let last else { return }
        let (before, after) = (last.fix.location, fix.location)
        // By the receiver's time if it may be trusted, because reports may arrive in a bunch.
        let arrival = Double((now - last.at).nanoseconds) / 1e9
        let measured = fix.hasReceiverTime ? after.timestamp.duration(since: before.timestamp) / .seconds(1) : arrival
        let seconds = max(measured, arrival, 0)
        let metres = after.distance(from: before)
        let speed: Double =
            if seconds <= Self.longestGap, let one = before.fastest, let other = after.fastest {
                max(one, other)
            } else {
                Self.highestSpeed
            }
        let radii = (before.horizontalAccuracy ?? 0) + (after.horizontalAccuracy ?? 0)
        guard metres > speed * seconds + 3 * radii + Self.leastJump else { return }
        jump = Notice(sign: .jump(metres: metres, seconds: seconds), since: now, until: now + Self.eventHorizon)
    }

    /// Takes an interruption, after which another receiver may have the same name. What was noticed stays for its time.
    mutating func interrupt() { (last, lastTime) = (nil, nil) }

    /// Notes a state that is reported again and again.
    private func note(_ sign: SourceDoubt.Sign, in notice: inout Notice?, at now: NIODeadline) {
        let since = notice.flatMap { now < $0.until ? $0.since : nil } ?? now
        notice = Notice(sign: sign, since: since, until: now + Self.reportHorizon)
    }
}

extension Location {
    /// The highest speed that it allows for, in metres a second; `nil` if the receiver reports none.
    fileprivate var fastest: Double? { speed.map { $0 * 1.5 + 3 * (speedAccuracy ?? 0) + 5 } }
}
