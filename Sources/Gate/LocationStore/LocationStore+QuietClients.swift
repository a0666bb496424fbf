public import LocationModel
public import LocationPolicy
import SQLite

// The clients that users trust to have the location without an indicator
extension LocationStore {
    /// The clients that light no indicator.
    public func quietClients() throws(StoreError) -> Set<ClientKey> {
        let rows = try database.rows("SELECT user_id, client, decided_by, decided_at, digest FROM quiet_client") {
            row throws(StoreError) in
            try row.checkDigest()
            return try row.clientKey(0)
        }
        return Set(rows)
    }

    /// Stores whether a client lights no indicator.
    public func setQuiet(
        _ isQuiet: Bool, _ key: ClientKey, by decider: UInt32, at time: Timestamp
    ) throws(StoreError) {
        let name = [SQLValue(key.userID), SQLValue(key.client)]
        guard isQuiet else {
            return try database.run("DELETE FROM quiet_client WHERE user_id = ? AND client = ?", name)
        }
        let values = name + [SQLValue(decider), SQLValue(time.nanosecondsSince1970)]
        try database.run("INSERT OR REPLACE INTO quiet_client VALUES (?, ?, ?, ?, ?)", values + [values.digest])
    }
}
