public import LocationModel
import LocationPolicy
import SQLite

// History
extension LocationStore {
    /// The number of sessions of one user that `prune` keeps, so that a client that reconnects without end neither
    /// fills the disk nor displaces other users' history.
    public static let sessionsPerUser = 10_000

    /// Writes sessions in one transaction.
    ///
    /// A stored session with the same key and start is replaced. Open sessions are written every few seconds, so a
    /// crash loses only the last few.
    public func record(_ sessions: some Sequence<AccessSession>) throws(StoreError) {
        try database.transaction { () throws(StoreError) in
            for session in sessions {
                try database.run(
                    "INSERT OR REPLACE INTO access VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    [
                        SQLValue(session.key.userID), SQLValue(session.key.client),
                        SQLValue(session.start.nanosecondsSince1970), SQLValue(session.end.nanosecondsSince1970),
                        SQLValue(session.count), SQLValue(session.accuracy), SQLValue(session.finestRadius),
                        SQLValue(session.frontEnd), SQLValue(session.kinds), SQLValue(session.events),
                    ])
            }
        }
    }

    /// Reads the sessions that ended at `since` or later, the newest first and at most `limit`, of one user or client
    /// if given.
    ///
    /// - Parameter gap: sessions of one client that are at most this far apart are returned as one; `nil` to return each by itself.
    public func history(
        user: UInt32? = nil, client: String? = nil, since: Timestamp? = nil, joining gap: Duration? = nil, limit: Int
    ) throws(StoreError) -> [AccessSession] {
        // An index finds the sessions of one user, however many others have.
        let ofUser: SQLText = user == nil ? "" : "user_id = ?4 AND"
        let query: SQLText = """
            SELECT user_id, client, started_at, ended_at, locations, accuracy, finest_radius, front_end, kinds, events
            FROM access
            WHERE \(ofUser) (?1 IS NULL OR client = ?1) AND ended_at >= ?2
            ORDER BY ended_at DESC, started_at DESC LIMIT ?3
            """
        let since = SQLValue(since?.nanosecondsSince1970 ?? Int64.min)
        // The limit counts joined sessions, so all are read, of which `sessionsPerUser` limits the number.
        let values = [SQLValue(client), since, SQLValue(gap == nil ? max(0, limit) : Int.max)]
        let rows = try database.rows(query, values + (user.map { [SQLValue($0)] } ?? [])) { row throws(StoreError) in
            AccessSession(
                key: try row.clientKey(0), frontEnd: try row.optionalText(7), start: try row.timestamp(2),
                end: try row.timestamp(3),
                count: try row.integer(4), accuracy: try row.word(5), finestRadius: try row.optionalReal(6),
                kinds: try row.integer(8), events: try row.integer(9))
        }
        guard let gap else { return rows }
        var joined: [AccessSession] = []
        // The index of each client's oldest session so far.
        var oldest: [ClientKey: Int] = [:]
        for session in rows {
            if let index = oldest[session.key], joined[index].start.duration(since: session.end) <= gap {
                joined[index].join(session)
            } else {
                oldest[session.key] = joined.count
                joined.append(session)
            }
        }
        return Array(joined.prefix(max(0, limit)))
    }

    /// The time of each client's last access to a user's location, as far as history reaches.
    public func lastAccess(of user: UInt32) throws(StoreError) -> [String: Timestamp] {
        let rows = try database.rows(
            "SELECT client, max(ended_at) FROM access WHERE user_id = ? GROUP BY client", [SQLValue(user)]
        ) { row throws(StoreError) in (try row.text(0), try row.timestamp(1)) }
        return Dictionary(rows, uniquingKeysWith: max)
    }

    /// Deletes sessions that ended before `oldest`, and all but the newest `sessionsPerUser` of each user.
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
