package import LocationModel

/// A fix as conditions use it.
package struct ConditionFix: Hashable, Sendable {
    /// The position.
    package var coordinate: Coordinate
    /// The radius in metres that contains the true position with 68 % probability, 0 or more.
    package var accuracy: Double
    /// The monotonic time, which continues in suspend.
    package var time: ContinuousClock.Instant

    /// A fix.
    package init(coordinate: Coordinate, accuracy: Double, time: ContinuousClock.Instant) {
        self.coordinate = coordinate
        self.accuracy = accuracy
        self.time = time
    }

    /// The radius in metres beyond which a position is certainly not the true one.
    var doubt: Double { ConditionMachine.doubt * accuracy }
}

/// A condition in a ``ConditionSet``. The identifiers of removed conditions are used again.
package struct ConditionID: Hashable, Sendable {
    /// Its number, from 0.
    package let index: Int32

    /// The identifier of no condition.
    package static let none = ConditionID(index: -1)
}

/// A change of a condition's state.
package struct ConditionEvent: Hashable, Sendable {
    /// The condition.
    package var id: ConditionID
    /// Its new state.
    package var state: ConditionState
}

/// All conditions of all clients with their states. The cost of a fix does not depend on those far away.
///
/// At an *anchor* position the nearest borders are listed by their distances. As long as the fixes stay closer to the
/// anchor than the first border that is not in the list, no other condition can change; and of those in the list, only
/// the ones whose border is closer to the anchor than the fix. The rest are the *watched* ones, which every fix is compared
/// with: their state is not the side on which the fix is, or has changed since the anchor was set.
package struct ConditionSet: Sendable {
    /// The time without a fix after which conditions become unknown.
    package static let unknownAfter = Duration.seconds(30 * 60)
    /// The speed at which a border is assumed to be reached meanwhile, in m/s.
    static let speedWhileLost = 40.0
    /// The number of borders that an anchor lists, more if more are within `nearestReach` metres.
    static let listCount = 48
    static let nearestReach = 50.0

    private struct Slot: Sendable {
        var condition: GeographicCondition?
        var machine: ConditionMachine
        var isWatched = false
    }

    private struct Anchor: Sendable {
        var point: UnitVector
        /// The distance in metres that fixes may have from `point` before the list has to be made again.
        var reach: Double
        /// The number of watched conditions above which another anchor is worth its cost.
        var watchLimit: Int
        /// Conditions by lower bounds of their borders' distances in metres, from near to far.
        var borders: [(slot: Int32, distance: Double)]
    }

    private let start: ContinuousClock.Instant
    private var slots: [Slot] = []
    private var free: [Int32] = []
    private var forest = BorderForest()
    private var watched: [Int32] = []
    private var anchor: Anchor?
    private var last: ConditionFix?

    /// A set without conditions.
    ///
    /// - Parameter start: A time not after that of the first fix.
    package init(start: ContinuousClock.Instant) { self.start = start }

    /// The number of conditions.
    package private(set) var count = 0

    /// Adds a condition whose last reported state is `state`. It is determined by the next fixes.
    package mutating func add(
        _ condition: GeographicCondition, assuming state: ConditionState = .unknown
    ) -> ConditionID {
        add(condition, ConditionMachine(state: state))
    }

    /// Adds a condition with the machine of its last time in the set.
    package mutating func add(_ condition: GeographicCondition, _ machine: ConditionMachine) -> ConditionID {
        let slot = Slot(condition: condition, machine: machine, isWatched: true)
        let index: Int32
        if let unused = free.popLast() {
            index = unused
            slots[Int(index)] = slot
        } else {
            index = Int32(slots.count)
            slots.append(slot)
        }
        forest.insert(BorderItem(condition, slot: index))
        watched.append(index)
        count += 1
        return ConditionID(index: index)
    }

    /// Removes a condition.
    package mutating func remove(_ id: ConditionID) {
        guard condition(id) != nil else { return }
        let index = Int(id.index)
        count -= 1
        slots[index].condition = nil
        // A watched slot is used again only after it has left the list, in which it must not be twice.
        if !slots[index].isWatched { free.append(id.index) }
        if watched.count > 2 * count + 64 {
            free += watched.filter { slots[Int($0)].condition == nil }
            watched.removeAll { slots[Int($0)].condition == nil }
        }
        if forest.itemCount > 2 * count + 64 {
            forest.rebuild(
                slots.indices.compactMap { index in
                    slots[index].condition.map { BorderItem($0, slot: Int32(index)) }
                })
        }
    }

    /// The condition with this identifier, or `nil` if there is none.
    package func condition(_ id: ConditionID) -> GeographicCondition? {
        slots.indices.contains(Int(id.index)) ? slots[Int(id.index)].condition : nil
    }

    /// The machine of a condition, with which it can be added again; `nil` if there is none with this identifier.
    package func machine(_ id: ConditionID) -> ConditionMachine? {
        condition(id).map { _ in slots[Int(id.index)].machine }
    }

    /// The state of a condition; `unknown` if there is none with this identifier.
    package func state(_ id: ConditionID) -> ConditionState {
        condition(id) == nil ? .unknown : slots[Int(id.index)].machine.state
    }

    /// True while a run of evidence may lead to a change, so that the next fixes are needed soon.
    package private(set) var isDeciding = false

    // MARK: Fixes

    /// Applies a fix, and returns the changes. A fix that is older than the last one or has no valid accuracy is ignored.
    package mutating func observe(_ fix: ConditionFix) -> [ConditionEvent] {
        guard fix.accuracy >= 0, fix.accuracy.isFinite, fix.time >= last?.time ?? start else { return [] }
        last = fix
        let point = UnitVector(at: fix.coordinate)
        let time = tenths(fix.time)
        var events: [ConditionEvent] = []
        let moved = anchor.map { CurvatureBounds.largest * $0.point.angle(to: point) } ?? 0
        let isOutOfReach = moved >= anchor?.reach ?? 0
        // Whatever border has been crossed since the anchor was set is within `moved` of it, and of this fix.
        if isOutOfReach { setAnchor(at: point, fix) }
        if let anchor, moved <= anchor.reach {
            for border in anchor.borders {
                if border.distance > moved { break }
                applyIfCrossed(fix, to: border.slot, time, &events)
            }
        } else {
            for slot in forest.slots(within: moved, of: point) { applyIfCrossed(fix, to: slot, time, &events) }
        }
        applyToWatched(fix, point, time, hasNewAnchor: isOutOfReach, &events)
        return events
    }

    /// Applies the fix to a condition that is not watched, and watches it if the fix is on the other side of its border.
    private mutating func applyIfCrossed(
        _ fix: ConditionFix, to index: Int32, _ time: ConditionMachine.Tenths, _ events: inout [ConditionEvent]
    ) {
        let slot = slots[Int(index)]
        guard !slot.isWatched, let side = apply(fix, to: index, time, &events), slot.machine.state != side else {
            return
        }
        slots[Int(index)].isWatched = true
        watched.append(index)
    }

    /// Applies the fix to a condition and returns the side on which the fix is.
    private mutating func apply(
        _ fix: ConditionFix, to index: Int32, _ time: ConditionMachine.Tenths, _ events: inout [ConditionEvent]
    ) -> ConditionState? {
        guard let condition = slots[Int(index)].condition else { return nil }
        let distance = condition.signedDistance(from: fix.coordinate, exactWithin: fix.doubt)
        let changed = slots[Int(index)].machine.observe(
            distance: distance, accuracy: fix.accuracy, size: condition.size, at: time)
        if let changed { events.append(ConditionEvent(id: ConditionID(index: index), state: changed)) }
        return distance < 0 ? .satisfied : .unsatisfied
    }

    private mutating func applyToWatched(
        _ fix: ConditionFix, _ point: UnitVector, _ time: ConditionMachine.Tenths, hasNewAnchor: Bool,
        _ events: inout [ConditionEvent]
    ) {
        isDeciding = false
        var unsettled: [Int32] = []
        for index in watched {
            guard let side = apply(fix, to: index, time, &events) else { continue }
            let machine = slots[Int(index)].machine
            if machine.isDeciding { isDeciding = true }
            if machine.state != side { unsettled.append(index) }
        }
        // A watched condition that is settled may only be let go with an anchor here, because the old anchor may be on the
        // other side of its border.
        guard hasNewAnchor || watched.count > 2 * unsettled.count + (anchor?.watchLimit ?? 0) else { return }
        for index in watched {
            slots[Int(index)].isWatched = false
            if slots[Int(index)].condition == nil { free.append(index) }
        }
        for index in unsettled { slots[Int(index)].isWatched = true }
        watched = unsettled
        if !hasNewAnchor { setAnchor(at: point, fix) }
    }

    // MARK: The anchor

    private mutating func setAnchor(at point: UnitVector, _ fix: ConditionFix) {
        var borders: [(slot: Int32, distance: Double)] = []
        var open = MinHeap<Void>()
        var (reach, confirmed) = (Double.infinity, 0)
        forest.visit(from: point) { slot, bound in
            // Conditions that come later are at least `bound` away.
            while let nearest = open.first, nearest.key <= bound {
                confirmed += 1
                _ = open.popFirst()
            }
            // An anchor that examines many borders has to last longer.
            if confirmed >= Self.listCount + borders.count / 16, bound > Self.nearestReach {
                reach = bound
                return false
            }
            guard let condition = slots[Int(slot)].condition else { return true }
            // The bound says too little of polygons and large circles to spare an examination with every fix.
            let exact =
                condition.hasVagueBound
                ? 0.999 * abs(condition.signedDistance(from: fix.coordinate, exactWithin: 100_000)) : 0
            let distance = max(bound, exact)
            borders.append((slot, distance))
            open.insert((), key: distance)
            return true
        }
        let watchLimit = 12 + borders.count / 16
        borders.removeAll { $0.distance > reach }
        borders.sort { $0.distance < $1.distance }
        anchor = Anchor(point: point, reach: reach, watchLimit: watchLimit, borders: borders)
    }

    // MARK: The receiver's schedule

    /// The distances from the last fix to the borders that may be crossed next.
    package struct NearestBorders: Hashable, Sendable {
        /// A lower bound of the distance to the border of a condition that is satisfied, in metres; 0 if the fix is
        /// outside of it. Infinite without one.
        package var exit = Double.infinity
        /// The same of a condition that is not satisfied, or unknown.
        package var entry = Double.infinity

        /// Distances in metres.
        package init(exit: Double = .infinity, entry: Double = .infinity) {
            self.exit = exit
            self.entry = entry
        }
    }

    /// Returns the distances from the last fix to the nearest borders, or `nil` before the first fix.
    package mutating func nearestBorders() -> NearestBorders? {
        guard let last else { return nil }
        let point = UnitVector(at: last.coordinate)
        var moved = anchor.map { CurvatureBounds.largest * $0.point.angle(to: point) } ?? .infinity
        if moved > (anchor?.reach ?? 0) / 2 {
            setAnchor(at: point, last)
            moved = 0
        }
        guard let anchor else { return NearestBorders() }
        let beyond = anchor.reach - moved
        var nearest = NearestBorders(exit: beyond, entry: beyond)
        for border in anchor.borders where border.distance - moved < max(nearest.exit, nearest.entry) {
            consider(border.slot, from: last, &nearest)
        }
        for index in watched { consider(index, from: last, &nearest) }
        return nearest
    }

    private func consider(_ index: Int32, from fix: ConditionFix, _ nearest: inout NearestBorders) {
        let slot = slots[Int(index)]
        guard let condition = slot.condition else { return }
        let distance = condition.signedDistance(from: fix.coordinate, exactWithin: 1_000)
        switch slot.machine.state {
        case .satisfied: nearest.exit = min(nearest.exit, max(0, -distance))
        case .unsatisfied: nearest.entry = min(nearest.entry, max(0, distance))
        case .unknown: nearest.entry = min(nearest.entry, abs(distance))
        }
    }

    // MARK: Loss of the source

    /// True if the last fix is ``unknownAfter`` ago or longer.
    package func hasLostSource(at time: ContinuousClock.Instant) -> Bool {
        (last?.time ?? start).duration(to: time) >= Self.unknownAfter
    }

    /// Makes unknown what may have changed since the last fix, if that is ``unknownAfter`` ago or longer, and returns the
    /// changes. Called again later while there is no fix, it includes what can be reached by then at 40 m/s.
    package mutating func loseSource(at time: ContinuousClock.Instant) -> [ConditionEvent] {
        guard hasLostSource(at: time) else { return [] }
        let elapsed = (last?.time ?? start).duration(to: time)
        var events: [ConditionEvent] = []
        for index in slots.indices {
            guard let condition = slots[index].condition else { continue }
            if let last {
                let reach = last.doubt + Self.speedWhileLost * Double(elapsed.components.seconds)
                guard abs(condition.signedDistance(from: last.coordinate, exactWithin: 0)) <= reach else { continue }
            }
            guard let state = slots[index].machine.lose() else { continue }
            events.append(ConditionEvent(id: ConditionID(index: Int32(index)), state: state))
            if !slots[index].isWatched {
                slots[index].isWatched = true
                watched.append(Int32(index))
            }
        }
        isDeciding = false
        return events
    }

    private func tenths(_ time: ContinuousClock.Instant) -> ConditionMachine.Tenths {
        let (seconds, attoseconds) = start.duration(to: time).components
        return ConditionMachine.Tenths(truncatingIfNeeded: seconds * 10 + attoseconds / 100_000_000_000_000_000)
    }

    /// The bytes in use, without the points of polygons.
    package var byteCount: Int {
        slots.capacity * MemoryLayout<Slot>.stride + forest.byteCount + (watched.capacity + free.capacity) * 4
            + (anchor?.borders.capacity ?? 0) * 16
    }
}

extension BorderItem {
    init(_ condition: GeographicCondition, slot: Int32) {
        switch condition {
        case .circle(let circle):
            self.init(
                center: UnitVector(at: circle.center), angle: CurvatureBounds.angle(radius: circle.radius),
                isFilled: false, slot: slot)
        case .polygon(let polygon):
            let (center, angle) = polygon.cap
            self.init(center: center, angle: angle, isFilled: true, slot: slot)
        }
    }
}
