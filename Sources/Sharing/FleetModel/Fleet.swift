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
        let topic: String
        var vehicle: Vehicle?
        /// The name of a card, which may come before the position.
        var givenName: String?
        /// The time of the last position before the share has ended.
        var ended: Timestamp?
        /// True from a change until ``Fleet/takeChanges(at:)``.
        var isChanged = false

        init(_ topic: String) { self.topic = topic }

        /// True if a position is newer than the known one: after the end of a share one from before it is not.
        func isOlder(than time: Timestamp) -> Bool {
            if let vehicle { return vehicle.position.location.timestamp <= time }
            return ended.map { $0 < time } ?? true
        }

        /// Takes a position. Returns true if nothing is known of where the vehicle was before.
        mutating func take(_ position: FleetPosition, isRetained: Bool, expires: Timestamp?, at now: Timestamp) -> Bool
        {
            let isFirst = vehicle?.isOver(at: now) ?? true
            if vehicle == nil {
                vehicle = Vehicle(topic: topic, position: position, isCopy: isRetained)
                vehicle?.givenName = givenName
            } else {
                // A share that has ended, and one that begins, do not cross a border between them.
                if isFirst {
                    vehicle?.inside = []
                    vehicle?.undecided = []
                }
                vehicle?.take(position, isRetained: isRetained)
            }
            vehicle?.expires = expires
            ended = nil
            return isFirst
        }
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
    private var entries: [Entry] = []
    /// The places of topics among the entries.
    private var places: [String: Int] = [:]
    /// The topics with changes, if they are taken.
    private var changed: [String] = []
    private let tracksChanges: Bool
    private var lastSearch: Timestamp?

    /// A fleet without vehicles.
    ///
    /// - Parameter tracksChanges: true for a fleet whose changes are taken with ``takeChanges(at:)``.
    package init(limit: Int = Self.usualLimit, tracksChanges: Bool = false) {
        (self.limit, self.tracksChanges) = (limit, tracksChanges)
    }

    /// The vehicles that show their position at a moment, by topic.
    package func vehicles(at now: Timestamp) -> [Vehicle] {
        entries.compactMap(\.vehicle).filter { !$0.isOver(at: now) }.sorted { $0.topic < $1.topic }
    }

    /// The vehicle with a topic; `nil` if none shows its position there.
    package func vehicle(_ topic: String, at now: Timestamp) -> Vehicle? {
        places[topic].flatMap { entries[$0].vehicle }.flatMap { $0.isOver(at: now) ? nil : $0 }
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
        for place in entries.indices {
            entries[place].vehicle?.forget(gone)
            _ = entries[place].vehicle?.enter(new, isFirst: true)
        }
    }

    /// Returns the alarms since the last call, the oldest first.
    package mutating func takeAlarms() -> [FleetAlarm] {
        defer { alarms = [] }
        return alarms
    }

    /// Returns the vehicles by topic that have changed since the last call; `nil` for one that shows its position no longer.
    package mutating func takeChanges(at now: Timestamp) -> [(topic: String, vehicle: Vehicle?)] {
        defer { changed.removeAll(keepingCapacity: true) }
        return changed.map { topic in
            guard let place = places[topic] else { return (topic, nil) }
            entries[place].isChanged = false
            return (topic, entries[place].vehicle.flatMap { $0.isOver(at: now) ? nil : $0 })
        }
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
            guard let place = places[topic], let vehicle = entries[place].vehicle else { return .none }
            (entries[place].vehicle, entries[place].ended) = (nil, vehicle.position.location.timestamp)
            note(place)
            return .removed(topic)
        case .connectionLost:
            guard let place = places[topic], entries[place].vehicle?.isConnectionLost == false else { return .none }
            entries[place].vehicle?.isConnectionLost = true
            note(place)
            return .changed(topic)
        case .name(let name):
            if places[topic] == nil, name == nil { return .none }
            let place = try place(for: topic, at: now)
            guard entries[place].givenName != name else { return .none }
            entries[place].givenName = name
            guard entries[place].vehicle != nil else { return .none }
            entries[place].vehicle?.givenName = name
            note(place)
            return .changed(topic)
        case .position(let position):
            let place = try place(for: topic, at: now)
            guard entries[place].isOlder(than: position.location.timestamp) else { return .none }
            let expires = expiry.map { now.advanced(by: .seconds(Int64($0))) }
            let isFirst = entries[place].take(position, isRetained: isRetained, expires: expires, at: now)
            if !areas.isEmpty {
                alarms += entries[place].vehicle?.enter(areas, isFirst: isFirst) ?? []
                // Nobody takes them.
                if alarms.count > FleetAlarm.mostKept { alarms.removeFirst(alarms.count - FleetAlarm.mostKept) }
            }
            note(place)
            return .changed(topic)
        }
    }

    /// Remembers a change.
    private mutating func note(_ place: Int) {
        guard tracksChanges, !entries[place].isChanged else { return }
        entries[place].isChanged = true
        changed.append(entries[place].topic)
    }

    /// The place of a topic, new or known. Without room, what shows no position is removed.
    private mutating func place(for topic: String, at now: Timestamp) throws(FleetMessageFlaw) -> Int {
        if let place = places[topic] { return place }
        if entries.count >= limit { try makeRoom(at: now) }
        places[topic] = entries.count
        entries.append(Entry(topic))
        return entries.count - 1
    }

    /// Removes what shows no position.
    private mutating func makeRoom(at now: Timestamp) throws(FleetMessageFlaw) {
        // A search looks at all of them, and whoever floods the broker could have one done for each message.
        let isDue = lastSearch.map { !(.zero..<Self.searchInterval).contains(now.duration(since: $0)) } ?? true
        guard isDue else { throw .tooManyVehicles }
        lastSearch = now
        entries.removeAll { $0.vehicle?.isOver(at: now) ?? true }
        places = Dictionary(uniqueKeysWithValues: zip(entries.lazy.map(\.topic), entries.indices))
        guard entries.count < limit else { throw .tooManyVehicles }
    }
}
