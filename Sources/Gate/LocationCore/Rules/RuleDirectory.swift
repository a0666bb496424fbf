import LinuxPlumbing
package import LocationModel
import LocationPolicy
import LocationUsage
import Logging

/// The rules of the machine and of its users, and the values of the moment on which they depend.
///
/// Evaluations take the time from the clock, so they are right at any moment; the alarm only reports when something may have
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
    /// The kinds of surroundings that rules depend on.
    private var watched: Set<SurroundingsKind> = []
    /// The position of the newest location.
    let newest: () -> Position?
    /// The next time at which a decision ends; `nil` for none.
    var nextEnd: () -> Timestamp? = { nil }
    /// True while a decision ends with a logout.
    var awaitsLogout: () -> Bool = { false }
    /// Waits for times of the wall clock; `nil` for nothing.
    private var alarm: (any WallClockWatching)?
    /// Watches power, locks and presence; `nil` for nothing, so that they are in doubt.
    private var watch: (any SurroundingsWatching)?
    private let logger: Logger

    init(clock: RuleClock, newest: @escaping () -> Position?, logger: Logger) {
        (self.clock, self.newest, self.logger) = (clock, newest, logger)
    }

    /// Sets the watches of changes.
    func setWatches(_ alarm: any WallClockWatching, _ watch: any SurroundingsWatching) {
        (self.alarm, self.watch) = (alarm, watch)
        // The surroundings that stored rules name are watched from now on.
        watched = []
        update()
    }

    /// Ends the watches of changes.
    func shutdown() {
        watch?.watch([])
        (watch, watched) = (nil, [])
        setAlarm(nil)
        alarm = nil
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
        update()
    }

    /// Takes over the content of a database that took the place of the open one. Its rules and places count, and what limited
    /// before stays in force. Returns the changes that it lacks.
    func adopt(replacing stored: DecisionStore.StoredState) -> [UInt32: [RuleChange]] {
        var lacking: [UInt32: [RuleChange]] = [:]
        for userID in Set(stored.rules.keys).union(users.keys) {
            let user = rules(of: userID)
            var adopted = stored.rules[userID] ?? StoredRules()
            let changes = adopted.changes(since: user.stored)
            for change in changes { adopted.apply(change) }
            if !changes.isEmpty { lacking[userID] = changes }
            user.set(adopted)
        }
        update()
        return lacking
    }

    /// Takes the rules of the machine and of the declarations.
    func setConfigured(machine: [AccessRule], declared: [AccessRule]) {
        (machineRules, declaredRules) = (machine, declared)
        update()
    }

    /// All rules of everybody.
    private var allRules: some Sequence<AccessRule> {
        [machineRules, declaredRules, users.values.flatMap(\.stored.rules)].joined()
    }

    /// The values of this moment for a user, without placements.
    func surroundings(of userID: UInt32) -> Surroundings {
        let now = clock.now()
        return Surroundings(
            localTime: LocalTime(now, utcOffset: utcOffset(at: now)), isOnBattery: watch?.isOnBattery,
            isSessionLocked: watch?.isSessionLocked(of: userID), isAnybodyPresent: watch?.isAnybodyPresent())
    }

    /// True if a user is logged in; `nil` while that is in doubt, or does not matter.
    func isLoggedIn(_ userID: UInt32) -> Bool? { watch?.isLoggedIn(userID) }

    /// The sessions of a user now; empty without logind.
    func sessions(_ userID: UInt32) -> [LoginIdentity] { watch?.sessions(of: userID) ?? [] }

    /// The time.
    var now: Timestamp { clock.now() }

    /// A time of the local wall clock, such as "2026-11-27 18:00".
    func localText(_ time: Timestamp) -> String {
        let local = time.advanced(by: .seconds(clock.utcOffset(time))).description
        return "\(local.prefix(10)) \(local.dropFirst(11).prefix(5))"
    }

    private func utcOffset(at now: Timestamp) -> Int {
        let period = now.nanosecondsSince1970 / Self.offsetPeriod
        if let offset, offset.period == period { return offset.seconds }
        let found = clock.utcOffset(now)
        offset = (found, period)
        return found
    }

    // MARK: Changes

    /// Follows what the rules in force depend on: the next moment at which a condition about the time may change, and the
    /// surroundings.
    func update() {
        let conditions = allRules.flatMap(\.conditions)
        var kinds = Set(conditions.compactMap(\.surroundingsKind))
        if awaitsLogout() { kinds.insert(.login) }
        if kinds != watched {
            watched = kinds
            watch?.watch(kinds)
        }
        let changes = [nextChange(of: Array(Set(allRules.flatMap(\.hours)))), nextEnd()]
        setAlarm(changes.compactMap { $0 }.min())
    }

    private func setAlarm(_ time: Timestamp?) {
        do {
            try alarm?.watch(until: time.map { .nanoseconds($0.nanosecondsSince1970) })
        } catch {
            // Evaluations read the clock themselves, so only the notice of a change is late.
            logger.error("Rules of time take effect with the next location only, and decisions end late: \(error)")
        }
    }

    /// The next moment at which one of these conditions may change, on the wall clock.
    func nextChange(of hours: [WeeklyHours]) -> Timestamp? {
        WeeklyHours.nextChange(of: hours, after: clock.now(), utcOffset: clock.utcOffset)
    }

    /// Reads the clock again: after the alarm, and when the clock was set or the time zone has changed.
    func clockChanged() {
        offset = nil
        update()
    }
}

/// The wall clock, on which rules depend.
package struct RuleClock: Sendable {
    /// The time.
    package var now: @Sendable () -> Timestamp
    /// The seconds by which local time is ahead of UTC at a moment.
    package var utcOffset: @Sendable (Timestamp) -> Int
    package init(
        now: @escaping @Sendable () -> Timestamp,
        utcOffset: @escaping @Sendable (Timestamp) -> Int = LocalTime.systemOffset
    ) {
        (self.now, self.utcOffset) = (now, utcOffset)
    }
}

extension AccessCondition {
    /// The surroundings that the condition depends on; `nil` for the time and the location.
    fileprivate var surroundingsKind: SurroundingsKind? {
        switch self {
        case .onBattery: .power
        case .sessionLocked: .sessionLock
        case .nobodyPresent: .presence
        case .during, .inside, .outside: nil
        }
    }
}
