import LocationModel
import MapModel
import SeededRandom
import Testing

/// The views of a part of the map, and the differences between two sets of them.
@Suite(.timeLimit(.minutes(10))) struct LayoutViewTests {
    private let scale = Viewport.mapPointsPerPixel(atZoom: 10)

    @Test("moving the map regroups nothing")
    func movingTheMapRegroupsNothing() {
        let town = RandomTown(seed: 5)
        let layout = town.layout()
        let all = Set(layout.views(in: .world, limit: .max))
        let size = MapSize(width: 200 * town.scale, height: 200 * town.scale)
        for step in -10..<10 {
            let center = MapPoint(x: Double(step) * 37 * town.scale, y: 1e8 + Double(step) * 11 * town.scale)
            let rect = MapRect(center: center, size: size)
            let views = Set(layout.views(in: rect, limit: .max))
            #expect(views.isSubset(of: all))
            let inside = all.filter { view in
                [-1.0, 0, 1].contains {
                    rect.contains(MapPoint(x: view.point.x + $0 * MapSize.world.width, y: view.point.y))
                }
            }
            #expect(views.isSuperset(of: inside))
        }
    }

    /// Crowds of every density on screens of every size.
    @Test("every annotation in view is in a view or in a cluster", arguments: 0..<24)
    func everyAnnotationInViewIsShown(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let zoom = Double(Int.random(in: 4...40, using: &random)) / 2
        let scale = Viewport.mapPointsPerPixel(atZoom: zoom)
        let extent = min(Double.random(in: 100...20_000, using: &random) * scale, 1e8)
        let frames = [
            ViewFrame(width: 32, height: 38, centerOffsetY: -19, collisionMode: .circle),
            ViewFrame(width: 24, height: 90, centerOffsetX: 40), ViewFrame(width: 60, height: 20),
        ]
        let items = (0..<5000 as Range<UInt32>).map { number in
            let (x, y) = (Double.random(in: 0...1, using: &random), Double.random(in: 0...1, using: &random))
            return LayoutItem(
                id: id(number), point: MapPoint(x: (x - 0.5) * extent, y: 1e8 + (y - 0.5) * extent),
                frame: frames[Int.random(in: 0..<3, using: &random)], clusteringIdentifier: "bike",
                displayPriority: [.required, .defaultHigh, .defaultLow][Int(number % 3)])
        }
        var layout = AnnotationLayout(zoom: zoom)
        _ = layout.apply(items.map { .set($0) })
        for screen in [Viewport(width: 390, height: 844), Viewport(width: 1280, height: 800)] {
            let near = items[Int.random(in: items.indices, using: &random)].point
            let rect = screen.mapRect(center: near, zoom: zoom + Double.random(in: 0..<0.5, using: &random))
            let inView = items.filter { rect.contains($0.point.nearest(to: rect.center)) }.map(\.id)
            let shown = layout.views(in: rect, margin: rect.size, limit: 10)
            let members = shown.flatMap { layout.members(of: $0.id) }
            #expect(Set(members).count == members.count)
            #expect(Set(inView).subtracting(members).isEmpty, "zoom \(zoom), \(screen)")
            #expect(shown.allSatisfy { $0.memberCount == layout.members(of: $0.id).count })
        }
    }

    @Test("a dense crowd is at most 200 views on a screen, and few of them are pairs", arguments: [0.5, 2, 5, 20, 80])
    func denseCrowdIsFewViews(perTenThousandPixels density: Double) {
        var random = SeededGenerator(seed: 11)
        let size = (width: 3 * 1280.0, height: 3 * 800.0)
        let frame = ViewFrame(width: 32, height: 38, centerOffsetY: -19, collisionMode: .circle)
        let items = (0..<Int(density * size.width * size.height / 10_000)).map { number in
            var place = item(
                UInt32(number), .random(in: 0..<size.width, using: &random),
                .random(in: 0..<size.height, using: &random), "bike")
            place.frame = frame
            return place
        }
        var layout = layOut(items)
        _ = layout.setAppearance(ClusterAppearance(frame: frame), ofClusters: "bike")
        let rect = MapRect(x: 1e8 + 1280 * scale, y: 1e8 + 800 * scale, width: 1280 * scale, height: 800 * scale)
        let inside = layout.views(in: rect).filter { rect.contains($0.point) }
        #expect((1...150).contains(inside.count), "\(inside.count) views")
        #expect(inside.count { (2...3).contains($0.memberCount) } <= 40)
    }

    @Test("the limit keeps all views in the rectangle, and of its surroundings those of the highest priority")
    func limitKeepsViewsInRectangle() {
        var items = (0..<300).map { item($0, Double($0 % 20) * 50, Double($0 / 20) * 50, nil, priority: .defaultLow) }
        for number in 0..<5 { items[number * 50].displayPriority = .required }
        let layout = layOut(items)
        let rect = MapRect(x: 1e8 - scale, y: 1e8 - scale, width: 1000 * scale, height: 800 * scale)
        #expect(layout.views(in: rect, limit: 10).count == 300)
        let corner = MapRect(x: 1e8 - scale, y: 1e8 - scale, width: 120 * scale, height: 120 * scale)
        let withMargin = layout.views(in: corner, margin: rect.size, limit: 14)
        #expect(withMargin.count == 14)
        #expect(withMargin.prefix(9).allSatisfy { corner.contains($0.point) })
        #expect(Set(withMargin.map(\.id.representative)).isSuperset(of: [id(0), id(50), id(100), id(150), id(200)]))
    }

    @Test("the views of a split cluster originate from it")
    func splitClusterIsOriginOfItsViews() throws {
        var layout = layOut([item(1, 0, 0, "bike"), item(2, 12, 0, "bike"), item(3, 24, 0, "bike")])
        let before = layout.views(in: .world)
        #expect(before.map(\.memberCount) == [3])
        let zoomedIn = layout.setZoom(13)
        let regrouping = try #require(zoomedIn)
        let after = layout.views(in: .world)
        #expect(after.map(\.memberCount) == [1, 1, 1])
        let split = ViewDifference(from: before, to: after, layout: layout, regrouping: regrouping)
        #expect(split.added.count == 3)
        #expect(split.added.allSatisfy { $0.origin == before[0] })
        #expect(split.removed.map(\.view) == before)

        let zoomedOut = layout.setZoom(10)
        let back = try #require(zoomedOut)
        let joined = ViewDifference(from: after, to: layout.views(in: .world), layout: layout, regrouping: back)
        #expect(joined.removed.count == 3)
        #expect(joined.removed.allSatisfy { $0.destination?.id == before[0].id })
        #expect(joined.added.map(\.view) == before)
    }

    @Test("a cluster keeps its identity with its representative")
    func clusterKeepsIdentityWithRepresentative() {
        var layout = layOut((1...8).map { item($0, Double($0 * $0) * 0.4, 0, "bike") })
        let representative = layout.views(in: .world)[0].id.representative
        #expect(layout.views(in: .world).map(\.id) == [.cluster(representative)])
        for zoom in [11.0, 12, 13, 8, 4] {
            _ = layout.setZoom(zoom)
            #expect(layout.view(showing: representative)?.representative == representative)
            _ = layout.apply([.set(item(20, 1, 1, "bike", priority: .defaultLow)), .remove(id(20))])
            #expect(layout.view(showing: representative)?.representative == representative)
        }
    }

    @Test("edits report moved views and views with other members")
    func editsReportMovesAndMembers() {
        var layout = layOut([item(1, 0, 0, "bike"), item(2, 10, 0, "bike"), item(9, 300, 0, nil)])
        let before = layout.views(in: .world)
        let regrouping = layout.apply([.set(item(3, 5, 5, "bike")), .set(item(9, 310, 0, nil))])
        let difference = ViewDifference(
            from: before, to: layout.views(in: .world), layout: layout, regrouping: regrouping)
        #expect(difference.moved.map(\.id) == [.annotation(id(9))])
        #expect(difference.changed.map(\.memberCount) == [3] || difference.added.map(\.view.memberCount) == [3])
        let nothing = ViewDifference(from: before, to: before, layout: layout)
        #expect(nothing.isEmpty)
    }

    @Test("a new annotation does not originate from a cluster")
    func newAnnotationHasNoClusterOrigin() {
        var layout = layOut([item(1, 0, 0, "bike"), item(2, 10, 0, "bike")])
        let before = layout.views(in: .world)
        let regrouping = layout.apply([.set(item(3, 200, 0, "bike"))])
        let difference = ViewDifference(
            from: before, to: layout.views(in: .world), layout: layout, regrouping: regrouping)
        #expect(difference.added.map(\.view.id) == [.annotation(id(3))])
        #expect(difference.added.allSatisfy { $0.origin == nil })
    }

    @Test("zoom steps have hysteresis")
    func zoomStepsHaveSlack() {
        let step = ZoomStep(10.3)
        #expect(step.zoom == 10)
        #expect(step.next(for: 10.55).zoom == 10)
        #expect(step.next(for: 10.61).zoom == 10.5)
        #expect(step.next(for: 9.95).zoom == 10)
        #expect(step.next(for: 9.89).zoom == 9.5)
        #expect(step.next(for: .nan) == step)
        #expect(ZoomStep(-3).zoom == 0)
        #expect(ZoomStep(.nan).zoom == 0)
        #expect(ZoomStep(99).zoom == 22)
        var layout = layOut([item(1, 0, 0, nil)])
        let (within, beyond) = (layout.setZoom(10.55), layout.setZoom(10.7))
        #expect(within == nil)
        #expect(beyond != nil)
    }
}

extension RandomTown {
    var scale: Double { Viewport.mapPointsPerPixel(atZoom: zoom) }
}
