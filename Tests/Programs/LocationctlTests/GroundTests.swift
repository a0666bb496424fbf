import CommandLineSupport
import LocationModel
import MapTiles
import Testing

@testable import locationctl

@Suite("Ground", .timeLimit(.minutes(10)))
struct GroundTests {
    private let vaduz = Coordinate(latitude: 47.14, longitude: 9.52)

    @Test("a view requests the tiles around it, and the same ones while it moves a little")
    func request() {
        var camera = TerminalCamera(centre: vaduz, span: 1000)
        let request = GroundRequest(camera, width: 160, height: 80)
        #expect(request.zoom == 14)
        #expect(request.tiles.count <= 16 && request.tiles.contains { $0.bounds[0] <= 9.52 && 9.52 <= $0.bounds[2] })
        camera.move(to: Coordinate(latitude: 47.1401, longitude: 9.5201))
        #expect(GroundRequest(camera, width: 160, height: 80) == request)
        camera.zoom(to: 500_000)
        #expect(GroundRequest(camera, width: 160, height: 80).zoom == 5)
        let edge = TerminalCamera(centre: Coordinate(latitude: -85, longitude: 180), span: 1e6)
        #expect(!GroundRequest(edge, width: 400, height: 80).tiles.isEmpty)
    }

    @Test("streets are drawn where there is room between them, water always")
    func scales() {
        func isShown(_ kind: GroundFeature.Kind, _ metres: Double) -> Bool {
            GroundFeature(kind: kind, points: []).style(metresPerDot: metres) != nil
        }
        #expect(isShown(.street("minor"), 8) && !isShown(.street("minor"), 64))
        #expect(isShown(.street("motorway"), 512) && !isShown(.street("unheard-of"), 0.1))
        #expect(isShown(.water, 10_000))
    }

    @Test("the ground is behind the trail: a cell with the trail shows nothing else")
    func layers() {
        var canvas = DotCanvas(columns: 2, rows: 1, charset: .ascii)
        canvas.set(Dot(x: 0, y: 0), .ground)
        canvas.set(Dot(x: 0, y: 1), .trail)
        canvas.set(Dot(x: 1, y: 0), .trail)
        canvas.set(Dot(x: 1, y: 1), .water)
        var screen = Screen(size: Size(columns: 2, rows: 1), charset: .ascii)
        canvas.draw(on: &screen, column: 0, row: 0)
        #expect(screen[0, 0] == Cell(scalar: ".", style: .trail))
        #expect(screen[1, 0] == Cell(scalar: "'", style: .trail))
    }

    @Test("lines on the ground are drawn where they are, however far they go")
    func drawing() {
        let camera = TerminalCamera(centre: vaduz, span: 100)
        var canvas = DotCanvas(columns: 20, rows: 5, charset: .unicode)
        let line = Ground.Line(
            points: [Metres(east: -1e7, north: 0), Metres(east: 1e7, north: 0)], style: .water)
        Ground(plane: camera.plane, lines: [line]).draw(MapProjection(camera, on: canvas), on: &canvas)
        var screen = Screen(size: Size(columns: 20, rows: 5), charset: .unicode)
        canvas.draw(on: &screen, column: 0, row: 0)
        let rows = screen.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(rows.filter { !$0.isEmpty }.count == 1)
        #expect(rows[2].count == 20)
    }

    @Test("without regions and without the world there is no ground, and no error")
    func nothing() async {
        let loader = GroundLoader(regions: MapRegions(userDirectory: nil, systemDirectory: "/nonexistent"), world: nil)
        let ground = await loader.load(GroundRequest(TerminalCamera(centre: vaduz, span: 1000), width: 160, height: 80))
        #expect(ground.lines.isEmpty)
    }
}
