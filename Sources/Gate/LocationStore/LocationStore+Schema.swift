import SQLite

extension LocationStore {
    /// `application_id` in the file's header: "LOCD".
    private static let application: Int64 = 0x4c4f_4344

    /// The migrations from one version of the file to the next, starting with an empty file. Each sets the new version.
    /// A released migration never changes.
    static let migrations: [[SQLText]] = [
        [
            "PRAGMA application_id = 0x4c4f4344",
            """
            CREATE TABLE decision (
                user_id INTEGER NOT NULL,
                client TEXT NOT NULL,
                permission TEXT,
                upgrade_prompt_used INTEGER NOT NULL,
                accuracy TEXT,
                decided_by INTEGER NOT NULL,
                manner TEXT NOT NULL,
                decided_at INTEGER NOT NULL,
                digest INTEGER NOT NULL,
                PRIMARY KEY (user_id, client)
            ) STRICT, WITHOUT ROWID
            """,
            """
            CREATE TABLE disabled_service (
                user_id INTEGER PRIMARY KEY,
                switched_by INTEGER NOT NULL,
                manner TEXT NOT NULL,
                switched_at INTEGER NOT NULL,
                digest INTEGER NOT NULL
            ) STRICT
            """,
            """
            CREATE TABLE reduction (
                client TEXT PRIMARY KEY,
                secret BLOB NOT NULL CHECK (length(secret) = 16)
            ) STRICT, WITHOUT ROWID
            """,
            """
            CREATE TABLE access (
                user_id INTEGER NOT NULL CHECK (user_id BETWEEN 0 AND 4294967295),
                client TEXT NOT NULL,
                started_at INTEGER NOT NULL,
                ended_at INTEGER NOT NULL,
                locations INTEGER NOT NULL,
                accuracy TEXT NOT NULL CHECK (accuracy IN ('full', 'reduced')),
                finest_radius REAL,
                PRIMARY KEY (user_id, client, started_at)
            ) STRICT, WITHOUT ROWID
            """,
            "CREATE INDEX access_by_end ON access (ended_at)",
            "PRAGMA user_version = 1",
        ],
        [
            """
            CREATE TABLE rough_release (
                client TEXT PRIMARY KEY,
                released_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID
            """,
            "PRAGMA user_version = 2",
        ],
        [
            "ALTER TABLE access ADD COLUMN door TEXT",
            "PRAGMA user_version = 3",
        ],
        [
            """
            CREATE TABLE desktop_level (
                user_id INTEGER PRIMARY KEY,
                level INTEGER NOT NULL,
                digest INTEGER NOT NULL
            ) STRICT
            """,
            "PRAGMA user_version = 4",
        ],
        [
            "ALTER TABLE access RENAME COLUMN door TO front_end",
            // The kinds of sources, a bit each.
            "ALTER TABLE access ADD COLUMN kinds INTEGER NOT NULL DEFAULT 0",
            "PRAGMA user_version = 5",
        ],
        [
            // The rules of users, as property lists. Their numbers are not used again.
            """
            CREATE TABLE rule (
                user_id INTEGER NOT NULL,
                number INTEGER NOT NULL,
                list TEXT NOT NULL,
                decided_by INTEGER NOT NULL,
                decided_at INTEGER NOT NULL,
                digest INTEGER NOT NULL,
                PRIMARY KEY (user_id, number)
            ) STRICT, WITHOUT ROWID
            """,
            "CREATE TABLE rule_number (user_id INTEGER PRIMARY KEY, last INTEGER NOT NULL) STRICT",
            // The places of users, which rules name.
            """
            CREATE TABLE place (
                user_id INTEGER NOT NULL,
                name TEXT NOT NULL,
                latitude REAL NOT NULL,
                longitude REAL NOT NULL,
                radius REAL NOT NULL,
                digest INTEGER NOT NULL,
                PRIMARY KEY (user_id, name)
            ) STRICT, WITHOUT ROWID
            """,
            // It outlives the places: another secret would draw another border around the same home.
            """
            CREATE TABLE zone_secret (
                user_id INTEGER PRIMARY KEY,
                secret BLOB NOT NULL CHECK (length(secret) = 16)
            ) STRICT
            """,
            // The last locations of clients that rules allow one in a long interval.
            """
            CREATE TABLE paced_release (
                user_id INTEGER NOT NULL,
                client TEXT NOT NULL,
                released_at INTEGER NOT NULL,
                PRIMARY KEY (user_id, client)
            ) STRICT, WITHOUT ROWID
            """,
            // Told events of watched places.
            "ALTER TABLE access ADD COLUMN events INTEGER NOT NULL DEFAULT 0",
            // The conditions that clients have watched, with their last states.
            """
            CREATE TABLE condition (
                user_id INTEGER NOT NULL,
                client TEXT NOT NULL,
                monitor TEXT NOT NULL,
                identifier TEXT NOT NULL,
                shape TEXT NOT NULL,
                state INTEGER NOT NULL,
                changed_at INTEGER NOT NULL,
                is_told INTEGER NOT NULL,
                PRIMARY KEY (user_id, client, monitor, identifier)
            ) STRICT, WITHOUT ROWID
            """,
            // The clients that watch visits.
            """
            CREATE TABLE visit_watcher (
                user_id INTEGER NOT NULL,
                client TEXT NOT NULL,
                PRIMARY KEY (user_id, client)
            ) STRICT, WITHOUT ROWID
            """,
            // Visits that last, and those that a program has not been told of.
            """
            CREATE TABLE visit (
                user_id INTEGER NOT NULL,
                client TEXT NOT NULL,
                arrived_at INTEGER NOT NULL,
                departed_at INTEGER,
                latitude REAL NOT NULL,
                longitude REAL NOT NULL,
                radius REAL NOT NULL,
                is_told INTEGER NOT NULL,
                PRIMARY KEY (user_id, client, arrived_at)
            ) STRICT, WITHOUT ROWID
            """,
            "PRAGMA user_version = 6",
        ],
        tallyMigration + ["PRAGMA user_version = 7"],
        [
            // A user's history is read without that of all others.
            "CREATE INDEX access_by_user ON access (user_id, ended_at)",
            "PRAGMA user_version = 8",
        ],
        [
            // The ends of decisions that do not last, and the decisions that count again then.
            """
            CREATE TABLE decision_ending (
                user_id INTEGER NOT NULL,
                client TEXT NOT NULL,
                ends_at INTEGER NOT NULL,
                next_permission TEXT,
                digest INTEGER NOT NULL,
                PRIMARY KEY (user_id, client)
            ) STRICT, WITHOUT ROWID
            """,
            """
            CREATE TRIGGER decision_ending_goes AFTER DELETE ON decision BEGIN
                DELETE FROM decision_ending WHERE user_id = OLD.user_id AND client = OLD.client;
            END
            """,
            "PRAGMA user_version = 9",
        ],
        [
            // The clients that light no indicator.
            """
            CREATE TABLE quiet_client (
                user_id INTEGER NOT NULL,
                client TEXT NOT NULL,
                decided_by INTEGER NOT NULL,
                decided_at INTEGER NOT NULL,
                digest INTEGER NOT NULL,
                PRIMARY KEY (user_id, client)
            ) STRICT, WITHOUT ROWID
            """,
            "PRAGMA user_version = 10",
        ],
        [
            // When each program with a permission was given its last location, by the clock of `use_clock`, in seconds.
            """
            CREATE TABLE last_use (
                user_id INTEGER NOT NULL,
                client TEXT NOT NULL,
                used_at INTEGER NOT NULL,
                PRIMARY KEY (user_id, client)
            ) STRICT, WITHOUT ROWID
            """,
            "CREATE TABLE use_clock (id INTEGER PRIMARY KEY, counted INTEGER NOT NULL, read_at INTEGER NOT NULL) STRICT",
            """
            CREATE TRIGGER last_use_goes AFTER DELETE ON decision BEGIN
                DELETE FROM last_use WHERE user_id = OLD.user_id AND client = OLD.client;
            END
            """,
            "PRAGMA user_version = 11",
        ],
    ]

    func checkApplication() throws(StoreError) {
        let isEmpty = try integer("SELECT count(*) FROM sqlite_schema") == 0
        let application = try integer("PRAGMA application_id")
        guard isEmpty || application == Self.application else {
            throw damaged("it is a database of something else")
        }
    }

    /// Migrates the file to the newest version. Its `user_version` is the current one.
    func migrate() throws(StoreError) {
        let version = try integer("PRAGMA user_version")
        guard version <= Self.migrations.count else {
            throw StoreError(
                code: .newerVersion, path: database.path,
                detail: "its version is \(version), the newest known here \(Self.migrations.count)")
        }
        guard version >= 0 else { throw damaged("its version is \(version)") }
        for statements in Self.migrations.dropFirst(version) {
            for statement in statements { try database.run(statement) }
        }
    }

    private func integer(_ sql: SQLText) throws(StoreError) -> Int {
        let values = try database.rows(sql) { row throws(StoreError) in try row.integer(0, as: Int.self) }
        return values.first ?? 0
    }
}
