import LocationConditions
import LocationModel
import LocationStore

/// The conditions of one client by name, with the last reports. Compact, because there may be 100,000.
struct ConditionTable {
    /// A condition.
    struct Entry {
        var identifier: String
        /// The time of the last change of the state, or of the addition.
        var date: Timestamp
        /// Its place in the ``ConditionSet``; meaningless while the client has no access.
        var id: ConditionID
        fileprivate var monitor: UInt16
        /// True once its state was reported to the program.
        fileprivate(set) var isTold: Bool
        /// The number of its last change, from 1; 0 before the first.
        fileprivate var change: UInt64 = 0
    }

    /// The conditions of a monitor.
    private struct Monitor {
        var name: String
        var indexes: [String: Int32] = [:]
        /// The changes that streams may have to send, once for all streams and in order. Only the last one of each
        /// condition counts; the others are removed when there are many.
        var changes: ContiguousArray<(number: UInt64, index: Int32)> = []
    }

    private(set) var entries: ContiguousArray<Entry> = []
    /// The shapes and states while they are not in the set, in the order of `entries`; `nil` while they are.
    var resting: ContiguousArray<(condition: GeographicCondition, machine: ConditionMachine)>? = []
    /// The number of points of all polygons.
    private(set) var pointCount = 0
    /// The number of the last change.
    private(set) var lastChange: UInt64 = 0
    private var monitors: [Monitor] = []
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

    /// The number of changes that are kept for streams.
    var changeCount: Int { monitors.reduce(0) { $0 + $1.changes.count } }

    /// The next change of a monitor's conditions after the one with a number, passing over those that another one of the same
    /// condition has followed.
    func change(of monitor: String, after number: UInt64) -> (number: UInt64, index: Int)? {
        guard let changes = numbers[monitor].map({ monitors[Int($0)].changes }) else { return nil }
        let rest = changes[changes.firstIndex(after: number)...]
        return rest.first(where: isLast).map { ($0.number, Int($0.index)) }
    }

    /// True if it is the last change of its condition, which is still there.
    private func isLast(_ change: (number: UInt64, index: Int32)) -> Bool {
        Int(change.index) < entries.count && entries[Int(change.index)].change == change.number
    }

    /// Adds a condition of a new name. Its index is the last one.
    mutating func append(_ name: ConditionName, _ id: ConditionID, at date: Timestamp, isTold: Bool, points: Int) {
        let number = numbers[name.monitor] ?? addMonitor(name.monitor)
        monitors[Int(number)].indexes[name.identifier] = Int32(entries.count)
        entries.append(Entry(identifier: name.identifier, date: date, id: id, monitor: number, isTold: isTold))
        pointCount += points
        if !isTold { addChange(of: entries.count - 1) }
    }

    /// Removes a condition. The last one takes its index.
    mutating func remove(at index: Int, points: Int) {
        pointCount -= points
        let entry = entries[index]
        let number = Int(entry.monitor)
        monitors[number].indexes[entry.identifier] = nil
        if monitors[number].indexes.isEmpty {
            numbers[monitors[number].name] = nil
            monitors[number] = Monitor(name: "")
            unused.append(entry.monitor)
        }
        let last = entries.removeLast()
        let lastResting = resting?.removeLast()
        guard index < entries.count else { return }
        entries[index] = last
        if let lastResting { resting?[index] = lastResting }
        monitors[Int(last.monitor)].indexes[last.identifier] = Int32(index)
        let changes = monitors[Int(last.monitor)].changes
        if last.change > 0 {
            let position = changes.firstIndex(after: last.change - 1)
            if position < changes.count { monitors[Int(last.monitor)].changes[position].index = Int32(index) }
        }
    }

    /// Notes a change of a condition's state, which has to be reported to the program.
    mutating func noteChange(of index: Int, at date: Timestamp) {
        (entries[index].date, entries[index].isTold) = (date, false)
        addChange(of: index)
    }

    /// Notes that a condition's state was reported to the program.
    mutating func noteTold(_ index: Int) { entries[index].isTold = true }

    private mutating func addChange(of index: Int) {
        lastChange += 1
        entries[index].change = lastChange
        let number = Int(entries[index].monitor)
        monitors[number].changes.append((lastChange, Int32(index)))
        guard monitors[number].changes.count > 2 * monitors[number].indexes.count + 8 else { return }
        monitors[number].changes = monitors[number].changes.filter(isLast)
    }

    /// Notes the place of a condition in the set.
    mutating func setID(_ id: ConditionID, of index: Int) { entries[index].id = id }

    private mutating func addMonitor(_ name: String) -> UInt16 {
        let number: UInt16
        if let free = unused.popLast() {
            number = free
            monitors[Int(free)] = Monitor(name: name)
        } else {
            number = UInt16(monitors.count)
            monitors.append(Monitor(name: name))
        }
        numbers[name] = number
        return number
    }
}

extension ContiguousArray<(number: UInt64, index: Int32)> {
    /// The index of the first change with a larger number; the end if there is none.
    fileprivate func firstIndex(after number: UInt64) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].number > number { high = middle } else { low = middle + 1 }
        }
        return low
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
