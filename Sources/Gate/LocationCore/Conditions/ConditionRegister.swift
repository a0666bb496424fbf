import LocationConditions
import LocationPolicy
import LocationStore

/// The conditions of all clients and their states. Each location is compared with all conditions at once.
///
/// The conditions of clients that may have locations are in one ``ConditionSet``. Those of other clients keep their last states.
/// Only the register changes the state of a condition.
///
/// Confined to the event loop.
final class ConditionRegister {
    private var set: ConditionSet
    /// The condition of each place in the set: the number of its client, and its index there.
    private var owners: ContiguousArray<(client: Int32, index: Int32)> = []
    private var numbered: ContiguousArray<WatchingClient?> = []
    private var unused: [Int32] = []
    /// The number of conditions of all clients.
    private(set) var count = 0

    init(start: ContinuousClock.Instant) { set = ConditionSet(start: start) }

    /// Adds a client, which has nothing watched yet.
    func add(_ key: ClientKey) -> WatchingClient {
        let number = unused.popLast() ?? Int32(numbered.count)
        let new = WatchingClient(key: key, number: number)
        if number < numbered.count { numbered[Int(number)] = new } else { numbered.append(new) }
        return new
    }

    /// Removes a client without conditions.
    func remove(_ watching: WatchingClient) {
        numbered[Int(watching.number)] = nil
        unused.append(watching.number)
    }

    /// The last state of a condition.
    func report(_ index: Int, of watching: WatchingClient) -> ConditionReport {
        let entry = watching.table.entries[index]
        return ConditionReport(
            watching.table.name(index), state(index, of: watching), since: entry.date, isTold: entry.isTold)
    }

    private func state(_ index: Int, of watching: WatchingClient) -> ConditionState {
        watching.table.resting?[index].machine.state ?? set.state(watching.table.entries[index].id)
    }

    /// The shape of a condition.
    func shape(_ index: Int, of watching: WatchingClient) -> GeographicCondition {
        guard let resting = watching.table.resting else {
            guard let condition = set.condition(watching.table.entries[index].id) else {
                preconditionFailure("The conditions of an included client are in the set.")
            }
            return condition
        }
        return resting[index].condition
    }

    /// Adds a condition of a new name. Its index is the last one.
    func insert(_ condition: GeographicCondition, _ report: ConditionReport, of watching: WatchingClient) {
        count += 1
        let index = watching.table.count
        let id: ConditionID
        if watching.isIncluded {
            id = set.add(condition, assuming: report.state)
            own(id, index, watching)
        } else {
            id = .none
            watching.table.resting?.append((condition, ConditionMachine(state: report.state)))
        }
        watching.table.append(
            report.name, id, at: report.date, isTold: report.isTold, points: condition.pointCount)
    }

    /// Removes a condition. The last one takes its index.
    func remove(_ index: Int, of watching: WatchingClient) {
        count -= 1
        let points = shape(index, of: watching).pointCount
        let isIncluded = watching.isIncluded
        if isIncluded { set.remove(watching.table.entries[index].id) }
        watching.table.remove(at: index, points: points)
        if isIncluded, index < watching.table.count { own(watching.table.entries[index].id, index, watching) }
    }

    private func own(_ id: ConditionID, _ index: Int, _ watching: WatchingClient) {
        let owner = (client: watching.number, index: Int32(index))
        if Int(id.index) < owners.count {
            owners[Int(id.index)] = owner
        } else {
            // The set numbers them one after the other.
            owners.append(owner)
        }
    }

    /// Puts the conditions of a client into the set, with their last states.
    func include(_ watching: WatchingClient) {
        guard let resting = watching.table.resting else { return }
        watching.table.resting = nil
        for (index, (condition, machine)) in resting.enumerated() {
            let id = set.add(condition, machine)
            watching.table.setID(id, of: index)
            own(id, index, watching)
        }
    }

    /// Takes the conditions of a client out of the set. What they are deciding rests with them, as it would without a fix.
    func exclude(_ watching: WatchingClient) {
        guard watching.isIncluded else { return }
        var resting: ContiguousArray<(condition: GeographicCondition, machine: ConditionMachine)> = []
        resting.reserveCapacity(watching.table.count)
        for index in watching.table.entries.indices {
            let machine = set.machine(watching.table.entries[index].id) ?? ConditionMachine()
            resting.append((shape(index, of: watching), machine))
        }
        for entry in watching.table.entries { set.remove(entry.id) }
        watching.table.resting = resting
    }

    // MARK: Locations

    /// A change of some conditions of a client.
    typealias Change = (client: WatchingClient, indexes: [Int])

    /// Compares all conditions that do not rest with a location.
    func observe(_ fix: ConditionFix) -> [Change] { changes(set.observe(fix)) }

    /// True if the conditions' states have become unknown for lack of locations.
    func hasLostSource(at time: ContinuousClock.Instant) -> Bool { set.hasLostSource(at: time) }

    /// Makes unknown what may have changed since the last location.
    func loseSource(at time: ContinuousClock.Instant) -> [Change] { changes(set.loseSource(at: time)) }

    /// The distances from the last location to the nearest borders; `nil` if no condition is compared with locations.
    func nearestBorders() -> ConditionSet.NearestBorders? { set.count > 0 ? set.nearestBorders() : nil }

    /// True while the next location may decide a change.
    var isDeciding: Bool { self.set.isDeciding }

    private func changes(_ events: [ConditionEvent]) -> [Change] {
        var indexes: [Int32: [Int]] = [:]
        for event in events {
            let owner = owners[Int(event.id.index)]
            indexes[owner.client, default: []].append(Int(owner.index))
        }
        return indexes.compactMap { number, indexes in numbered[Int(number)].map { ($0, indexes) } }
    }
}
