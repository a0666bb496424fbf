public import LocationModel
import LocationPolicy
import SQLAccess

// History
extension LocationStore {
    /// How many sessions of one user `prune` leaves: a client that connects without end fills no disk, and drives
    /// nobody else's history out.
    public static let sessionsPerUser = 10_000

    /// Keeps sessions as they are now, all of them or none.
    ///
    /// A session that was kept before, which is one with the same key and start, is replaced. Whoever keeps the open
    /// ones every few seconds, loses in a crash what happened in those.
    public func record(_ sessions: some Sequence<AccessSession>) throws(StoreError) {
        try database.transaction { () throws(StoreError) in
            for session in sessions {
                try database.run(
                    "INSERT OR REPLACE INTO access VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    [
                        SQLValue(session.key.userID), SQLValue(session.key.client),
                        SQLValue(session.start.nanosecondsSince1970), SQLValue(session.end.nanosecondsSince1970),
                        SQLValue(session.count), SQLValue(session.accuracy), SQLValue(session.finestRadius),
                        SQLValue(session.door),
                    ])
            }
        }
    }

    /// The sessions of a user or of all, of a client or of all, that ended at `since` or later: the newest first, no
    /// more than `limit`.
    public func history(
        user: UInt32? = nil, client: String? = nil, since: Timestamp? = nil, limit: Int
    ) throws(StoreError) -> [AccessSession] {
        try database.rows(
            """
            SELECT user_id, client, started_at, ended_at, locations, accuracy, finest_radius, door
            FROM access
            WHERE (?1 IS NULL OR user_id = ?1) AND (?2 IS NULL OR client = ?2) AND (?3 IS NULL OR ended_at >= ?3)
            ORDER BY ended_at DESC, started_at DESC LIMIT ?4
            """,
            [
                SQLValue(optional: user), SQLValue(client), SQLValue(optional: since?.nanosecondsSince1970),
                SQLValue(max(0, limit)),
            ]
        ) { row throws(StoreError) in
            AccessSession(
                key: try row.clientKey(0), door: try row.optionalText(7), start: try row.timestamp(2),
                end: try row.timestamp(3),
                count: try row.integer(4), accuracy: try row.word(5), finestRadius: try row.optionalReal(6))
        }
    }

    /// When each client of a user was last given a location, as far as history reaches.
    public func lastAccess(of user: UInt32) throws(StoreError) -> [String: Timestamp] {
        let rows = try database.rows(
            "SELECT client, max(ended_at) FROM access WHERE user_id = ? GROUP BY client", [SQLValue(user)]
        ) { row throws(StoreError) in (try row.text(0), try row.timestamp(1)) }
        return Dictionary(rows, uniquingKeysWith: max)
    }

    /// Forgets the sessions that ended before `oldest`, and of each user all but the newest `sessionsPerUser`.
    public func prune(before oldest: Timestamp) throws(StoreError) {
        try database.transaction { () throws(StoreError) in
            try database.run("DELETE FROM access WHERE ended_at < ?", [SQLValue(oldest.nanosecondsSince1970)])
            try database.run(
                """
                DELETE FROM access WHERE (user_id, client, started_at) IN (
                    SELECT user_id, client, started_at FROM (
                        SELECT *, row_number() OVER (PARTITION BY user_id ORDER BY ended_at DESC) AS place FROM access)
                    WHERE place > ?)
                """, [SQLValue(Self.sessionsPerUser)])
        }
    }
}
