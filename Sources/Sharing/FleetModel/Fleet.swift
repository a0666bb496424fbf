package import LocationModel

/// The vehicles at a broker, by their messages.
///
/// The messages may come in any order, twice, or from whoever may publish there: an older position never replaces a newer one, a vehicle
/// whose share has ended does not come back with a position from before, and at most ``limit`` vehicles are kept. What is beyond that is
/// left out until another vehicle's share ends; those that are kept go on.
package struct Fleet: Sendable {
    /// The greatest number of vehicles by default.
    package static let usualLimit = 20_000
    /// The time between two searches for shares that have ended, while there is no room.
    private static let searchInterval = Duration.seconds(60)

    /// What is known of a topic. Without a position it takes up room as well.
    private struct Entry: Sendable {
        var vehicle: Vehicle?
        /// The name of a card, which may come before the position.
        var givenName: String?
        /// The time of the last position before the share has ended.
        var ended: Timestamp?
    }

    /// What followed from a message.
    package enum Change: Hashable, Sendable {
        /// A vehicle with this topic has a newer position, another name, or has lost its connection.
        case changed(String)
        /// A vehicle with this topic no longer shows its position.
        case removed(String)
        /// Nothing that is shown has changed.
        case none
    }

    /// The greatest number of vehicles.
    package let limit: Int
    /// The numbers of messages that were not used, by reason.
    package private(set) var flaws: [FleetMessageFlaw: Int] = [:]
    /// The areas whose borders raise alarms.
    package private(set) var areas: [FleetArea] = []
    private var alarms: [FleetAlarm] = []
    private var entries: [String: Entry] = [:]
    private var lastSearch: Timestamp?

    /// A fleet without vehicles.
    package init(limit: Int = Self.usualLimit) { self.limit = limit }

    /// The vehicles that show their position at a moment, by topic.
    package func vehicles(at now: Timestamp) -> [Vehicle] {
        entries.values.compactMap(\.vehicle).filter { !$0.isOver(at: now) }.sorted { $0.topic < $1.topic }
    }

    /// The vehicle with a topic; `nil` if none shows its position there.
    package func vehicle(_ topic: String, at now: Timestamp) -> Vehicle? {
        entries[topic]?.vehicle.flatMap { $0.isOver(at: now) ? nil : $0 }
    }

    /// The vehicles that a name may mean: those with the topic, or the user and device; otherwise with the device; otherwise with the
    /// name that they give themselves, in whatever case, so that no vehicle takes the place of another by its name.
    package func vehicles(named name: String, at now: Timestamp) -> [Vehicle] {
        let all = vehicles(at: now)
        let rules: [(Vehicle) -> Bool] = [
            { $0.topic == name || $0.label == name },
            { $0.label.split(separator: "/").last.map(String.init) == name },
            { $0.shownName?.lowercased() == name.lowercased() },
        ]
        return rules.lazy.map { all.filter($0) }.first { !$0.isEmpty } ?? []
    }

    /// Takes other areas. Vehicles that are in a new or changed one raise no alarm.
    package mutating func setAreas(_ areas: [FleetArea]) {
        let new = areas.filter { !self.areas.contains($0) }
        let gone = Set(self.areas.filter { !areas.contains($0) }.map(\.id))
        self.areas = areas
        guard !new.isEmpty || !gone.isEmpty else { return }
        for topic in entries.keys {
            entries[topic]?.vehicle?.forget(gone)
            _ = entries[topic]?.vehicle?.enter(new, isFirst: true)
        }
    }

    /// Returns the alarms since the last call, the oldest first.
    package mutating func takeAlarms() -> [FleetAlarm] {
        defer { alarms = [] }
        return alarms
    }

    /// Takes a message.
    ///
    /// - Parameters:
    ///   - isRetained: true if the broker kept it.
    ///   - expiry: the seconds after which the broker drops it; `nil` if it keeps it.
    ///   - now: the time of its arrival.
    @discardableResult
    package mutating func take(
        _ payload: [UInt8], topic: String, isRetained: Bool, expiry: UInt32? = nil, at now: Timestamp
    ) -> Change {
        do throws(FleetMessageFlaw) {
            guard let topic = FleetTopic(topic) else { throw .foreignTopic }
            let message = try FleetMessage(payload, of: topic, isRetained: isRetained, at: now)
            return try take(message, of: topic.vehicle, isRetained, expiry, at: now)
        } catch {
            flaws[error, default: 0] += 1
            return .none
        }
    }

    private mutating func take(
        _ message: FleetMessage, of topic: String, _ isRetained: Bool, _ expiry: UInt32?, at now: Timestamp
    ) throws(FleetMessageFlaw) -> Change {
        switch message {
        case .other: return .none
        case .ended:
            guard let vehicle = entries[topic]?.vehicle else { return .none }
            entries[topic] = Entry(
                givenName: vehicle.givenName, ended: vehicle.position.location.timestamp)
            return .removed(topic)
        case .connectionLost:
            guard entries[topic]?.vehicle?.isConnectionLost == false else { return .none }
            entries[topic]?.vehicle?.isConnectionLost = true
            return .changed(topic)
        case .name(let name):
            if entries[topic] == nil, name == nil { return .none }
            try makeRoom(for: topic, at: now)
            guard entries[topic, default: Entry()].givenName != name else { return .none }
            entries[topic, default: Entry()].givenName = name
            entries[topic]?.vehicle?.givenName = name
            return entries[topic]?.vehicle == nil ? .none : .changed(topic)
        case .position(let position):
            let last = entries[topic]?.vehicle?.position.location.timestamp ?? entries[topic]?.ended
            let hasEnded = entries[topic]?.vehicle == nil && last != nil
            if let last, position.location.timestamp < last || hasEnded && position.location.timestamp == last {
                return .none
            }
            try makeRoom(for: topic, at: now)
            var entry = entries[topic] ?? Entry()
            // A share that has ended, and one that begins, do not cross a border between them.
            let isFirst = entry.vehicle?.isOver(at: now) ?? true
            if isFirst { entry.vehicle?.forget(Set(areas.map(\.id))) }
            entry.vehicle?.take(position, isRetained: isRetained)
            var vehicle = entry.vehicle ?? Vehicle(topic: topic, position: position, isCopy: isRetained)
            vehicle.givenName = entry.givenName
            vehicle.expires = expiry.map { now.advanced(by: .seconds(Int64($0))) }
            if !areas.isEmpty {
                alarms += vehicle.enter(areas, isFirst: isFirst)
                // Nobody takes them.
                if alarms.count > FleetAlarm.mostKept { alarms.removeFirst(alarms.count - FleetAlarm.mostKept) }
            }
            (entry.vehicle, entry.ended) = (vehicle, nil)
            entries[topic] = entry
            return .changed(topic)
        }
    }

    /// Removes what shows no position, if there is no room for another topic.
    private mutating func makeRoom(for topic: String, at now: Timestamp) throws(FleetMessageFlaw) {
        guard entries[topic] == nil, entries.count >= limit else { return }
        // A search looks at all of them, and whoever floods the broker could have one done for each message.
        let isDue = lastSearch.map { !(.zero..<Self.searchInterval).contains(now.duration(since: $0)) } ?? true
        guard isDue else { throw .tooManyVehicles }
        lastSearch = now
        entries = entries.filter { $0.value.vehicle.map { !$0.isOver(at: now) } ?? false }
        guard entries.count < limit else { throw .tooManyVehicles }
    }
}
