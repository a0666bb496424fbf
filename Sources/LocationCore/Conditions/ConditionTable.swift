import LocationConditions
import LocationModel
import LocationStore

/// The conditions of one client by name, with what was reported of each. Compact, because there may be 100,000.
struct ConditionTable {
    /// A condition.
    struct Entry {
        var identifier: String
        /// The time of the last change of the state, or of the addition.
        var date: Timestamp
        /// Its place in the ``ConditionSet``; meaningless while the client has no access.
        var id: ConditionID
        fileprivate var monitor: UInt16
        /// True once the program was told of its state.
        var isTold: Bool
    }

    private(set) var entries: ContiguousArray<Entry> = []
    /// The shapes and states while they are not in the set, in the order of `entries`; `nil` while they are.
    var resting: ContiguousArray<(condition: GeographicCondition, state: ConditionState)>? = []
    /// The number of points of all polygons.
    private(set) var pointCount = 0
    private var monitors: [(name: String, indexes: [String: Int32])] = []
    private var numbers: [String: UInt16] = [:]
    private var unused: [UInt16] = []

    var count: Int { entries.count }
    var isEmpty: Bool { entries.isEmpty }

    /// The index of a condition.
    func index(_ name: ConditionName) -> Int? {
        guard let number = numbers[name.monitor] else { return nil }
        return monitors[Int(number)].indexes[name.identifier].map { Int($0) }
    }

    /// The name of a condition.
    func name(_ index: Int) -> ConditionName {
        ConditionName(monitors[Int(entries[index].monitor)].name, entries[index].identifier)
    }

    /// The indexes of a monitor's conditions.
    func indexes(of monitor: String) -> [Int] {
        numbers[monitor].map { monitors[Int($0)].indexes.values.map { Int($0) } } ?? []
    }

    /// Adds a condition of a new name. Its index is the last one.
    mutating func append(_ name: ConditionName, _ id: ConditionID, at date: Timestamp, isTold: Bool, points: Int) {
        let number = numbers[name.monitor] ?? addMonitor(name.monitor)
        monitors[Int(number)].indexes[name.identifier] = Int32(entries.count)
        entries.append(Entry(identifier: name.identifier, date: date, id: id, monitor: number, isTold: isTold))
        pointCount += points
    }

    /// Removes a condition. The last one takes its index.
    mutating func remove(at index: Int, points: Int) {
        pointCount -= points
        let entry = entries[index]
        let number = Int(entry.monitor)
        monitors[number].indexes[entry.identifier] = nil
        if monitors[number].indexes.isEmpty {
            numbers[monitors[number].name] = nil
            monitors[number] = ("", [:])
            unused.append(entry.monitor)
        }
        let last = entries.removeLast()
        let lastResting = resting?.removeLast()
        guard index < entries.count else { return }
        entries[index] = last
        if let lastResting { resting?[index] = lastResting }
        monitors[Int(last.monitor)].indexes[last.identifier] = Int32(index)
    }

    /// Notes a change of a condition's state.
    mutating func setState(of index: Int, since date: Timestamp, isTold: Bool) {
        (entries[index].date, entries[index].isTold) = (date, isTold)
    }

    /// Notes the place of a condition in the set.
    mutating func setID(_ id: ConditionID, of index: Int) { entries[index].id = id }

    private mutating func addMonitor(_ name: String) -> UInt16 {
        let number: UInt16
        if let free = unused.popLast() {
            number = free
            monitors[Int(free)] = (name, [:])
        } else {
            number = UInt16(monitors.count)
            monitors.append((name, [:]))
        }
        numbers[name] = number
        return number
    }
}

extension GeographicCondition {
    /// The number of points of a polygon.
    var pointCount: Int {
        switch self {
        case .circle: 0
        case .polygon(let polygon): polygon.pointCount
        }
    }
}
