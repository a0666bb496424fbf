public import LocationModel
public import LocationPolicy
import SQLite

/// The daemon's persistent state: decisions, service switches, the secrets of reduced accuracy, the history of access, users'
/// rules and places, and what clients have watched. It contains no coordinates but those of places, and those of conditions and
/// visits, which are the clients' own.
///
/// One SQLite file, `locationd.db`. Changes are on disk when a method returns, and survive a kill and a loss of power:
/// a rollback journal with `synchronous=FULL`, whose end is itself synchronised (`journal_mode=TRUNCATE`). A
/// write-ahead log would need one synchronisation instead of three, but the newest decisions, *don't allow* among them,
/// would be in a second file, and restoring or copying only the first would silently undo them. Decisions are rare, and
/// history is written in batches.
///
/// File and directory are locked for the lifetime of the store. A store is not `Sendable`: it belongs to one thread,
/// which the disk may block.
public final class LocationStore {
    let database: SQLDatabase
    /// Holds the lock of the directory.
    private let directory: StoreDirectory

    private let file: StoreFile
    /// The file after the last change of this store.
    private var state: StoreFile.State?

    init(_ file: StoreFile, in directory: StoreDirectory) throws(StoreError) {
        self.directory = directory
        self.file = file
        database = try SQLDatabase(path: file.path)
        try prepare()
        state = try file.state()
    }

    /// The directory of the file.
    public var directoryPath: String { directory.path }
}

// The file at the path
extension LocationStore {
    /// Throws ``StoreError/Code/moved`` unless the file at the path is the open one and nobody else has written to it.
    public func requireUntouched() throws(StoreError) {
        guard try file.state() == state else { throw moved }
    }

    /// Throws ``StoreError/Code/moved`` unless the file at the path is the open one, so that what was just written is
    /// in it.
    public func confirmChange() throws(StoreError) {
        guard let now = try file.state(), let state, now.isSameFile(as: state) else { throw moved }
        self.state = now
    }

    private var moved: StoreError {
        StoreError(code: .moved, path: file.path, detail: "it is not the file that was opened, or somebody wrote to it")
    }
}

extension LocationStore {
    /// Runs several changes in one transaction, which is rolled back if `body` throws and on disk on return. It takes
    /// no longer than one change. Not for ``record(_:)`` and ``prune(before:)``, which are transactions themselves.
    public func transaction(_ body: () throws(StoreError) -> Void) throws(StoreError) {
        try database.transaction(body)
    }
}

// Decisions
extension LocationStore {
    /// The query for the rows that `SQLRow.decision` reads.
    static let decisionRows: SQLText = """
        SELECT user_id, client, permission, upgrade_prompt_used, accuracy, decided_by, manner, decided_at, digest
        FROM decision
        """

    /// All stored decisions with their origins. An empty record means that a decision was reset.
    public func decisions() throws(StoreError) -> [ClientKey: (record: AuthorizationRecord, origin: DecisionOrigin)] {
        let rows = try database.rows(Self.decisionRows) { row throws(StoreError) in
            let decision = try row.decision
            return (decision.key, (record: decision.record, origin: decision.origin))
        }
        // SQLite compares names by bytes, Swift by canonical equivalence, so two rows can have the same key.
        var decisions = Dictionary(rows, uniquingKeysWith: { $0.origin.timestamp > $1.origin.timestamp ? $0 : $1 })
        for (key, ending) in try endings() { decisions[key]?.record.ending = ending }
        return decisions
    }

    private func endings() throws(StoreError) -> [(ClientKey, AuthorizationRecord.Ending)] {
        try database.rows("SELECT user_id, client, ends_at, next_permission, digest FROM decision_ending") {
            row throws(StoreError) in
            try row.checkDigest()
            return (
                try row.clientKey(0),
                AuthorizationRecord.Ending(time: try row.timestamp(2), next: try row.optionalWord(3))
            )
        }
    }

    /// Verifies all stored decisions, without keeping them in memory.
    func checkDecisions() throws(StoreError) {
        try database.forEachRow(Self.decisionRows) { row throws(StoreError) in _ = try row.decision }
        _ = try endings()
    }

    /// Stores the decisions about a client in place of the previous ones.
    ///
    /// An empty record is stored as well, with the origin of the reset, which deletes what the client has watched. The end of
    /// a decision, and a reset for lack of use, do not: the client may be allowed again.
    public func save(
        _ record: AuthorizationRecord, for key: ClientKey, origin: DecisionOrigin
    ) throws(StoreError) {
        let isReset = record == AuthorizationRecord() && origin.manner != .end && origin.manner.resetLevel == nil
        if isReset { try deleteWatched(by: key) }
        let values =
            [
                SQLValue(key.userID), SQLValue(key.client), SQLValue(record.grant),
                SQLValue(record.hasUsedUpgradePrompt ? 1 : 0), SQLValue(record.accuracy),
            ] + origin.values
        try database.run(
            "INSERT OR REPLACE INTO decision VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", values + [values.digest])
        // The last use is gone with the decision that this one replaces.
        try save(record.ending, for: key)
    }

    private func save(_ ending: AuthorizationRecord.Ending?, for key: ClientKey) throws(StoreError) {
        let name = [SQLValue(key.userID), SQLValue(key.client)]
        try database.run("DELETE FROM decision_ending WHERE user_id = ? AND client = ?", name)
        guard let ending else { return }
        let values = name + [SQLValue(ending.time.nanosecondsSince1970), SQLValue(ending.next)]
        try database.run("INSERT INTO decision_ending VALUES (?, ?, ?, ?, ?)", values + [values.digest])
    }
}

// The bound of decisions
extension LocationStore {
    /// Deletes the oldest decisions of a user about undeclared programs except `limit`, and never the one about
    /// `client`. Returns the programs.
    ///
    /// The identifiers of undeclared programs have a colon or a slash, those of declared clients neither.
    public func dropOldestUndeclared(
        of user: UInt32, sparing client: String, limit: Int
    ) throws(StoreError) -> [String] {
        try database.rows(
            """
            DELETE FROM decision WHERE user_id = ?1 AND client IN (
                SELECT client FROM decision WHERE user_id = ?1 AND client GLOB '*[:/]*'
                ORDER BY client = ?2 DESC, decided_at DESC LIMIT -1 OFFSET ?3)
            RETURNING client
            """, [SQLValue(user), SQLValue(client), SQLValue(limit)]
        ) { row throws(StoreError) in try row.text(0) }
    }

    /// Deletes the oldest decisions of each user about undeclared programs except `limit`, and gives the space of many
    /// back. Returns their number.
    @discardableResult
    public func dropOldestUndeclared(limit: Int) throws(StoreError) -> Int {
        let dropped: [Int] = try database.rows(
            """
            DELETE FROM decision WHERE (user_id, client) IN (
                SELECT user_id, client FROM (
                    SELECT user_id, client, row_number() OVER (PARTITION BY user_id ORDER BY decided_at DESC) AS place
                    FROM decision WHERE client GLOB '*[:/]*')
                WHERE place > ?)
            RETURNING 1
            """, [SQLValue(limit)]
        ) { row throws(StoreError) in try row.integer(0) }
        if dropped.count > limit { try database.run("VACUUM") }
        return dropped.count
    }
}

// Switches
extension LocationStore {
    /// The origins of the switches by user, `nil` for the machine; users with services on are absent.
    public func disabledServices() throws(StoreError) -> [UInt32?: DecisionOrigin] {
        let rows = try database.rows("SELECT user_id, switched_by, manner, switched_at, digest FROM disabled_service") {
            row throws(StoreError) in
            try row.serviceSwitch
        }
        return Dictionary(rows) { $1 }
    }

    /// Switches location services on or off for a user, or with `nil` for the whole machine. A switch that is on disk
    /// already keeps its origin and is not written again, unless its origin is damage.
    public func setServiceEnabled(
        _ isEnabled: Bool, for user: UInt32?, origin: DecisionOrigin
    ) throws(StoreError) {
        let userID = user.map { SQLValue($0) } ?? SQLValue(Self.wholeSystem)
        if isEnabled {
            try database.run("DELETE FROM disabled_service WHERE user_id = ?", [userID])
        } else {
            let values = [userID] + origin.values
            try database.run(
                """
                INSERT INTO disabled_service VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
                    switched_by = excluded.switched_by, manner = excluded.manner, switched_at = excluded.switched_at,
                    digest = excluded.digest
                WHERE manner = 'damage'
                """, values + [values.digest])
        }
    }

    fileprivate static var wholeSystem: Int64 { -1 }
}

// Reduced accuracy
extension LocationStore {
    /// The wall-clock time of each client's last release of a reduced location. The limit applies to the client as a
    /// whole, whatever its number of users and processes, and a crash or a restart does not reset it.
    public func reducedReleases() throws(StoreError) -> [String: Timestamp] {
        let rows = try database.rows("SELECT client, released_at FROM rough_release") { row throws(StoreError) in
            (try row.text(0), try row.timestamp(1))
        }
        return Dictionary(rows, uniquingKeysWith: max)
    }

    /// Records that a reduced location is about to be released to a client. Call it before the release.
    public func reserveReducedRelease(client: String, at time: Timestamp) throws(StoreError) {
        try database.run(
            "INSERT OR REPLACE INTO rough_release VALUES (?, ?)",
            [SQLValue(client), SQLValue(time.nanosecondsSince1970)])
    }

    /// The secret of a client's grid, created on first use. All users share it, because they share the receiver, and it
    /// survives a reset of decisions: a client must never see a second grid.
    public func reductionSecret(for client: String) throws(StoreError) -> AccuracyReduction.Secret {
        let kept = try database.rows("SELECT secret FROM reduction WHERE client = ?", [SQLValue(client)]) {
            row throws(StoreError) in
            try row.secret(0)
        }
        if let secret = kept.first { return secret }
        var generator = SystemRandomNumberGenerator()
        let secret = AccuracyReduction.Secret(using: &generator)
        try database.run("INSERT INTO reduction VALUES (?, ?)", [SQLValue(client), .blob(secret.bytes)])
        return secret
    }
}

extension SQLRow {
    func clientKey(_ column: Int32) throws(StoreError) -> ClientKey {
        ClientKey(userID: try integer(column), client: try text(column + 1))
    }

    func timestamp(_ column: Int32) throws(StoreError) -> Timestamp {
        Timestamp(nanosecondsSince1970: try integer(column))
    }

    /// A row of `decision`.
    var decision: (key: ClientKey, record: AuthorizationRecord, origin: DecisionOrigin) {
        get throws(StoreError) {
            try checkDigest()
            var record = AuthorizationRecord()
            record.grant = try optionalWord(2)
            record.hasUsedUpgradePrompt = try integer(3) != 0
            record.accuracy = try optionalWord(4)
            return (try clientKey(0), record, try origin(5))
        }
    }

    /// A row of `disabled_service`.
    var serviceSwitch: (UInt32?, DecisionOrigin) {
        get throws(StoreError) {
            try checkDigest()
            return (try integer(0) == LocationStore.wholeSystem ? nil : try integer(0), try origin(1))
        }
    }

    private func origin(_ column: Int32) throws(StoreError) -> DecisionOrigin {
        DecisionOrigin(
            userID: try integer(column), manner: try word(column + 1), timestamp: try timestamp(column + 2))
    }

    /// Verifies that the row's last value is the digest of the others.
    func checkDigest() throws(StoreError) {
        let values = values
        guard Array(values.dropLast()).digest == values.last else { throw unexpected(Int32(values.count - 1)) }
    }
}

extension DecisionOrigin {
    fileprivate var values: [SQLValue] {
        [SQLValue(userID), SQLValue(manner), SQLValue(timestamp.nanosecondsSince1970)]
    }
}
