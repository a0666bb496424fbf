/// The annotations of a layout, in slots without gaps, which index the arrays of derived data.
struct ItemStore: Sendable {
    /// The stored part of a `LayoutItem`.
    struct Record: Sendable, Equatable {
        var id: AnnotationID
        /// The number of the clustering identifier; −1 for none.
        var identifier: Int32
        /// The position, with x from 0 up to the world's width.
        var point: MapPoint
        var frame: ViewFrame
        var displayPriority: FeatureDisplayPriority
        var isSelected: Bool
        var isPresent: Bool

        var rank: Rank { Rank(displayPriority, id: id, isCluster: false, clustersFirst: .always) }
    }

    private(set) var records: [Record] = []
    private(set) var identifiers: [String] = []
    private(set) var appearances: [ClusterAppearance] = []
    /// Upper bounds of half the sizes of the annotations' views, and of the clusters' views, in pixels.
    private(set) var viewReach = Reach()
    private(set) var clusterReach = Reach()
    /// An upper bound of the distance between a view's middle and its coordinate, in pixels.
    private(set) var offset: Float = 32
    private var slots: [AnnotationID: Int32] = [:]
    private var freeSlots: [Int32] = []
    private var identifierNumbers: [String: Int32] = [:]
    /// The number of items added or moved since the last sort.
    private var unsorted = 0

    var count: Int { slots.count }

    mutating func reserveCapacity(_ count: Int) {
        records.reserveCapacity(count)
        slots.reserveCapacity(count)
    }

    func slot(of id: AnnotationID) -> Int32? { slots[id] }

    /// The item as it was set, except that its point has been wrapped into the world.
    func item(at slot: Int32) -> LayoutItem {
        let record = records[Int(slot)]
        return LayoutItem(
            id: record.id, point: record.point, frame: record.frame,
            clusteringIdentifier: record.identifier < 0 ? nil : identifiers[Int(record.identifier)],
            displayPriority: record.displayPriority, isSelected: record.isSelected)
    }

    mutating func record(for item: LayoutItem) -> Record {
        Record(
            id: item.id, identifier: item.clusteringIdentifier.map { number(of: $0) } ?? -1, point: item.point.inWorld,
            frame: item.frame, displayPriority: item.displayPriority, isSelected: item.isSelected, isPresent: true)
    }

    /// Stores `record` and returns its slot.
    mutating func set(_ record: Record) -> Int32 {
        viewReach.include(record.frame)
        makeRoom(for: record.frame)
        unsorted += 1
        if let slot = slots[record.id] {
            records[Int(slot)] = record
            return slot
        }
        let slot: Int32
        if let free = freeSlots.popLast() {
            slot = free
            records[Int(slot)] = record
        } else {
            slot = Int32(records.count)
            records.append(record)
        }
        slots[record.id] = slot
        return slot
    }

    mutating func remove(_ id: AnnotationID) {
        guard let slot = slots.removeValue(forKey: id) else { return }
        records[Int(slot)].isPresent = false
        freeSlots.append(slot)
    }

    /// Renumbers all slots so that neighbours on the map are close in memory: along a Z-order curve (G. M. Morton, "A
    /// computer oriented geodetic data base", IBM 1966).
    ///
    /// Does so only after many changes. Previous layouts become invalid.
    mutating func sortByPlace() {
        guard unsorted > count / 4 else { return }
        unsorted = 0
        let order = records.indices.filter { records[$0].isPresent }.map { (place: records[$0].point.zOrder, slot: $0) }
        records = order.sorted { $0.place < $1.place }.map { records[$0.slot] }
        freeSlots = []
        for slot in records.indices { slots[records[slot].id] = Int32(slot) }
    }

    mutating func setAppearance(_ appearance: ClusterAppearance, of identifier: String) {
        appearances[Int(number(of: identifier))] = appearance
        clusterReach.include(appearance.frame)
        makeRoom(for: appearance.frame)
    }

    func appearance(of identifier: String) -> ClusterAppearance {
        identifierNumbers[identifier].map { appearances[Int($0)] } ?? .standard
    }

    private mutating func number(of identifier: String) -> Int32 {
        if let number = identifierNumbers[identifier] { return number }
        let number = Int32(identifiers.count)
        identifierNumbers[identifier] = number
        identifiers.append(identifier)
        appearances.append(.standard)
        clusterReach.include(ClusterAppearance.standard.frame)
        return number
    }

    private mutating func makeRoom(for frame: ViewFrame) {
        while max(abs(frame.centerOffsetX), abs(frame.centerOffsetY)) > offset { offset *= 2 }
    }
}

/// Upper bounds of half the width and half the height of shapes that may collide, in pixels.
struct Reach: Equatable, Sendable {
    private(set) var halfWidth: Float = 8
    private(set) var halfHeight: Float = 8

    /// Includes a view of size `frame`. Grows in steps, because grids depend on these bounds.
    mutating func include(_ frame: ViewFrame) {
        if frame.width > 2 * halfWidth { halfWidth = (frame.width / 8).rounded(.up) * 4 }
        if frame.height > 2 * halfHeight { halfHeight = (frame.height / 8).rounded(.up) * 4 }
    }

    /// Returns the bounds of the shapes of both, each `margin` larger on all sides for `other`.
    func union(_ other: Reach, margin: Float = 0) -> Reach {
        var union = self
        union.halfWidth = max(halfWidth, other.halfWidth + margin)
        union.halfHeight = max(halfHeight, other.halfHeight + margin)
        return union
    }
}

extension MapPoint {
    /// The position along a Z-order curve through the world.
    fileprivate var zOrder: UInt64 {
        func spread(_ value: Double) -> UInt64 {
            var bits = UInt64(min(max(value * 8, 0), Double(UInt32.max)))
            bits = (bits | bits << 16) & 0x0000_FFFF_0000_FFFF
            bits = (bits | bits << 8) & 0x00FF_00FF_00FF_00FF
            bits = (bits | bits << 4) & 0x0F0F_0F0F_0F0F_0F0F
            bits = (bits | bits << 2) & 0x3333_3333_3333_3333
            return (bits | bits << 1) & 0x5555_5555_5555_5555
        }
        return spread(x) | spread(y) << 1
    }

    /// The same place with coordinates inside the world. Values that are not finite become 0.
    fileprivate var inWorld: MapPoint {
        let point = MapPoint(x: x.isFinite ? x : 0, y: y.isFinite ? min(max(y, 0), MapSize.world.height) : 0)
        return point.wrapped
    }
}
