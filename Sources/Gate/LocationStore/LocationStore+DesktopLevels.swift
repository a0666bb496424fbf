import SQLite

// The accuracy that desktops allow
extension LocationStore {
    /// The highest accuracy level that the desktop of each user allows; users without a limit are absent. It outlives the
    /// desktop's agent and a restart of the daemon.
    public func desktopLevels() throws(StoreError) -> [UInt32: UInt32] {
        let rows = try database.rows("SELECT user_id, level, digest FROM desktop_level") { row throws(StoreError) in
            try row.checkDigest()
            return (try row.integer(0, as: UInt32.self), try row.integer(1, as: UInt32.self))
        }
        return Dictionary(rows, uniquingKeysWith: min)
    }

    /// Stores the highest accuracy level that a user's desktop allows; `nil` for no limit.
    public func setDesktopLevel(_ level: UInt32?, for user: UInt32) throws(StoreError) {
        guard let level else {
            return try database.run("DELETE FROM desktop_level WHERE user_id = ?", [SQLValue(user)])
        }
        let values = [SQLValue(user), SQLValue(level)]
        try database.run("INSERT OR REPLACE INTO desktop_level VALUES (?, ?, ?)", values + [values.digest])
    }
}
