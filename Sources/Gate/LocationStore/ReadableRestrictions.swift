import LocationModel
import LocationPolicy
import SQLite

/// The restrictions that can still be read from a damaged file: denials, limits to reduced accuracy, services that are off,
/// and rules with what they need.
struct ReadableRestrictions {
    private(set) var decisions: [(ClientKey, AuthorizationRecord, DecisionOrigin)] = []
    /// The users for whom services were off. They are off for the machine in any case.
    private(set) var switches: [(user: UInt32, origin: DecisionOrigin)] = []

    /// The rules of users. The list of one that is not whole any more says so (``KeptRules/damagedRule``).
    private(set) var rules: [(user: UInt32, number: Int, list: String, decider: UInt32, time: Timestamp)] = []
    private(set) var places: [(user: UInt32, place: NamedPlace)] = []
    private(set) var secrets: [(user: UInt32, secret: AccuracyReduction.Secret)] = []

    /// The number of all.
    var count: Int { decisions.count + switches.count + rules.count }

    /// Reads the file at `path` as far as that is possible. Does not change it.
    init(path: String) {
        // Without its journal, which may be part of the damage: a restriction that was to be undone counts, too.
        let limits = ForeignFileLimits(length: 1_000_000, queryTime: .seconds(10))
        // Every error is expected here; the rows before it count.
        guard let database = try? SQLDatabase(foreignFile: path, limits: limits) else { return }
        try? database.forEachRow(LocationStore.decisionRows) { (row) throws(StoreError) in
            guard let (key, record, origin) = try? row.decision else { return }
            let restrictions = record.restrictions
            if restrictions != AuthorizationRecord() { decisions.append((key, restrictions, origin)) }
        }
        try? database.forEachRow(
            "SELECT user_id, switched_by, manner, switched_at, digest FROM disabled_service"
        ) { (row) throws(StoreError) in
            if case (let user?, let origin)? = try? row.serviceSwitch { switches.append((user, origin)) }
        }
        try? database.forEachRow("SELECT user_id, number, list, decided_by, decided_at, digest FROM rule") {
            (row) throws(StoreError) in
            if let rule = try? row.rule {
                rules.append(rule)
            } else if let user = try? row.integer(0, as: UInt32.self), let number = try? row.integer(1, as: Int.self) {
                rules.append((user, number, KeptRules.damagedRule, 0, Timestamp(nanosecondsSince1970: 0)))
            }
        }
        try? database.forEachRow("SELECT user_id, name, latitude, longitude, radius, digest FROM place") {
            (row) throws(StoreError) in
            if let place = try? row.place { places.append(place) }
        }
        try? database.forEachRow("SELECT user_id, secret FROM zone_secret") { (row) throws(StoreError) in
            if let user = try? row.integer(0, as: UInt32.self), let secret = try? row.secret(1) {
                secrets.append((user, secret))
            }
        }
    }
}
