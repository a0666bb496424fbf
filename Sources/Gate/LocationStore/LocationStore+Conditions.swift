import LocationConditions
import LocationModel
package import LocationPolicy
import SQLite

// Conditions
extension LocationStore {
    /// All conditions of all clients. Those that cannot be read are deleted.
    package func conditions() throws(StoreError) -> [StoredCondition] {
        var unreadable: [(key: ClientKey, name: ConditionName)] = []
        var conditions: [StoredCondition] = []
        try database.forEachRow(
            "SELECT user_id, client, monitor, identifier, shape, state, changed_at, is_told FROM condition"
        ) { row throws(StoreError) in
            let key = try row.clientKey(0)
            let name = ConditionName(try row.text(2), try row.text(3))
            guard let condition = GeographicCondition(text: try row.text(4)),
                let state = ConditionState(rawValue: UInt8(clamping: try row.integer(5, as: Int.self)))
            else { return unreadable.append((key, name)) }
            let report = ConditionReport(
                name, state, since: try row.timestamp(6), isTold: try row.integer(7, as: Int.self) != 0)
            conditions.append(StoredCondition(key, condition, report))
        }
        for (key, name) in unreadable { try deleteCondition(name, of: key) }
        return conditions
    }

    /// Stores a condition in place of the one with the same name.
    package func save(_ condition: StoredCondition) throws(StoreError) {
        let report = condition.report
        try database.run(
            "INSERT OR REPLACE INTO condition VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            condition.key.values + report.name.values + [.text(condition.condition.text)] + report.values)
    }

    /// Stores new states of a client's conditions. A condition that has been deleted meanwhile stays deleted.
    package func save(_ reports: [ConditionReport], of key: ClientKey) throws(StoreError) {
        for report in reports {
            try database.run(
                """
                UPDATE condition SET state = ?5, changed_at = ?6, is_told = ?7
                WHERE user_id = ?1 AND client = ?2 AND monitor = ?3 AND identifier = ?4
                """, key.values + report.name.values + report.values)
        }
    }

    /// Deletes a condition.
    package func deleteCondition(_ name: ConditionName, of key: ClientKey) throws(StoreError) {
        try database.run(
            "DELETE FROM condition WHERE user_id = ? AND client = ? AND monitor = ? AND identifier = ?",
            key.values + name.values)
    }

    /// Deletes the conditions and visits of a client.
    package func deleteWatched(by key: ClientKey) throws(StoreError) {
        try database.run("DELETE FROM condition WHERE user_id = ? AND client = ?", key.values)
        try setWatchesVisits(false, key)
    }
}

// Visits
extension LocationStore {
    /// The largest number of visits that are kept for a client that does not connect.
    package static let visitsPerClient = 200

    /// The clients that watch visits.
    package func visitWatchers() throws(StoreError) -> [ClientKey] {
        try database.rows("SELECT user_id, client FROM visit_watcher") { row throws(StoreError) in
            try row.clientKey(0)
        }
    }

    /// The visits of all clients, the oldest first.
    package func visits() throws(StoreError) -> [StoredVisit] {
        let rows: [StoredVisit?] = try database.rows(
            """
            SELECT user_id, client, arrived_at, departed_at, latitude, longitude, radius, is_told FROM visit
            ORDER BY arrived_at
            """
        ) { row throws(StoreError) in
            guard let latitude = try row.optionalReal(4), let longitude = try row.optionalReal(5),
                let radius = try row.optionalReal(6),
                let coordinate = Coordinate(latitude: latitude, longitude: longitude)
            else { return nil }
            let departure: Int64? = try row.optionalInteger(3)
            let visit = Visit(
                coordinate: coordinate, horizontalAccuracy: radius, arrivalDate: try row.timestamp(2),
                departureDate: departure.map { Timestamp(nanosecondsSince1970: $0) })
            return StoredVisit(try row.clientKey(0), visit, isTold: try row.integer(7, as: Int.self) != 0)
        }
        return rows.compactMap(\.self)
    }

    /// Begins or stops telling a client of visits. At the stop its visits are deleted.
    package func setWatchesVisits(_ isWatching: Bool, _ key: ClientKey) throws(StoreError) {
        if isWatching { return try database.run("INSERT OR IGNORE INTO visit_watcher VALUES (?, ?)", key.values) }
        try database.run("DELETE FROM visit_watcher WHERE user_id = ? AND client = ?", key.values)
        try database.run("DELETE FROM visit WHERE user_id = ? AND client = ?", key.values)
    }

    /// Stores a visit in place of the one with the same arrival; one that has ended and was told is deleted. Of too many,
    /// the oldest give way.
    package func save(_ visit: StoredVisit) throws(StoreError) {
        let (key, visit, isTold) = (visit.key, visit.visit, visit.isTold)
        let arrival = SQLValue(visit.arrivalDate.nanosecondsSince1970)
        guard visit.departureDate == nil || !isTold else {
            return try database.run(
                "DELETE FROM visit WHERE user_id = ? AND client = ? AND arrived_at = ?", key.values + [arrival])
        }
        // Unless the client has stopped meanwhile.
        try database.run(
            """
            INSERT OR REPLACE INTO visit SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8
            FROM visit_watcher WHERE user_id = ?1 AND client = ?2
            """,
            key.values + [
                arrival, SQLValue(optional: visit.departureDate?.nanosecondsSince1970),
                .real(visit.coordinate.latitude), .real(visit.coordinate.longitude), .real(visit.horizontalAccuracy),
                SQLValue(isTold ? 1 : 0),
            ])
        try database.run(
            """
            DELETE FROM visit WHERE user_id = ?1 AND client = ?2 AND arrived_at NOT IN (
                SELECT arrived_at FROM visit WHERE user_id = ?1 AND client = ?2 ORDER BY arrived_at DESC LIMIT ?3)
            """, key.values + [SQLValue(Self.visitsPerClient)])
    }
}

extension ClientKey {
    fileprivate var values: [SQLValue] { [SQLValue(userID), SQLValue(client)] }
}

extension ConditionName {
    fileprivate var values: [SQLValue] { [SQLValue(monitor), SQLValue(identifier)] }
}

extension ConditionReport {
    fileprivate var values: [SQLValue] {
        [SQLValue(Int(state.rawValue)), SQLValue(date.nanosecondsSince1970), SQLValue(isTold ? 1 : 0)]
    }
}
