import LocationPolicy
import SQLite

/// The restrictions that can still be read from a damaged file: denials, limits to reduced accuracy, and services that
/// are off.
struct ReadableRestrictions {
    private(set) var decisions: [(ClientKey, AuthorizationRecord, DecisionOrigin)] = []
    /// The users for whom services were off. They are off for the machine in any case.
    private(set) var switches: [(user: UInt32, origin: DecisionOrigin)] = []

    /// The number of all.
    var count: Int { decisions.count + switches.count }

    /// Reads the file at `path` as far as that is possible. Does not change it.
    init(path: String) {
        // Without its journal, which may be part of the damage: a restriction that was to be undone counts, too.
        let limits = ForeignFileLimits(length: 1_000_000, queryTime: .seconds(10))
        // Every error is expected here; what was read before it counts.
        guard let database = try? SQLDatabase(foreignFile: path, limits: limits) else { return }
        try? database.forEachRow(
            """
            SELECT user_id, client, permission, upgrade_prompt_used, accuracy, decided_by, manner, decided_at, digest
            FROM decision
            """
        ) { (row) throws(StoreError) in
            guard let (key, record, origin) = try? row.decision else { return }
            let restrictions = record.restrictions
            if restrictions != AuthorizationRecord() { decisions.append((key, restrictions, origin)) }
        }
        try? database.forEachRow(
            "SELECT user_id, switched_by, manner, switched_at, digest FROM disabled_service"
        ) { (row) throws(StoreError) in
            if let off = try? row.serviceSwitch, let user = off.user { switches.append((user, off.origin)) }
        }
    }
}
