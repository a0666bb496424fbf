public import LocationModel
import LocationPolicy
import SQLite

/// The state of the database file when the store was opened.
public enum StoreOpening: Hashable, Sendable {
    /// The existing file was opened.
    case existing
    /// There was no file; a new one was created.
    case created
    /// The file was unusable. It was renamed, and another one was created, with `restrictions` denials, limits to reduced
    /// accuracy and switches that could still be read, and with location services off for the machine.
    case replaced(setAside: String, reason: String, restrictions: Int)
}

extension LocationStore {
    /// Opens the store in a directory, and creates the directory if its parent exists. `now` is used in the names of
    /// damaged files.
    ///
    /// A damaged file is set aside and replaced by another one, in which no client is authorized and location services
    /// are off until an administrator decides: otherwise clients with a preset, and those that were switched off, would get
    /// more than before. Denials and rules that can still be read are kept. Every other
    /// obstacle, such as another process's lock, missing permissions or a newer version, is an error and leaves the
    /// file unchanged.
    public static func open(
        directory: String, now: Timestamp
    ) throws(StoreError) -> (store: LocationStore, opening: StoreOpening) {
        let directory = try StoreDirectory(path: directory)
        let file = StoreFile(in: directory)
        let damage: String?
        switch try file.kind() {
        case .absent where try file.replacement.kind() == .file:
            // The replacement of a damaged file was interrupted after it had been set aside.
            try file.replacement.move(to: file)
            try directory.synchronize()
            return (try LocationStore(file, in: directory), .existing)
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
        let opening: StoreOpening
        if let damage {
            // Whole before the damaged file is set aside, so that no interruption leaves an empty one.
            let found = ReadableRestrictions(path: file.path)
            try writeDraft(of: file, in: directory) { store throws(StoreError) in
                try store.keep(found, damagedAt: now)
            }
            try file.draft.move(to: file.replacement)
            try directory.synchronize()
            opening = .replaced(setAside: try file.setAside(now), reason: damage, restrictions: found.count)
            try file.replacement.move(to: file)
        } else {
            // Whole before it is there, so that an interruption is not taken for damage.
            try writeDraft(of: file, in: directory) { (_) throws(StoreError) in }
            try file.draft.move(to: file)
            opening = .created
        }
        let store = try LocationStore(file, in: directory)
        try directory.synchronize()
        return (store, opening)
    }

    /// Writes a new file that has no place yet, and closes it.
    private static func writeDraft(
        of file: StoreFile, in directory: StoreDirectory, content: (LocationStore) throws(StoreError) -> Void
    ) throws(StoreError) {
        try file.draft.remove()
        try file.draft.create()
        try content(try LocationStore(file.draft, in: directory))
    }

    /// Writes what could be kept of a damaged file, and switches services off for the machine.
    private func keep(_ restrictions: ReadableRestrictions, damagedAt now: Timestamp) throws(StoreError) {
        try transaction { () throws(StoreError) in
            try setServiceEnabled(
                false, for: nil, origin: DecisionOrigin(userID: 0, manner: .damage, timestamp: now))
            for (key, record, origin) in restrictions.decisions { try save(record, for: key, origin: origin) }
            for (user, origin) in restrictions.switches { try setServiceEnabled(false, for: user, origin: origin) }
            for rule in restrictions.rules {
                try setRule(rule.list, number: rule.number, of: rule.user, by: rule.decider, at: rule.time)
            }
            for (user, place) in restrictions.places { try save(place, of: user) }
            for (user, secret) in restrictions.secrets { try zoneSecret(of: user, orElse: secret) }
        }
    }

    /// Locks the file, migrates it and verifies its content.
    func prepare() throws(StoreError) {
        // The lock is kept from the first transaction on.
        try database.run("PRAGMA locking_mode = EXCLUSIVE")
        try database.run("PRAGMA journal_mode = TRUNCATE")
        try database.run("PRAGMA synchronous = FULL")
        // Pruned data is erased from the file, and a tampered schema cannot run functions.
        try database.run("PRAGMA secure_delete = ON")
        try database.run("PRAGMA trusted_schema = OFF")
        // A row that replaces another one is tallied as a removed one and an added one.
        try database.run("PRAGMA recursive_triggers = ON")
        try database.transaction { () throws(StoreError) in
            try checkApplication()
            try migrate()
            try passOnClaims()
        }
        try check()
    }

    /// Verifies the whole file: its structure, and every value that decides about access.
    private func check() throws(StoreError) {
        let report = try database.rows("PRAGMA integrity_check(1)") { row throws(StoreError) in try row.text(0) }
        guard report == ["ok"] else { throw damaged(report.joined(separator: "; ")) }
        try checkDecisions()
        _ = try disabledServices()
        _ = try history(limit: 1)
        try database.run("SELECT client, secret FROM reduction LIMIT 1")
        _ = try reducedReleases()
        _ = try desktopLevels()
        _ = try quietClients()
        _ = try rules()
        _ = try pacedReleases()
        try checkTally()
    }

    func damaged(_ detail: String) -> StoreError {
        StoreError(code: .damaged, path: database.path, detail: detail)
    }
}
