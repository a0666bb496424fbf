import LocationConfiguration
import LocationModel
import LocationPolicy
import Logging
import NIOCore
import Pacing

/// The last uses of permissions, and the resets that no agent has shown yet.
///
/// Confined to the event loop.
final class UnusedPermissions {
    /// The interval of reviews, and so the most by which a use on disk is older than the true one.
    static let interval = TimeAmount.hours(6)

    fileprivate var clock: UseClock
    /// The last uses. A permission without one counts as used when that is noticed.
    private var uses: [ClientKey: Int64]
    /// The uses that are not on disk.
    private var unsaved: Set<ClientKey> = []
    /// The clients whose resets no agent has shown.
    fileprivate(set) var unshown: Set<ClientKey> = []
    /// The number of resets that are being saved.
    fileprivate var resetting = 0
    fileprivate var timer: LoopTimer?
    /// The reading of the clock that is on disk.
    private var savedReading: Timestamp?

    init(_ stored: DecisionStore.StoredState, now: Timestamp) {
        clock = stored.useClock ?? UseClock(reading: now)
        (uses, savedReading) = (stored.lastUses, stored.useClock?.reading)
        takeUnshown(stored)
    }

    /// Takes over the content of a database that took the place of the open one.
    func adopt(_ stored: DecisionStore.StoredState) {
        // Its uses are of its own clock.
        clock = stored.useClock ?? UseClock(reading: clock.reading)
        (uses, unsaved, savedReading) = (stored.lastUses, [], stored.useClock?.reading)
        takeUnshown(stored)
    }

    /// A reset has a last use on disk until an agent has shown it.
    private func takeUnshown(_ stored: DecisionStore.StoredState) {
        let resets = stored.origins.filter { $1.manner.resetLevel != nil && stored.lastUses[$0] != nil }
        unshown = Set(resets.keys)
    }

    /// Notes that a client is given a location, or that somebody has decided about it. Returns true if that is worth writing now.
    func note(_ key: ClientKey, at now: Timestamp) -> Bool {
        clock.advance(to: now)
        let before = uses.updateValue(clock.counted, forKey: key)
        unsaved.insert(key)
        return before.map { clock.counted - $0 >= Self.interval.nanoseconds / 1_000_000_000 } ?? true
    }

    /// Notes that a client was reset and no agent has shown it yet. Its last use is written again to say so on disk.
    fileprivate func noteReset(_ key: ClientKey) {
        unshown.insert(key)
        unsaved.insert(key)
    }

    /// Forgets a client without a permission.
    func forget(_ key: ClientKey) {
        uses[key] = nil
        unsaved.remove(key)
        unshown.remove(key)
    }

    /// The days since the last use of a client, from now on if it is not known.
    fileprivate func days(since key: ClientKey) -> Int {
        if let use = uses[key] { return clock.days(since: use) }
        uses[key] = clock.counted
        unsaved.insert(key)
        return 0
    }

    /// The uses to write with the clock; `nil` if neither has changed enough.
    fileprivate func takeUnsaved() -> [ClientKey: Int64]? {
        let isRead = savedReading.map { clock.reading.duration(since: $0) < .seconds(3600) } ?? false
        // Without any permission there is nothing to measure.
        guard !unsaved.isEmpty || !isRead && !uses.isEmpty else { return nil }
        defer { (unsaved, savedReading) = ([], clock.reading) }
        return uses.filter { unsaved.contains($0.key) }
    }

    /// Cancels the timer.
    func shutdown() { timer?.cancel() }
}

extension Core {
    /// Connects the review of unused permissions.
    func startReviewingUnused() {
        accesses.current.onBegin = { [unowned self] key in
            guard directory.record(of: key)?.allowsForGood == true else { return }
            if unused.note(key, at: rules.now) { saveUses() }
        }
        directory.onDecision = { [unowned self] key in
            if directory.record(of: key)?.allowsForGood == true {
                unused.forget(key)
                // It has no use on disk, which counts from the next review on.
                _ = unused.note(key, at: rules.now)
            } else if directory.reset(of: key) == nil {
                unused.forget(key)
            }
        }
    }

    /// Resets the permissions of programs that were not given a location for `ResetUnusedAfter` days, and reviews that again after
    /// some hours.
    func reviewUnused() {
        unused.timer?.cancel()
        unused.timer = queue.makeTimer(in: UnusedPermissions.interval) { [weak self] in self?.reviewUnused() }
        unused.clock.advance(to: rules.now)
        for key in accesses.current.keys where directory.record(of: key)?.allowsForGood == true {
            _ = unused.note(key, at: rules.now)
        }
        let limit = configuration.daemon.resetUnusedAfter
        for key in directory.permitted where unused.days(since: key) >= limit && limit > 0 { resetIfUnused(key) }
        saveUses()
    }

    func saveUses() {
        guard let uses = unused.takeUnsaved() else { return }
        disk.save(unused.clock, uses: uses).whenFailure { [logger] error in
            // After a restart they count as older, by some hours unless the disk fails for long.
            logger.error("The last uses of permissions could not be written: \(error)")
        }
    }

    private func resetIfUnused(_ key: ClientKey) {
        guard let grant = directory.record(of: key)?.grant, let manner = DecisionOrigin.Manner(resetOf: grant),
            // A former client has no access.
            let declaration = directory.declaration(named: key.client, of: table.users[key.userID]),
            !declaration.isExemptFromReset, publisher.conditions.conditionCount(of: key) == 0,
            !publisher.conditions.watchesVisits(key),
            // An administrator's decision for an unattended program.
            !(grant == .always && directory.origin(of: key)?.userID == 0)
        else { return }
        let client = directory.client(declaration, of: table.user(key.userID))
        // A decision that is being saved is a use, and a denial that could not be saved stays in force.
        guard client.saving.isEmpty, client.authorization.record.allowsForGood else {
            return directory.discardIfUnused(client)
        }
        unused.resetting += 1
        let origin = DecisionOrigin(userID: key.userID, manner: manner, timestamp: rules.now)
        authorizer.end(client, by: .decide(.resetUnused), origin) { [self] unsaved in
            unused.resetting -= 1
            if unsaved == nil { unused.noteReset(key) }
            // One notification for all.
            if unused.resetting == 0 {
                saveUses()
                Set(unused.unshown.map(\.userID)).forEach(showResets)
            }
            directory.discardIfUnused(client)
        }
    }

    /// Has an agent of the user show the resets that none has shown.
    func showResets(of userID: UInt32) {
        let keys = unused.unshown.filter { $0.userID == userID }.sorted { $0.client < $1.client }
        guard unused.resetting == 0, !keys.isEmpty, let agent = prompts.launcher(of: table.users[userID])
        else { return }
        let reports = keys.compactMap { key -> ResetReport? in
            guard let reset = directory.reset(of: key) else { return nil }
            let declaration = directory.declaration(named: key.client, of: table.users[userID])
            return ResetReport(
                client: key.client, displayName: declaration?.displayName ?? key.client, level: reset.level,
                time: reset.time)
        }
        keys.forEach(unused.forget)
        if !reports.isEmpty { agent.show(reports) }
        disk.forgetUses(of: keys).whenFailure { [logger] error in
            logger.error("That resets were shown could not be written, so they are shown again: \(error)")
        }
    }
}

extension AuthorizationRecord {
    /// True with a permission that does not end by itself.
    var allowsForGood: Bool { grant.map { $0 != .denied } == true && ending == nil }
}

extension ClientDeclaration {
    /// True for a program that works unattended, where nobody could allow it again: one with a preset, and a unit.
    fileprivate var isExemptFromReset: Bool {
        let isUserService = match.userUnit.map { $0.hasSuffix(".service") && !$0.hasPrefix("app-") } ?? false
        return policy.presetAuthorization != nil || match.systemdUnit != nil || isUserService || launch != nil
    }
}
