public import LocationModel
public import LocationPolicy
import SQLAccess

/// What `locationd` keeps over its restarts: decisions, switches, the secrets of reduced accuracy and who had access.
/// Coordinates are not among it.
///
/// One SQLite file, `locationd.db`. What a method has written is on the disk when it returns, and stays there through a
/// kill and a loss of power: a rollback journal with `synchronous=FULL`, whose end is itself synchronised
/// (`journal_mode=TRUNCATE`). A write-ahead log would take one synchronisation instead of three, but then the newest
/// decisions, *don't allow* among them, would be in a second file, and who restores or copies only the first would
/// silently bring back what the user has taken away. Decisions are rare and history is written in batches.
///
/// File and directory are locked as long as the store lives. A store is not `Sendable`: it belongs to one thread, which may be
/// blocked by the disk.
public final class LocationStore {
    let database: SQLDatabase
    /// Taken from others as long as this is there.
    private let directory: StoreDirectory

    init(_ file: StoreFile, in directory: StoreDirectory) throws(StoreError) {
        self.directory = directory
        database = try SQLDatabase(path: file.path)
        try prepare()
    }
}

extension LocationStore {
    /// Does several changes at once, all of them or, if `body` throws, none: they take as long as one. They are on the disk
    /// on return. Not for what is a transaction itself, ``record(_:)`` and ``prune(before:)``.
    public func transaction(_ body: () throws(StoreError) -> Void) throws(StoreError) {
        try database.transaction(body)
    }
}

// Decisions
extension LocationStore {
    /// Everything that has been decided, and by whom. Records that are empty tell that a decision was taken back.
    public func decisions() throws(StoreError) -> [ClientKey: (record: AuthorizationRecord, origin: DecisionOrigin)] {
        let rows = try database.rows(
            """
            SELECT user_id, client, permission, upgrade_prompt_used, accuracy, decided_by, manner, decided_at, digest
            FROM decision
            """
        ) { row throws(StoreError) in
            try row.checkDigest()
            var record = AuthorizationRecord()
            record.grant = try row.optionalWord(2)
            record.hasUsedUpgradePrompt = try row.integer(3) != 0
            record.accuracy = try row.optionalWord(4)
            return (try row.clientKey(0), (record: record, origin: try row.origin(5)))
        }
        // Names that SQLite tells apart by their bytes can be the same to Swift.
        return Dictionary(rows, uniquingKeysWith: { $0.origin.timestamp > $1.origin.timestamp ? $0 : $1 })
    }

    /// Keeps what has been decided about a client, in place of what was decided before.
    ///
    /// An empty record is kept as well: who took a decision back is worth knowing.
    public func save(
        _ record: AuthorizationRecord, for key: ClientKey, origin: DecisionOrigin
    ) throws(StoreError) {
        let values =
            [
                SQLValue(key.userID), SQLValue(key.client), SQLValue(record.grant),
                SQLValue(record.hasUsedUpgradePrompt ? 1 : 0), SQLValue(record.accuracy),
            ] + origin.values
        try database.run(
            "INSERT OR REPLACE INTO decision VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", values + [values.digest])
    }
}

// Switches
extension LocationStore {
    /// For whom location services are off, and who switched them off.
    public func disabledServices() throws(StoreError) -> DisabledServices {
        var disabled = DisabledServices()
        let rows = try database.rows("SELECT user_id, switched_by, manner, switched_at, digest FROM disabled_service") {
            row throws(StoreError) in
            try row.checkDigest()
            let user: UInt32? = try row.integer(0) == Self.wholeSystem ? nil : try row.integer(0)
            return (user, try row.origin(1))
        }
        for (user, origin) in rows {
            if let user { disabled.users[user] = origin } else { disabled.system = origin }
        }
        return disabled
    }

    /// Switches location services on or off for a user, or with `nil` for the whole system.
    public func setServiceEnabled(
        _ isEnabled: Bool, for user: UInt32?, origin: DecisionOrigin
    ) throws(StoreError) {
        let userID = user.map { SQLValue($0) } ?? SQLValue(Self.wholeSystem)
        if isEnabled {
            try database.run("DELETE FROM disabled_service WHERE user_id = ?", [userID])
        } else {
            let values = [userID] + origin.values
            try database.run(
                "INSERT OR REPLACE INTO disabled_service VALUES (?, ?, ?, ?, ?)", values + [values.digest])
        }
    }

    private static let wholeSystem: Int64 = -1
}

/// Who has switched location services off.
public struct DisabledServices: Hashable, Sendable {
    /// Who did it for the whole system; `nil` while they are on.
    public var system: DecisionOrigin?
    /// Who did it for one user, by user; not there while they are on.
    public var users: [UInt32: DecisionOrigin]

    /// They are on for everybody.
    public init() { users = [:] }
}

// Reduced accuracy
extension LocationStore {
    /// When each client last released a rough location, by the clock of the wall: however many users and processes it
    /// has, it is given one in so many minutes, and a crash or a restart is no reason to give it another.
    public func roughReleases() throws(StoreError) -> [String: Timestamp] {
        let rows = try database.rows("SELECT client, released_at FROM rough_release") { row throws(StoreError) in
            (try row.text(0), try row.timestamp(1))
        }
        return Dictionary(rows, uniquingKeysWith: max)
    }

    /// Keeps that a rough location is about to be released to a client. To be called before it goes out.
    public func reserveRoughRelease(client: String, at time: Timestamp) throws(StoreError) {
        try database.run(
            "INSERT OR REPLACE INTO rough_release VALUES (?, ?)",
            [SQLValue(client), SQLValue(time.nanosecondsSince1970)])
    }

    /// The secret of a client's grid, made when first asked for. It is the same for all users, who are all at the same
    /// place, and survives a reset of decisions: a client must never see a second grid.
    public func reductionSecret(for client: String) throws(StoreError) -> AccuracyReduction.Secret {
        let kept = try database.rows("SELECT secret FROM reduction WHERE client = ?", [SQLValue(client)]) {
            row throws(StoreError) in
            guard let secret = AccuracyReduction.Secret(bytes: try row.blob(0)) else { throw row.unexpected(0) }
            return secret
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

    fileprivate func origin(_ column: Int32) throws(StoreError) -> DecisionOrigin {
        DecisionOrigin(
            userID: try integer(column), manner: try word(column + 1), timestamp: try timestamp(column + 2))
    }

    /// Makes sure that the row's last value is the digest of the others.
    fileprivate func checkDigest() throws(StoreError) {
        let values = values
        guard Array(values.dropLast()).digest == values.last else { throw unexpected(Int32(values.count - 1)) }
    }
}

extension DecisionOrigin {
    fileprivate var values: [SQLValue] {
        [SQLValue(userID), SQLValue(manner), SQLValue(timestamp.nanosecondsSince1970)]
    }
}
