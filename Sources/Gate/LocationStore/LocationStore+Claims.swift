import LocationPolicy
import SQLite

extension LocationStore {
    /// Passes on the decisions stored for undeclared programs under a name that they claimed, `/usr/bin/map:name`, to the
    /// programs themselves, `/usr/bin/map`.
    ///
    /// A program that was denied under any name is denied. Grants are deleted, because each was for one name only: the user
    /// is asked again. The secret and the time of reduced locations stay in force, so that no program sees a second grid.
    func passOnClaims() throws(StoreError) {
        let decisions = try decisions()
        for (key, decision) in decisions {
            guard let program = Self.program(ofClaim: key.client) else { continue }
            let own = ClientKey(userID: key.userID, client: program)
            if decision.record.grant == .denied, decisions[own]?.record.grant != .denied {
                try save(decision.record, for: own, origin: decision.origin)
            }
            try database.run(
                "DELETE FROM decision WHERE user_id = ? AND client = ?", [SQLValue(key.userID), SQLValue(key.client)])
        }
        try database.run(
            """
            INSERT OR IGNORE INTO reduction
            SELECT substr(client, 1, instr(client, ':') - 1), secret FROM reduction WHERE client LIKE '/%:%'
            """)
        try database.run("DELETE FROM reduction WHERE client LIKE '/%:%'")
        try database.run(
            """
            INSERT OR REPLACE INTO rough_release
            SELECT substr(client, 1, instr(client, ':') - 1) AS program, max(released_at) FROM rough_release
            WHERE client LIKE '/%:%' GROUP BY program
            """)
        try database.run("DELETE FROM rough_release WHERE client LIKE '/%:%'")
    }

    /// The program in a key with a claim. A colon in the path of a program is escaped there.
    private static func program(ofClaim client: String) -> String? {
        guard client.hasPrefix("/"), let colon = client.firstIndex(of: ":") else { return nil }
        return String(client[..<colon])
    }
}
