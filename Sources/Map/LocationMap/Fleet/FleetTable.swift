import FleetModel
import LocationModel
import MapModel

/// The vehicles that the pages of a map may show, each with a number, under which pages know it.
///
/// A number is used again after its vehicle has gone; ``Row/born`` tells the two apart.
struct FleetTable {
    /// A vehicle on the map.
    struct Row {
        var vehicle: Vehicle
        var state: VehicleState
        /// The place on the flat map.
        var point: MapPoint
        /// The revision in which it came, and that of its last change.
        let born: Int
        var revision: Int
        /// What a search looks at.
        var folded: String

        /// The course for an arrow, in steps of 5°, 0 to 71; -1 if it is unknown or the vehicle stands.
        var direction: Int {
            guard state == .moving, let course = vehicle.position.location.course else { return -1 }
            return Int((course / 5).rounded()) % 72
        }
    }

    /// The rows by number; `nil` for a number that is free.
    private(set) var rows: [Row?] = []
    private(set) var revision = 0
    /// The numbers in the order of the vehicles' names.
    private(set) var order: [Int] = []
    private var numbers: [String: Int] = [:]
    private var free: [Int] = []
    private var isOrdered = true

    /// The numbers of vehicles in each state, in the order of `VehicleState.allCases`.
    var counts: [Int] {
        var counts = VehicleState.allCases.map { _ in 0 }
        for case let row? in rows { counts[row.state.number] += 1 }
        return counts
    }

    /// Takes vehicles by topic that have changed; `nil` for one that has gone.
    mutating func update(_ changes: [(topic: String, vehicle: Vehicle?)], at now: Timestamp) {
        revision += 1
        for (topic, vehicle) in changes {
            if let vehicle { set(vehicle, at: now) } else { remove(topic) }
        }
        guard !isOrdered else { return }
        order = rows.indices.filter { rows[$0] != nil }.sorted { label($0) < label($1) }
        isOrdered = true
    }

    /// Takes in the time: vehicles become stale and offline, and shares end.
    mutating func advance(to now: Timestamp) {
        revision += 1
        for number in rows.indices {
            guard let row = rows[number] else { continue }
            if row.vehicle.isOver(at: now) {
                remove(row.vehicle.topic)
                continue
            }
            let state = row.vehicle.state(at: now)
            guard state != row.state else { continue }
            rows[number]?.state = state
            rows[number]?.revision = revision
        }
        order.removeAll { rows[$0] == nil }
    }

    private mutating func set(_ vehicle: Vehicle, at now: Timestamp) {
        let number = numbers[vehicle.topic] ?? newNumber(for: vehicle.topic)
        let before = rows[number]
        let isNamed = before?.vehicle.givenName == vehicle.givenName
        rows[number] = Row(
            vehicle: vehicle, state: vehicle.state(at: now), point: MapPoint(vehicle.position.location.coordinate),
            born: isNamed ? before?.born ?? revision : revision, revision: revision,
            folded: isNamed && before != nil
                ? before?.folded ?? "" : "\(vehicle.label)\n\(vehicle.shownName ?? "")".lowercased())
    }

    private mutating func newNumber(for topic: String) -> Int {
        if free.isEmpty { rows.append(nil) }
        let number = free.popLast() ?? rows.count - 1
        numbers[topic] = number
        isOrdered = false
        return number
    }

    private mutating func remove(_ topic: String) {
        guard let number = numbers.removeValue(forKey: topic) else { return }
        rows[number] = nil
        free.append(number)
        isOrdered = false
    }

    private func label(_ number: Int) -> String { rows[number]?.vehicle.label ?? "" }
}

extension VehicleState {
    /// The number under which pages know it.
    var number: Int {
        switch self {
        case .moving: 0
        case .stopped: 1
        case .stale: 2
        case .offline: 3
        }
    }
}
