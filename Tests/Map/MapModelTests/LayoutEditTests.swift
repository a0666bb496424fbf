import LocationModel
import MapModel
import SeededRandom
import Testing

/// Edits of a layout, compared with new layouts of the same annotations.
@Suite(.timeLimit(.minutes(10))) struct LayoutEditTests {
    @Test("an edited layout equals a new one", arguments: 0..<16)
    func editedLayoutEqualsNewLayout(seed: UInt64) {
        var town = RandomTown(seed: seed)
        var layout = town.layout()
        for round in 0..<60 {
            let edits = (0..<(round % 10 == 9 ? 20 : 1)).map { _ in town.edit() }
            _ = layout.apply(edits)
            #expect(Shown(layout) == Shown(town.layout()), "round \(round)")
        }
    }

    @Test("the previous representatives of new views are recorded", arguments: 0..<8)
    func newViewsHavePreviousRepresentative(seed: UInt64) throws {
        var town = RandomTown(seed: seed)
        var layout = town.layout()
        for round in 0..<40 {
            let former = layout
            let regrouping = layout.apply([town.edit()])
            let formerLeaders = Set(former.views(in: .world, limit: .max).map(\.id.representative))
            for view in layout.views(in: .world, limit: .max) where !formerLeaders.contains(view.id.representative) {
                let expected = former.view(showing: view.id.representative)?.representative
                #expect(regrouping.formerRepresentative(of: view.id.representative) == expected, "round \(round)")
            }
        }
    }

    @Test("many edits at once are one change")
    func manyEditsAreOneChange() {
        var town = RandomTown(seed: 7)
        var layout = town.layout()
        let former = layout
        let regrouping = layout.apply((0..<1000).map { _ in town.edit() })
        #expect(Shown(layout) == Shown(town.layout()))
        for view in layout.views(in: .world, limit: .max) {
            #expect(
                regrouping.formerRepresentative(of: view.id.representative)
                    == former.view(showing: view.id.representative)?.representative)
        }
    }

    @Test("all annotations can be removed")
    func everythingCanBeRemoved() {
        let town = RandomTown(seed: 3)
        var layout = town.layout()
        _ = layout.apply(town.items.keys.map { .remove($0) }.prefix(10))
        for id in town.items.keys { _ = layout.apply([.remove(id)]) }
        #expect(layout.count == 0)
        #expect(layout.views(in: .world).isEmpty)
    }
}

/// Everything that a layout shows.
struct Shown: Equatable {
    var views: Set<PlacedView>
    var showing: [AnnotationID: ViewID?]

    init(_ layout: AnnotationLayout) {
        let views = layout.views(in: .world, limit: .max)
        self.views = Set(views)
        showing = [:]
        for view in views {
            for member in layout.members(of: view.id) { showing[member] = layout.view(showing: member) }
        }
    }
}

/// Annotations of several kinds, close enough to collide, around a place on the 180th meridian.
struct RandomTown {
    private(set) var items: [AnnotationID: LayoutItem] = [:]
    private var random: SeededGenerator
    let zoom: Double
    let appearance: ClusterAppearance
    /// In pixels.
    private let extent: Double

    init(seed: UInt64, count: Int = 200) {
        random = SeededGenerator(seed: seed)
        zoom = Double(Int.random(in: 0...36, using: &random)) / 2
        extent = [40, 200, 600, 1500].randomElement(using: &random) ?? 600
        appearance = ClusterAppearance(
            frame: ViewFrame(width: 52, height: 48, collisionMode: .circle),
            displayPriority: [nil, .required, .defaultLow].randomElement(using: &random) ?? nil)
        for number in 0..<count { set(UInt32(number)) }
    }

    func layout() -> AnnotationLayout {
        var layout = AnnotationLayout(zoom: zoom)
        _ = layout.setAppearance(appearance, ofClusters: "bike")
        _ = layout.apply(items.values.map { .set($0) })
        return layout
    }

    mutating func edit() -> AnnotationLayout.Edit {
        let number = UInt32.random(in: 0..<400, using: &random)
        let id = AnnotationID(rawValue: number)
        if Int.random(in: 0..<4, using: &random) == 0 {
            items[id] = nil
            return .remove(id)
        }
        if var item = items[id], Bool.random(using: &random) {
            item.point.x += Double.random(in: -5...5, using: &random) * Viewport.mapPointsPerPixel(atZoom: zoom)
            items[id] = item
            return .set(item)
        }
        set(number)
        return items[id].map { .set($0) } ?? .remove(id)
    }

    private mutating func set(_ number: UInt32) {
        let scale = Viewport.mapPointsPerPixel(atZoom: zoom)
        let frames = [
            ViewFrame(width: 30, height: 30), ViewFrame(width: 40, height: 44, centerOffsetY: -22),
            ViewFrame(width: 36, height: 36, collisionMode: .circle), ViewFrame(width: 90, height: 20),
            ViewFrame(width: 30, height: 30, collisionMode: .none),
        ]
        let identifiers = [nil, "bike", "bike", "bus"]
        let priorities: [FeatureDisplayPriority] = [.required, .defaultHigh, .defaultHigh, .defaultLow]
        let point = MapPoint(
            x: Double.random(in: -extent / 2...extent / 2, using: &random) * scale,
            y: 1e8 + Double.random(in: -extent / 2...extent / 2, using: &random) * scale)
        items[AnnotationID(rawValue: number)] = LayoutItem(
            id: AnnotationID(rawValue: number), point: point, frame: frames.randomElement(using: &random) ?? frames[0],
            clusteringIdentifier: identifiers.randomElement(using: &random) ?? nil,
            displayPriority: priorities.randomElement(using: &random) ?? .required,
            isSelected: Int.random(in: 0..<40, using: &random) == 0)
    }
}
