import MapModel

/// The overlays of a map with their renderers, and the changes not yet sent to the pages.
@MainActor
struct OverlayTable {
    /// The greatest number of positions that are sent with the state. Pages request longer geometries separately.
    static let maximumInlinePositions = 500

    struct Entry {
        let name: String
        let overlay: any Overlay
        var level: OverlayLevel
        var renderer: OverlayRenderer?
        var revision = 1
    }

    /// The overlays, in drawing order.
    private(set) var entries: [Entry] = []
    /// The overlays that are on the map, each with its index when it was inserted. Most overlays are appended and keep theirs.
    private var insertionIndexes: [ObjectIdentifier: Int] = [:]
    private var lastNumber = 0
    private var changed: Set<String> = []
    private var removed: Set<String> = []
    private var appended: [String: [WirePosition]] = [:]

    func index(of overlay: any Overlay) -> Int? {
        guard let index = insertionIndexes[ObjectIdentifier(overlay)] else { return nil }
        if entries.indices.contains(index), entries[index].overlay === overlay { return index }
        return entries.firstIndex { $0.overlay === overlay }
    }

    subscript(name: String) -> Entry? { entries.first { $0.name == name } }

    mutating func insert(_ overlay: any Overlay, level: OverlayLevel, at index: Int) {
        guard self.index(of: overlay) == nil else { return }
        let place = min(max(index, 0), entries.count)
        entries.insert(makeEntry(overlay, level), at: place)
        insertionIndexes[ObjectIdentifier(overlay)] = place
        // The overlays above it move up by one.
        for entry in entries[place...] { changed.insert(entry.name) }
    }

    private mutating func makeEntry(_ overlay: any Overlay, _ level: OverlayLevel) -> Entry {
        lastNumber += 1
        return Entry(name: "o\(lastNumber)", overlay: overlay, level: level)
    }

    /// Brings overlays into an order, and adds those that are absent, each above the one before it. The other entries stay above
    /// the same one of these. Returns false if nothing has changed.
    mutating func arrange(_ overlays: [any Overlay], level: (any Overlay) -> OverlayLevel) -> Bool {
        let identifiers = Set(overlays.map { ObjectIdentifier($0) })
        var known: [ObjectIdentifier: Entry] = [:]
        // By the number of the entries to be arranged that are below them.
        var others: [Int: [Entry]] = [:]
        for entry in entries {
            if identifiers.contains(ObjectIdentifier(entry.overlay)) {
                known[ObjectIdentifier(entry.overlay)] = entry
            } else {
                others[known.count, default: []].append(entry)
            }
        }
        var arranged = others[0] ?? []
        var count = 0
        var placed: Set<ObjectIdentifier> = []
        for overlay in overlays where placed.insert(ObjectIdentifier(overlay)).inserted {
            guard let entry = known[ObjectIdentifier(overlay)] else {
                arranged.append(makeEntry(overlay, level(overlay)))
                continue
            }
            if count > 0 { arranged += others[count] ?? [] }
            count += 1
            arranged.append(entry)
        }
        if count > 0 { arranged += others[count] ?? [] }
        let moved = arranged.indices.filter { !entries.indices.contains($0) || entries[$0].name != arranged[$0].name }
        guard !moved.isEmpty else { return false }
        entries = arranged
        for index in moved {
            changed.insert(entries[index].name)
            insertionIndexes[ObjectIdentifier(entries[index].overlay)] = index
        }
        return true
    }

    mutating func remove(_ overlay: any Overlay) {
        guard let index = index(of: overlay) else { return }
        let entry = entries.remove(at: index)
        insertionIndexes[ObjectIdentifier(overlay)] = nil
        entry.renderer?.map = nil
        changed.remove(entry.name)
        appended[entry.name] = nil
        removed.insert(entry.name)
    }

    mutating func exchange(_ first: Int, _ second: Int) {
        guard entries.indices.contains(first), entries.indices.contains(second) else { return }
        entries.swapAt(first, second)
        for index in [first, second] { changed.insert(entries[index].name) }
    }

    mutating func rendererChanged(_ renderer: OverlayRenderer, isNewShape: Bool) {
        let own = index(of: renderer.overlay).flatMap { entries[$0].renderer === renderer ? $0 : nil }
        // A delegate may have returned it for another overlay.
        guard let index = own ?? entries.firstIndex(where: { $0.renderer === renderer }) else { return }
        if isNewShape { entries[index].revision += 1 }
        changed.insert(entries[index].name)
    }

    /// Appends points to a line. Returns false if it is not on the map.
    mutating func append(_ points: [MapPoint], to polyline: Polyline) -> Bool {
        guard let index = index(of: polyline) else { return false }
        entries[index].revision += 1
        // An overlay that is sent whole includes these points.
        if !changed.contains(entries[index].name) {
            appended[entries[index].name, default: []] += points.positions
        }
        return true
    }

    /// The overlays that have no renderer yet.
    var overlaysWithoutRenderer: [any Overlay] { entries.lazy.filter { $0.renderer == nil }.map(\.overlay) }

    /// Sets the renderer of an overlay that has none. Returns false if it has one or is not on the map.
    mutating func setRenderer(_ renderer: OverlayRenderer, of overlay: any Overlay) -> Bool {
        guard let index = index(of: overlay), entries[index].renderer == nil else { return false }
        entries[index].renderer = renderer
        return true
    }

    /// Returns the changes for the pages, and clears them. Every overlay has its renderer.
    mutating func takeChanges(of map: MapView) -> WireOverlayChanges {
        var changes = WireOverlayChanges()
        changes.removed = removed.sorted()
        for index in entries.indices where changed.contains(entries[index].name) {
            changes.set.append(wire(index, of: map))
        }
        for (name, coordinates) in appended.sorted(by: { $0.key < $1.key }) where !changed.contains(name) {
            changes.append.append(WireOverlayChanges.Appended(id: name, coordinates: coordinates))
        }
        forgetChanges()
        return changes
    }

    /// Discards the changes while there are no pages: the first page receives the whole state.
    mutating func forgetChanges() { (changed, removed, appended) = ([], [], [:]) }

    /// All overlays, which have their renderers.
    func wire(of map: MapView) -> [WireOverlay] { entries.indices.map { wire($0, of: map) } }

    private func wire(_ index: Int, of map: MapView) -> WireOverlay {
        let entry = entries[index]
        var wire = WireOverlay(
            id: entry.name, kind: .shape, level: entry.level, order: index, alpha: entry.renderer?.alpha ?? 1,
            revision: entry.revision, title: entry.overlay.title, subtitle: entry.overlay.subtitle)
        entry.renderer?.describe(in: &wire, images: map.images)
        if let shape = entry.overlay as? Shape {
            wire.isRemovable = shape.isRemovableByUser ? true : nil
            if let profile = shape.profile {
                wire.profile = "profiles/\(entry.name)"
                wire.length = profile.length.rounded()
            }
        }
        if let geometry = wire.geometry, geometry.count > Self.maximumInlinePositions {
            wire.geometry = nil
            wire.data = "overlays/\(entry.name)?r=\(entry.revision)"
        }
        return wire
    }
}
