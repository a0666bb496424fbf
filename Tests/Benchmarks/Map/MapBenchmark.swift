import Glibc
import LocationModel
import MapModel
import SeededRandom

/// `make bench-map`: measures the layout of annotations.
///
/// A new layout is the best of nine runs, an edit the mean of 3000, a camera the slowest but one in twenty of those with
/// at most a thousand views: views that the program requires are all shown, whatever their number. `QUICK=1` in the
/// environment omits the million annotations. Fails when an aim is missed.
@main
struct MapBenchmark {
    static func main() {
        var table = Table()
        let isQuick = getenv("QUICK").map { String(cString: $0) } ?? "" != ""
        for spread in Spread.allCases {
            print("\n100,000 annotations, \(spread.rawValue)")
            table.printHeader()
            let items = spread.items(100_000)
            for zoom in stride(from: 2.0, through: 18, by: 2) {
                measure(items, zoom: zoom, aims: .hundredThousand, &table)
            }
        }
        if !isQuick {
            print("\n1,000,000 annotations, \(Spread.region.rawValue)")
            table.printHeader()
            let items = Spread.region.items(1_000_000)
            for zoom in [2.0, 6, 10, 14, 18] { measure(items, zoom: zoom, aims: .none, &table) }
        }
        if table.missed > 0 {
            print("\n\(table.missed) aims missed.")
            exit(1)
        }
    }

    private static func measure(_ items: [LayoutItem], zoom: Double, aims: Aims, _ table: inout Table) {
        var random = SeededGenerator(seed: UInt64(zoom))
        var layout = AnnotationLayout(zoom: zoom)
        _ = layout.setAppearance(
            ClusterAppearance(frame: ViewFrame(width: 48, height: 48, collisionMode: .circle)), ofClusters: "bike")
        let filled = milliseconds { _ = layout.apply(items.map { .set($0) }) }
        let anew = quantile((0..<9).map { _ in milliseconds { layout.layOutAnew() } }, 0)

        let scale = Viewport.mapPointsPerPixel(atZoom: zoom)
        var edits: [Double] = []
        var next = UInt32(items.count)
        for _ in 0..<1000 {
            guard var item = items.randomElement(using: &random), let place = items.randomElement(using: &random) else {
                break
            }
            item = layout.item(item.id) ?? item
            // A step on the map, a new annotation, and its removal.
            item.point.x += Double.random(in: -4...4, using: &random) * scale
            edits.append(milliseconds { _ = layout.apply([.set(item)]) })
            item.id = AnnotationID(rawValue: next)
            item.point = place.point
            next += 1
            edits.append(milliseconds { _ = layout.apply([.set(item)]) })
            edits.append(milliseconds { _ = layout.apply([.remove(item.id)]) })
        }

        let viewport = Viewport(width: 1280, height: 800)
        var cameras: [Double] = []
        var shown: [PlacedView] = []
        for _ in 0..<100 {
            guard let center = items.randomElement(using: &random) else { break }
            let rect = viewport.mapRect(center: center.point, zoom: zoom)
            let time = milliseconds {
                let views = layout.views(in: rect, margin: rect.size)
                _ = ViewDifference(from: shown, to: views, layout: layout)
                shown = views
            }
            if shown.count <= 1000 { cameras.append(time) }
        }
        let views = layout.views(in: .world, limit: .max).count
        table.print(
            Table.Line(
                zoom: zoom, views: views, filled: filled, anew: anew, edit: edits.reduce(0, +) / Double(edits.count),
                slowEdit: quantile(edits, 0.99), slowestEdit: quantile(edits, 1), camera: quantile(cameras, 0.95)),
            aims: aims)
    }

    /// In CPU time of the thread, because other programs may run.
    private static func milliseconds(_ body: () -> Void) -> Double {
        func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
        }
        let start = now()
        body()
        return now() - start
    }

    private static func quantile(_ values: [Double], _ fraction: Double) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(fraction * Double(sorted.count)))]
    }
}
