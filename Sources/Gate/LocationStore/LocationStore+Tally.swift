import SQLite

// The number and the digests of all rows that restrict
extension LocationStore {
    /// The tables whose rows have a digest each: what decides about access.
    private static let talliedTables: [SQLText] = ["decision", "disabled_service", "desktop_level", "rule", "place"]

    /// The statements that introduce the tally of each table: the number of its rows and the sum of their digests, of which 32 bits
    /// count. Triggers keep it, so no change of a row can forget it.
    ///
    /// A digest shows that a row was changed, and SQLite that a page does not fit its neighbours. Neither shows that the page of
    /// a table was overwritten by a page of another one or of an earlier time, after which rows are simply not there.
    static var tallyMigration: [SQLText] {
        let table: SQLText = """
            CREATE TABLE tally (
                name TEXT PRIMARY KEY,
                row_count INTEGER NOT NULL,
                digests INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID
            """
        return [table]
            + talliedTables.flatMap { name -> [SQLText] in
                [
                    "INSERT INTO tally \(found(name))",
                    """
                    CREATE TRIGGER \(name)_added AFTER INSERT ON \(name) BEGIN
                        UPDATE tally SET row_count = row_count + 1, digests = digests + (NEW.digest & 0xffffffff)
                        WHERE name = '\(name)';
                    END
                    """,
                    """
                    CREATE TRIGGER \(name)_changed AFTER UPDATE ON \(name) BEGIN
                        UPDATE tally SET digests = digests - (OLD.digest & 0xffffffff) + (NEW.digest & 0xffffffff)
                        WHERE name = '\(name)';
                    END
                    """,
                    """
                    CREATE TRIGGER \(name)_removed AFTER DELETE ON \(name) BEGIN
                        UPDATE tally SET row_count = row_count - 1, digests = digests - (OLD.digest & 0xffffffff)
                        WHERE name = '\(name)';
                    END
                    """,
                ]
            }
    }

    /// The query for the tally that a table must have.
    private static func found(_ name: SQLText) -> SQLText {
        "SELECT '\(name)' AS name, count(*) AS row_count, coalesce(sum(digest & 0xffffffff), 0) AS digests FROM \(name)"
    }

    /// Verifies that no row of the tables has been lost, or has come back.
    func checkTally() throws(StoreError) {
        for name in Self.talliedTables {
            let isRight = try database.rows(
                "SELECT count(*) FROM (\(Self.found(name))) JOIN tally USING (name, row_count, digests)"
            ) { row throws(StoreError) in try row.integer(0, as: Int.self) == 1 }
            guard isRight == [true] else { throw damaged("rows of the table \(name.text) are missing") }
        }
    }
}
