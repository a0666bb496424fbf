public import LocationModel
public import LocationPolicy
import SQLite

/// The rules and places of one user, as they are kept.
public struct KeptRules: Hashable, Sendable {
    /// The rules as property lists, by number.
    public var lists: [Int: String] = [:]
    /// The places by name.
    public var places: [String: NamedPlace] = [:]
    /// The number of the last rule; numbers are not used again.
    public var lastNumber = 0
    /// The secret of the places' zones; `nil` before the first place, and if it was lost.
    public var secret: AccuracyReduction.Secret?

    /// The list of a rule that was damaged on disk. It is no property list, and who reads it takes it for a denial.
    static let damagedRule = "damaged"
}

// Rules and places of users
extension LocationStore {
    /// The rules and places by user; users without any are absent.
    public func rules() throws(StoreError) -> [UInt32: KeptRules] {
        var users: [UInt32: KeptRules] = [:]
        try database.forEachRow("SELECT user_id, number, list, decided_by, decided_at, digest FROM rule") {
            row throws(StoreError) in
            let rule = try row.rule
            users[rule.user, default: KeptRules()].lists[rule.number] = rule.list
        }
        try database.forEachRow("SELECT user_id, last FROM rule_number") { row throws(StoreError) in
            users[try row.integer(0, as: UInt32.self), default: KeptRules()].lastNumber = try row.integer(1)
        }
        try database.forEachRow("SELECT user_id, name, latitude, longitude, radius, digest FROM place") {
            row throws(StoreError) in
            let (user, place) = try row.place
            users[user, default: KeptRules()].places[place.name] = place
        }
        try database.forEachRow("SELECT user_id, secret FROM zone_secret") { row throws(StoreError) in
            users[try row.integer(0, as: UInt32.self), default: KeptRules()].secret = try row.secret(1)
        }
        // A lost number must not let another rule take the number of one that a command may still name.
        for (user, kept) in users {
            users[user]?.lastNumber = max(kept.lastNumber, kept.lists.keys.max() ?? 0)
        }
        return users
    }

    /// Stores a rule of a user in place of another one with its number; an empty list removes it. Its number is not used
    /// again.
    public func setRule(
        _ list: String, number: Int, of user: UInt32, by decider: UInt32, at time: Timestamp
    ) throws(StoreError) {
        guard !list.isEmpty else {
            return try database.run(
                "DELETE FROM rule WHERE user_id = ? AND number = ?", [SQLValue(user), SQLValue(number)])
        }
        let values = [
            SQLValue(user), SQLValue(number), SQLValue(list), SQLValue(decider), SQLValue(time.nanosecondsSince1970),
        ]
        try database.run("INSERT OR REPLACE INTO rule VALUES (?, ?, ?, ?, ?, ?)", values + [values.digest])
        try database.run(
            "INSERT INTO rule_number VALUES (?, ?) ON CONFLICT DO UPDATE SET last = max(last, excluded.last)",
            [SQLValue(user), SQLValue(number)])
    }

    /// Stores a place of a user in place of another one of its name.
    public func save(_ place: NamedPlace, of user: UInt32) throws(StoreError) {
        let values = [
            SQLValue(user), SQLValue(place.name), .real(place.center.latitude), .real(place.center.longitude),
            .real(place.radius),
        ]
        try database.run("INSERT OR REPLACE INTO place VALUES (?, ?, ?, ?, ?, ?)", values + [values.digest])
    }

    /// Removes a place of a user. The secret of the zones stays.
    public func removePlace(_ name: String, of user: UInt32) throws(StoreError) {
        try database.run("DELETE FROM place WHERE user_id = ? AND name = ?", [SQLValue(user), SQLValue(name)])
    }

    /// The secret of a user's zones, created on first use. It outlives the places: with another one, another border would
    /// be drawn around the same home.
    ///
    /// - Parameter known: the secret to store if there is none.
    @discardableResult
    public func zoneSecret(
        of user: UInt32, orElse known: AccuracyReduction.Secret? = nil
    ) throws(StoreError) -> AccuracyReduction.Secret {
        let kept = try database.rows("SELECT secret FROM zone_secret WHERE user_id = ?", [SQLValue(user)]) {
            row throws(StoreError) in try row.secret(0)
        }
        if let secret = kept.first { return secret }
        var generator = SystemRandomNumberGenerator()
        let secret = known ?? AccuracyReduction.Secret(using: &generator)
        try database.run("INSERT INTO zone_secret VALUES (?, ?)", [SQLValue(user), .blob(secret.bytes)])
        return secret
    }

    /// Sets the secret of a user's zones in place of another one, which would draw another border around the same home.
    public func setZoneSecret(_ secret: AccuracyReduction.Secret, of user: UInt32) throws(StoreError) {
        try database.run("INSERT OR REPLACE INTO zone_secret VALUES (?, ?)", [SQLValue(user), .blob(secret.bytes)])
    }

    /// The wall-clock time of the last location of each client that a rule with a long interval limits.
    public func pacedReleases() throws(StoreError) -> [ClientKey: Timestamp] {
        let rows = try database.rows("SELECT user_id, client, released_at FROM paced_release") {
            row throws(StoreError) in (try row.clientKey(0), try row.timestamp(2))
        }
        return Dictionary(rows, uniquingKeysWith: max)
    }

    /// Records that a location was released to a client that a rule with a long interval limits.
    public func savePacedRelease(to key: ClientKey, at time: Timestamp) throws(StoreError) {
        try database.run(
            "INSERT OR REPLACE INTO paced_release VALUES (?, ?, ?)",
            [SQLValue(key.userID), SQLValue(key.client), SQLValue(time.nanosecondsSince1970)])
    }
}

extension SQLRow {
    /// A row of `rule`.
    var rule: (user: UInt32, number: Int, list: String, decider: UInt32, time: Timestamp) {
        get throws(StoreError) {
            try checkDigest()
            return (try integer(0), try integer(1), try text(2), try integer(3), try timestamp(4))
        }
    }

    /// A row of `place`.
    var place: (user: UInt32, place: NamedPlace) {
        get throws(StoreError) {
            try checkDigest()
            guard let center = Coordinate(latitude: try real(2), longitude: try real(3)),
                let place = NamedPlace(name: try text(1), center: center, radius: try real(4))
            else { throw unexpected(2) }
            return (try integer(0), place)
        }
    }

    func secret(_ column: Int32) throws(StoreError) -> AccuracyReduction.Secret {
        guard let secret = AccuracyReduction.Secret(bytes: try blob(column)) else { throw unexpected(column) }
        return secret
    }
}
