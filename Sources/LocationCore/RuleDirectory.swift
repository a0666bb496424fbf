import Glibc
package import LocationModel
import LocationPolicy

/// The rules of the machine and of its users, and the values of the moment on which they depend.
///
/// Evaluations take the time from the clock, so they are right at any moment; the alarm only tells when something may have
/// changed. Confined to the event loop.
final class RuleDirectory {
    /// The time for which an offset from UTC is kept, in nanoseconds. Time zones change it at a multiple.
    private static let offsetPeriod: Int64 = 900_000_000_000

    private let clock: RuleClock
    private var users: [UInt32: UserRules] = [:]
    /// The rules of `DefaultPolicy`.
    private(set) var machineRules: [AccessRule] = []
    /// The rules of all declarations.
    private var declaredRules: [AccessRule] = []
    /// The offset from UTC, and the period in which it was found out.
    private var offset: (seconds: Int, period: Int64)?
    /// The position of the newest location.
    var newest: () -> Position? = { nil }
    /// Sets the alarm of the wall clock; `nil` for none.
    var setAlarm: (Timestamp?) -> Void = { _ in }

    init(clock: RuleClock) {
        self.clock = clock
        clock.readZone()
    }

    /// The rules of a user.
    func rules(of userID: UInt32) -> UserRules {
        if let known = users[userID] { return known }
        let new = UserRules(userID, StoredRules(), in: self)
        users[userID] = new
        return new
    }

    /// Takes the state on disk at the start.
    func adopt(_ stored: DecisionStore.StoredState) {
        let (now, wall) = (ContinuousClock.now, clock.now())
        var paces: [UInt32: [String: DeliveryPace]] = [:]
        for (key, released) in stored.pacedReleases {
            // A time in the future, because the clock was set back, counts as now.
            let age = max(.zero, wall.duration(since: released))
            paces[key.userID, default: [:]][key.client] = DeliveryPace(lastDelivery: now - age)
        }
        for userID in Set(stored.rules.keys).union(paces.keys) {
            users[userID] = UserRules(userID, stored.rules[userID] ?? .init(), paces: paces[userID] ?? [:], in: self)
        }
        updateAlarm()
    }

    /// Takes the rules of the machine and of the declarations.
    func setConfigured(machine: [AccessRule], declared: [AccessRule]) {
        (machineRules, declaredRules) = (machine, declared)
        updateAlarm()
    }

    /// All rules of everybody.
    private var allRules: some Sequence<AccessRule> {
        [machineRules, declaredRules, users.values.flatMap(\.stored.rules)].joined()
    }

    /// The values of this moment for a user, without placements.
    func surroundings(of userID: UInt32) -> Surroundings {
        let now = clock.now()
        return Surroundings(localTime: LocalTime(now, utcOffset: utcOffset(at: now)))
    }

    private func utcOffset(at now: Timestamp) -> Int {
        let period = now.nanosecondsSince1970 / Self.offsetPeriod
        if let offset, offset.period == period { return offset.seconds }
        let found = clock.utcOffset(now)
        offset = (found, period)
        return found
    }

    // MARK: Changes

    /// Sets the alarm for the next moment at which a condition about the time may change.
    func updateAlarm() {
        let hours = allRules.lazy.flatMap(\.conditions).compactMap { condition -> WeeklyHours? in
            if case .during(let hours) = condition { hours } else { nil }
        }
        setAlarm(WeeklyHours.nextChange(of: Set(hours), after: clock.now(), utcOffset: clock.utcOffset))
    }

    /// The next moment at which one of these conditions may change, on the wall clock.
    func nextChange(of hours: [WeeklyHours]) -> Timestamp? {
        WeeklyHours.nextChange(of: hours, after: clock.now(), utcOffset: clock.utcOffset)
    }

    /// Reads the clock again: after the alarm, and when the clock was set or the time zone has changed.
    func clockChanged() {
        offset = nil
        clock.readZone()
        updateAlarm()
    }
}

/// The wall clock, on which rules depend.
package struct RuleClock: Sendable {
    /// The time.
    package var now: @Sendable () -> Timestamp
    /// The seconds by which local time is ahead of UTC at a moment.
    package var utcOffset: @Sendable (Timestamp) -> Int
    /// Finds out the time zone again.
    package var readZone: @Sendable () -> Void

    package init(
        now: @escaping @Sendable () -> Timestamp,
        utcOffset: @escaping @Sendable (Timestamp) -> Int = Self.systemOffset,
        readZone: @escaping @Sendable () -> Void = { tzset() }
    ) {
        (self.now, self.utcOffset, self.readZone) = (now, utcOffset, readZone)
    }

    /// The offset in the system's time zone.
    @Sendable package static func systemOffset(_ moment: Timestamp) -> Int {
        var seconds = time_t(moment.secondsSince1970.rounded(.down))
        var local = tm()
        return localtime_r(&seconds, &local) == nil ? 0 : local.tm_gmtoff
    }
}
