import LocationModel
import MapModel
import SeededRandom
import Testing

/// MapKit's rules, one by one. Positions are in pixels at zoom 10.
@Suite(.timeLimit(.minutes(10))) struct LayoutRuleTests {
    @Test("colliding views of one identifier form a cluster")
    func collidingViewsOfOneIdentifierCluster() {
        let layout = layOut([item(1, 0, 0, "bike"), item(2, 30, 0, "bike"), item(3, 200, 0, "bike")])
        #expect(layout.view(showing: id(1)) == layout.view(showing: id(2)))
        #expect(layout.view(showing: id(3)) == .annotation(id(3)))
        let cluster = layout.view(showing: id(1))
        #expect(cluster.map { layout.members(of: $0) } == [id(1), id(2)])
        let placed = layout.views(in: .world).first { $0.id == cluster }
        #expect(placed?.memberCount == 2)
        #expect(placed?.clusteringIdentifier == "bike")
    }

    @Test("views that only touch do not collide")
    func viewsThatOnlyTouchDoNotCollide() {
        let layout = layOut([item(1, 0, 0, "bike"), item(2, 40, 0, "bike")])
        #expect(layout.views(in: .world).count == 2)
    }

    @Test("of two identifiers the view with the lower priority is hidden")
    func lowerPriorityIdentifierIsHidden() {
        let layout = layOut([
            item(1, 0, 0, "bike", priority: .defaultLow), item(2, 30, 0, "bus", priority: .defaultHigh),
            item(3, 500, 0, nil, priority: .defaultLow), item(4, 530, 0, nil, priority: .defaultHigh),
        ])
        #expect(layout.view(showing: id(1)) == nil)
        #expect(layout.view(showing: id(2)) == .annotation(id(2)))
        #expect(layout.view(showing: id(3)) == nil)
        #expect(layout.view(showing: id(4)) == .annotation(id(4)))
    }

    @Test("required views are never hidden")
    func requiredViewsAreNeverHidden() {
        let layout = layOut(
            (0..<20).map { item($0, Double($0), 0, nil, priority: .required) }
                + [item(50, 5, 5, nil, priority: .defaultHigh)]
                + (60..<70).map { item($0, 5, 5, "bike", priority: .required) })
        for number in 0..<20 { #expect(layout.view(showing: id(UInt32(number))) == .annotation(id(UInt32(number)))) }
        #expect(layout.view(showing: id(50)) == nil)
        #expect(layout.view(showing: id(60)) != nil)
    }

    @Test("a hidden view hides nothing")
    func hiddenViewHidesNothing() {
        let layout = layOut([
            item(1, 0, 0, nil, priority: .defaultHigh), item(2, 30, 0, "bus", priority: .init(rawValue: 500)),
            item(3, 60, 0, "train", priority: .defaultLow),
        ])
        #expect(layout.view(showing: id(2)) == nil)
        #expect(layout.view(showing: id(3)) == .annotation(id(3)))
    }

    @Test("circles collide as circles")
    func circlesCollideAsCircles() {
        // 35 apart each way: rectangles of 40 overlap, circles do not.
        let circle = ViewFrame(width: 40, height: 40, collisionMode: .circle)
        let apart = [(0.0, 0.0), (35.0, 35.0)]
        let rectangles = layOut(apart.enumerated().map { item(UInt32($0), $1.0, $1.1, "bike") })
        let circles = layOut(apart.enumerated().map { item(UInt32($0), $1.0, $1.1, "bike", frame: circle) })
        #expect(rectangles.views(in: .world).count == 1)
        #expect(circles.views(in: .world).count == 2)
    }

    @Test("the centre offset moves the colliding shape")
    func centerOffsetMovesCollidingShape() {
        let above = ViewFrame(width: 40, height: 40, centerOffsetY: -60)
        let layout = layOut([item(1, 0, 0, "bike"), item(2, 0, 0, "bike", frame: above)])
        #expect(layout.views(in: .world).count == 2)
        #expect(Set(layout.views(in: .world).map(\.point)).count == 1)
    }

    @Test("a view without collisions is always shown")
    func viewWithoutCollisionsIsShown() {
        let ghost = ViewFrame(width: 40, height: 40, collisionMode: .none)
        let layout = layOut([
            item(1, 0, 0, "bike", priority: .defaultLow, frame: ghost), item(2, 0, 0, "bike"),
            item(3, 0, 0, "bike", priority: .defaultLow, frame: ghost),
        ])
        #expect(layout.views(in: .world).count == 3)
    }

    @Test("a selected annotation joins no cluster")
    func selectedAnnotationJoinsNoCluster() {
        var selected = item(1, 0, 0, "bike")
        selected.isSelected = true
        let layout = layOut([selected, item(2, 5, 0, "bike"), item(3, 9, 0, "bike")])
        #expect(layout.view(showing: id(1)) == .annotation(id(1)))
        #expect(layout.view(showing: id(2)).map { layout.members(of: $0) } == [id(2), id(3)])
    }

    @Test("clusters compete with their own size")
    func clustersCompeteWithTheirOwnSize() {
        // Two pairs, 100 apart: with a margin of 24 clusters of 40 fit, clusters of 80 do not.
        let items = [item(1, 0, 0, "bike"), item(2, 1, 0, "bike"), item(3, 101, 0, "bike"), item(4, 102, 0, "bike")]
        var layout = layOut(items)
        #expect(layout.views(in: .world).map(\.memberCount) == [2, 2])
        let large = ClusterAppearance(frame: ViewFrame(width: 80, height: 80, collisionMode: .circle))
        _ = layout.setAppearance(large, ofClusters: "bike")
        #expect(layout.views(in: .world).map(\.memberCount) == [4])
    }

    @Test("a cluster takes in views and clusters of its identifier within its margin")
    func clusterTakesInViewsWithinItsMargin() {
        // Without a cluster, 63 pixels are enough; from the middle of a cluster, views of 40 are free at 20 + 24 + 20.
        let singles = layOut([item(1, 0, 0, "bike"), item(2, 63, 0, "bike")])
        #expect(singles.views(in: .world).count == 2)
        let items = [item(1, 0, 0, "bike"), item(2, 0, 1, "bike"), item(3, 63, 0, "bike"), item(4, -66, 0, "bike")]
        #expect(layOut(items).views(in: .world).map(\.memberCount).sorted() == [1, 3])
        let pairs = [item(1, 0, 0, "bike"), item(2, 0, 1, "bike"), item(3, 87, 0, "bike"), item(4, 87, 1, "bike")]
        #expect(layOut(pairs).views(in: .world).map(\.memberCount) == [4])
        // The margin hides nothing of another kind.
        let other = [item(1, 0, 0, "bike"), item(2, 0, 1, "bike"), item(3, 63, 0, nil)]
        #expect(layOut(other).views(in: .world).map(\.memberCount).sorted() == [1, 2])
    }

    @Test("a cluster of low priority is hidden with its members")
    func lowPriorityClusterIsHiddenWithMembers() {
        var layout = layOut([
            item(1, 0, 0, "bike", priority: .required), item(2, 1, 0, "bike", priority: .required),
            item(3, 30, 0, nil, priority: .defaultHigh),
        ])
        let low = ClusterAppearance(frame: ClusterAppearance.standard.frame, displayPriority: .defaultLow)
        _ = layout.setAppearance(low, ofClusters: "bike")
        #expect(layout.view(showing: id(1)) == nil)
        #expect(layout.view(showing: id(3)) == .annotation(id(3)))
    }

    @Test("views collide across the 180th meridian")
    func viewsCollideAcrossThe180thMeridian() throws {
        let scale = Viewport.mapPointsPerPixel(atZoom: 10)
        let west = LayoutItem(
            id: id(1), point: MapPoint(x: MapSize.world.width - 5 * scale, y: 1e8), frame: frame,
            clusteringIdentifier: "bike")
        let east = LayoutItem(
            id: id(2), point: MapPoint(x: 5 * scale, y: 1e8), frame: frame, clusteringIdentifier: "bike")
        let layout = layOut([west, east])
        let view = try #require(layout.views(in: .world).first)
        #expect(view.memberCount == 2)
        #expect(layout.mapRect(of: view.id).width < 11 * scale)
        let around = MapRect(center: MapPoint(x: 0, y: 1e8), size: MapSize(width: 100 * scale, height: 100 * scale))
        #expect(layout.views(in: around).count == 1)
        #expect(layout.views(in: around.offsetBy(dx: MapSize.world.width, dy: 0)).count == 1)
    }

    @Test("a chain of 20,000 dependent views is laid out")
    func chainOfDependentViewsIsLaidOut() {
        // Each depends on the next one, across the whole map, which would exhaust the stack of a recursion.
        let items = (0..<20_000).map { number in
            item(
                UInt32(number), Double(number) * 13, 0, "id \(number % 3)",
                priority: .init(rawValue: Float(number) / 100))
        }
        let layout = layOut(items)
        let views = layout.views(in: .world, limit: .max)
        #expect(views.count > 20_000 * 13 / 180)
        #expect(layout.view(showing: id(19_999)) != nil)
    }

    @Test("invalid positions and sizes are laid out somewhere")
    func invalidValuesAreLaidOut() {
        let layout = layOut([
            LayoutItem(id: id(1), point: MapPoint(x: .nan, y: .infinity), frame: ViewFrame(width: .nan, height: -1)),
            LayoutItem(id: id(2), point: MapPoint(x: 1e300, y: -1e300), frame: ViewFrame(width: 1e9, height: 1e9)),
        ])
        #expect(layout.views(in: .world).count == 2)
        #expect(layout.views(in: .null).isEmpty)
        #expect(layout.views(in: MapRect(x: .nan, y: 0, width: .infinity, height: 1)).isEmpty)
    }

    /// All pairs are compared.
    @Test("no shown views overlap, and each hidden view collides with one of higher rank", arguments: 0..<12)
    func shownViewsDoNotOverlap(seed: UInt64) {
        let town = RandomTown(seed: seed)
        let layout = town.layout()
        let shown = layout.views(in: .world, limit: .max).map { town.collider(of: $0) }
        for (index, one) in shown.enumerated() where !one.isFree {
            for other in shown[..<index] where !other.isFree && town.overlap(one, other) {
                #expect(one.priority == .required || other.priority == .required, "\(one) \(other)")
            }
        }
        for item in town.items.values where layout.view(showing: item.id) == nil {
            #expect(item.displayPriority != .required || item.clusteringIdentifier == "bike", "\(item)")
            #expect(!item.isSelected && item.frame.collisionMode != .none)
        }
        let members = layout.views(in: .world, limit: .max).flatMap { layout.members(of: $0.id) }
        #expect(Set(members).count == members.count)
    }
}

let frame = ViewFrame(width: 40, height: 40)

func id(_ number: UInt32) -> AnnotationID { AnnotationID(rawValue: number) }

func item(
    _ number: UInt32, _ x: Double, _ y: Double, _ identifier: String?, priority: FeatureDisplayPriority = .defaultHigh,
    frame: ViewFrame = frame
) -> LayoutItem {
    let scale = Viewport.mapPointsPerPixel(atZoom: 10)
    return LayoutItem(
        id: id(number), point: MapPoint(x: 1e8 + x * scale, y: 1e8 + y * scale), frame: frame,
        clusteringIdentifier: identifier, displayPriority: priority)
}

func layOut(_ items: [LayoutItem]) -> AnnotationLayout {
    var layout = AnnotationLayout(zoom: 10)
    _ = layout.apply(items.map { .set($0) })
    return layout
}

extension RandomTown {
    /// The colliding shape of a view, in pixels.
    struct Collider {
        var x: Double
        var y: Double
        var frame: ViewFrame
        var priority: FeatureDisplayPriority
        var isFree: Bool
    }

    func collider(of view: PlacedView) -> Collider {
        let representative = items[view.id.representative]
        let isCluster = view.memberCount > 1
        let frame = isCluster ? clusters(view.clusteringIdentifier).frame : representative?.frame ?? frame
        let priority =
            (isCluster ? clusters(view.clusteringIdentifier).displayPriority : nil) ?? representative?.displayPriority
        let scale = Viewport.mapPointsPerPixel(atZoom: zoom)
        return Collider(
            x: view.point.x / scale + Double(frame.centerOffsetX),
            y: view.point.y / scale + Double(frame.centerOffsetY),
            frame: frame, priority: priority ?? .required,
            isFree: frame.collisionMode == .none || representative?.isSelected ?? false)
    }

    private func clusters(_ identifier: String?) -> ClusterAppearance { identifier == "bike" ? appearance : .standard }

    /// True if two views overlap by more than rounding.
    func overlap(_ one: Collider, _ other: Collider) -> Bool {
        let world = MapSize.world.width / Viewport.mapPointsPerPixel(atZoom: zoom)
        let dx = abs((one.x - other.x).remainder(dividingBy: world))
        let dy = abs(one.y - other.y)
        func half(_ frame: ViewFrame) -> (Double, Double) {
            let least = min(frame.width, frame.height)
            return frame.collisionMode == .circle
                ? (Double(least) / 2, Double(least) / 2) : (Double(frame.width) / 2, Double(frame.height) / 2)
        }
        let (a, b) = (half(one.frame), half(other.frame))
        switch (one.frame.collisionMode, other.frame.collisionMode) {
        case (.circle, .circle): return (dx * dx + dy * dy).squareRoot() < a.0 + b.0 - 1e-3
        case (.rectangle, .rectangle): return dx < a.0 + b.0 - 1e-3 && dy < a.1 + b.1 - 1e-3
        default:
            let (radius, box) = one.frame.collisionMode == .circle ? (a.0, b) : (b.0, a)
            let (ex, ey) = (max(0, dx - box.0), max(0, dy - box.1))
            return (ex * ex + ey * ey).squareRoot() < radius - 1e-3
        }
    }
}
