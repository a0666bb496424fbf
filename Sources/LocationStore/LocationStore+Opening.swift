public import LocationModel
import SQLAccess

/// What was found when the store was opened.
public enum StoreOpening: Hashable, Sendable {
    /// The file of last time.
    case existing
    /// Nothing: this is the first time.
    case created
    /// Something that cannot be used. It lies under another name now, for these reasons, and nothing is decided.
    case replaced(setAside: String, reason: String)
}

extension LocationStore {
    /// Opens the store in a directory, which is made if only it is missing; `now` goes into the names of damaged files.
    ///
    /// A damaged file is set aside and a new one begun, in which nobody is allowed anything. Every other obstacle is an
    /// error, and the file stays as it is: that somebody else has it, that it may not be read, that it is of a newer
    /// release.
    public static func open(
        directory: String, now: Timestamp
    ) throws(StoreError) -> (store: LocationStore, opening: StoreOpening) {
        let directory = try StoreDirectory(path: directory)
        let file = StoreFile(in: directory)
        let damage: String?
        switch try file.kind() {
        case .absent: damage = try file.hasCompanions() ? "its main part is missing" : nil
        case .cutShort: damage = "it is cut short"
        case .somethingElse: damage = "it is not a regular file"
        case .file:
            do {
                try file.makePrivate()
                return (try LocationStore(file, in: directory), .existing)
            } catch {
                guard error.code == .damaged else { throw error }
                damage = error.detail
            }
        }
        let opening: StoreOpening =
            if let damage { .replaced(setAside: try file.setAside(now), reason: damage) } else { .created }
        try file.create()
        let store = try LocationStore(file, in: directory)
        try directory.synchronize()
        return (store, opening)
    }

    /// Takes the lock, brings the tables up to date and makes sure that what is in them can be trusted.
    func prepare() throws(StoreError) {
        // The lock is kept from the first transaction on.
        try database.run("PRAGMA locking_mode = EXCLUSIVE")
        try database.run("PRAGMA journal_mode = TRUNCATE")
        try database.run("PRAGMA synchronous = FULL")
        // What is pruned is gone from the file, and nothing in a tampered file runs.
        try database.run("PRAGMA secure_delete = ON")
        try database.run("PRAGMA trusted_schema = OFF")
        try database.transaction { () throws(StoreError) in
            try checkApplication()
            try migrate()
        }
        try check()
    }

    /// Reads all of the file: its structure, and what decides about somebody value by value.
    private func check() throws(StoreError) {
        let report = try database.rows("PRAGMA integrity_check(1)") { row throws(StoreError) in try row.text(0) }
        guard report == ["ok"] else { throw damaged(report.joined(separator: "; ")) }
        _ = try decisions()
        _ = try disabledServices()
        _ = try history(limit: 1)
        try database.run("SELECT client, secret FROM reduction LIMIT 1")
        _ = try roughReleases()
    }

    func damaged(_ detail: String) -> StoreError {
        StoreError(code: .damaged, path: database.path, detail: detail)
    }
}
