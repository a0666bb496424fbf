import LocationModel
public import LocationPolicy
import SQLite

// The last uses of permissions
extension LocationStore {
    /// The clock of ``lastUses()``; `nil` before it was first read.
    public func useClock() throws(StoreError) -> UseClock? {
        try database.rows("SELECT counted, read_at FROM use_clock WHERE id = 0") { row throws(StoreError) in
            UseClock(counted: try row.integer(0), reading: try row.timestamp(1))
        }.first
    }

    /// The values of ``useClock()`` at which clients were given their last location, as far as that is known.
    public func lastUses() throws(StoreError) -> [ClientKey: Int64] {
        let rows = try database.rows("SELECT user_id, client, used_at FROM last_use") { row throws(StoreError) in
            (try row.clientKey(0), try row.integer(2, as: Int64.self))
        }
        return Dictionary(rows, uniquingKeysWith: max)
    }

    /// Stores the clock and uses of these clients, in one transaction.
    public func save(_ clock: UseClock, uses: [ClientKey: Int64]) throws(StoreError) {
        try database.transaction { () throws(StoreError) in
            try database.run(
                "INSERT OR REPLACE INTO use_clock VALUES (0, ?, ?)",
                [SQLValue(clock.counted), SQLValue(clock.reading.nanosecondsSince1970)])
            for (key, use) in uses {
                try database.run(
                    "INSERT OR REPLACE INTO last_use VALUES (?, ?, ?)",
                    [SQLValue(key.userID), SQLValue(key.client), SQLValue(use)])
            }
        }
    }

    /// Deletes the uses of these clients.
    public func forgetUses(of keys: some Sequence<ClientKey>) throws(StoreError) {
        try database.transaction { () throws(StoreError) in
            for key in keys { try forgetUse(of: key) }
        }
    }

    func forgetUse(of key: ClientKey) throws(StoreError) {
        try database.run(
            "DELETE FROM last_use WHERE user_id = ? AND client = ?", [SQLValue(key.userID), SQLValue(key.client)])
    }
}
