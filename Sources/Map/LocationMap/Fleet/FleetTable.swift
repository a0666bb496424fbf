import FleetModel
import LocationModel
import MapModel

/// The vehicles that the pages of a map may show, each with a number, under which pages know it.
///
/// A number is used again after its vehicle was removed; ``Row/born`` distinguishes the two.
struct FleetTable {
    /// A vehicle on the map.
    struct Row {
        var vehicle: Vehicle
        /// The text by which the list is ordered.
        let label: String
        /// The text in which a search looks.
        let folded: String

        init(_ vehicle: Vehicle) {
            self.vehicle = vehicle
            label = vehicle.label
            folded = "\(label)\n\(vehicle.shownName ?? "")".lowercased()
        }
    }

    /// The part of a vehicle that decides when a page is sent it. It has no references, so that pages may look at thousands at a time.
    struct Mark {
        /// The place on the flat map.
        let point: MapPoint
        /// The revision in which it came, and that of its last change.
        let born, revision: Int
        let state: VehicleState
        /// The course for an arrow, in steps of 5°, 0 to 71; -1 if it is unknown or the vehicle stands.
        let direction: Int
        /// The first moment at which the vehicle may be in another state, or gone; `nil` if it remains as it is.
        let due: Timestamp?

        init(_ vehicle: Vehicle, at now: Timestamp, born: Int, revision: Int) {
            let location = vehicle.position.location
            let state = vehicle.state(at: now)
            (self.born, self.revision, self.state) = (born, revision, state)
            point = MapPoint(location.coordinate)
            direction = state == .moving ? location.course.map { Int(($0 / 5).rounded()) % 72 } ?? -1 : -1
            due = vehicle.nextChange(after: state)
        }
    }

    /// The rows and their marks by number; `nil` for a number that is free.
    private(set) var rows: [Row?] = []
    private(set) var marks: [Mark?] = []
    private(set) var revision = 0
    /// The numbers in the order of the vehicles' names.
    private(set) var order: [Int] = []
    private var numbers: [String: Int] = [:]
    private var free: [Int] = []
    private var isOrdered = true

    /// The numbers of vehicles in each state, in the order of `VehicleState.allCases`.
    var counts: [Int] {
        var counts = VehicleState.allCases.map { _ in 0 }
        for case let mark? in marks { counts[mark.state.number] += 1 }
        return counts
    }

    /// Takes vehicles by topic that have changed; `nil` for a removed one.
    mutating func update(_ changes: [(topic: String, vehicle: Vehicle?)], at now: Timestamp) {
        revision += 1
        for (topic, vehicle) in changes {
            if let vehicle { set(vehicle, at: now) } else { remove(topic) }
        }
        guard !isOrdered else { return }
        order = marks.indices.filter { marks[$0] != nil }.sorted { label($0) < label($1) }
        isOrdered = true
    }

    /// Takes in the time: vehicles become stale and offline, and shares end.
    mutating func advance(to now: Timestamp) {
        revision += 1
        for number in marks.indices {
            guard let mark = marks[number], let due = mark.due, due <= now, let vehicle = rows[number]?.vehicle else {
                continue
            }
            if vehicle.isOver(at: now) {
                remove(vehicle.topic)
            } else if vehicle.state(at: now) != mark.state {
                marks[number] = Mark(vehicle, at: now, born: mark.born, revision: revision)
            }
        }
        order.removeAll { marks[$0] == nil }
    }

    private mutating func set(_ vehicle: Vehicle, at now: Timestamp) {
        let number = numbers[vehicle.topic] ?? newNumber(for: vehicle.topic)
        // Pages that have it under another name are sent it as a new one.
        if let born = marks[number]?.born, rows[number]?.vehicle.givenName == vehicle.givenName {
            rows[number]?.vehicle = vehicle
            marks[number] = Mark(vehicle, at: now, born: born, revision: revision)
        } else {
            rows[number] = Row(vehicle)
            marks[number] = Mark(vehicle, at: now, born: revision, revision: revision)
        }
    }

    private mutating func newNumber(for topic: String) -> Int {
        if free.isEmpty {
            rows.append(nil)
            marks.append(nil)
        }
        let number = free.popLast() ?? rows.count - 1
        numbers[topic] = number
        isOrdered = false
        return number
    }

    private mutating func remove(_ topic: String) {
        guard let number = numbers.removeValue(forKey: topic) else { return }
        rows[number] = nil
        marks[number] = nil
        free.append(number)
        isOrdered = false
    }

    private func label(_ number: Int) -> String { rows[number]?.label ?? "" }
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
