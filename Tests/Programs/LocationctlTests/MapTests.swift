import CommandLineSupport
import SeededRandom
import Glibc
import LocationModel
import Testing

@testable import locationctl

@Suite(.timeLimit(.minutes(10))) struct MapTests {
    static let places = [
        Coordinate.park, Coordinate(latitude: 0, longitude: 0), Coordinate(latitude: -33.9, longitude: 151.2),
        Coordinate(latitude: -16.8, longitude: 180), Coordinate(latitude: 65.8, longitude: -180),
        Coordinate(latitude: 90, longitude: 0), Coordinate(latitude: -89.9999, longitude: 77),
    ]

    @Test("the plane keeps distances", arguments: places) func plane(origin: Coordinate) throws {
        let plane = TangentPlane(at: origin)
        for (east, north) in [(0.0, 0.0), (100, 0), (0, -100), (3000, 4000), (-30_000, 20_000)] {
            let place = plane.coordinate(at: Metres(east: east, north: north))
            let length = hypot(east, north)
            #expect(abs(origin.distance(to: place) - length) <= max(0.01, length * 1e-4))
            let back = try #require(plane.metres(of: place))
            #expect(abs(back.east - east) < 0.5 && abs(back.north - north) < 0.5)
        }
    }

    @Test func farSideIsNotProjected() throws {
        let plane = TangentPlane(at: .park)
        #expect(plane.metres(of: Coordinate(latitude: -52, longitude: -166)) == nil)
        #expect(plane.coordinate(at: Metres(east: 1e7, north: 0)) == .park)
    }

    @Test(
        "the trail is drawn to scale, and turned",
        arguments: [(0.0, 50.0, 0.0), (90, 0, 50), (180, -50, 0), (270, 0, -50)])
    func projection(bearing: Double, x: Double, y: Double) throws {
        let canvas = DotCanvas(columns: 50, rows: 25, charset: .unicode)
        var camera = TerminalCamera(centre: .park, span: 200)
        camera.bearing = bearing
        let projection = MapProjection(camera, on: canvas)
        #expect(projection.metresPerDot == 2)
        // 100 m to the east are 50 dots.
        let east = TangentPlane(at: .park).coordinate(at: Metres(east: 100, north: 0))
        let (here, there) = (try #require(projection.dot(of: .park)), try #require(projection.dot(of: east)))
        #expect(here == projection.middle)
        #expect(abs(there.x - here.x - x) < 1e-6 && abs(there.y - here.y + y) < 1e-6)
    }

    @Test("fixed objects keep their distances while the map moves") func stability() throws {
        let canvas = DotCanvas(columns: 50, rows: 25, charset: .unicode)
        let plane = TangentPlane(at: .park)
        let posts = [(10.3, 4.4), (17.9, -3.1), (-60.2, 33.3)].map {
            plane.coordinate(at: Metres(east: $0.0, north: $0.1))
        }
        var camera = TerminalCamera(centre: .park, span: 200)
        func distances() throws -> [Double] {
            let dots = try posts.map { try #require(MapProjection(camera, on: canvas).dot(of: $0)) }
            return zip(dots, dots.dropFirst()).flatMap { [$1.x - $0.x, $1.y - $0.y] }
        }
        let first = try distances()
        for step in 1...200 {
            camera.move(to: plane.coordinate(at: Metres(east: Double(step) * 0.37, north: Double(step) * 0.21)))
            #expect(try distances() == first)
        }
    }

    @Test(arguments: [
        (1.0, 20, 20.0, 20), (1, 19, 10, 10), (3.3, 20, 50, 15), (0.02, 20, 0.2, 10), (777, 30, 20_000, 26),
    ])
    func scaleBar(metresPerColumn: Double, limit: Int, metres: Double, columns: Int) throws {
        let bar = try #require(TerminalScaleBar(metresPerColumn: metresPerColumn, limit: limit))
        #expect(abs(bar.metres - metres) < 1e-9)
        #expect(bar.columns == columns)
    }

    @Test func scaleBarsAreRoundAndTrue() throws {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<2000 {
            let scale = pow(10, Double.random(in: -2...5, using: &generator))
            let limit = Int.random(in: 5...60, using: &generator)
            let bar = try #require(TerminalScaleBar(metresPerColumn: scale, limit: limit))
            let power = pow(10, floor(log10(bar.metres) + 1e-9))
            #expect([1.0, 2, 5].contains { abs(bar.metres / power - $0) < 1e-6 })
            #expect(abs(Double(bar.columns) * scale - bar.metres) <= scale / 2)
            #expect(bar.columns <= limit && bar.columns * 5 >= limit * 2 - 5)
        }
        #expect(TerminalScaleBar(metresPerColumn: 1, limit: 1) == nil)
        #expect(TerminalScaleBar(metresPerColumn: .nan, limit: 10) == nil)
    }

    @Test func spanIsAnimatedInSteps() {
        var span = AutomaticSpan()
        #expect(span.follow(200, at: .zero) == 256)
        // A little more or less of the speed changes nothing.
        for (index, suggestion) in [210.0, 250, 180, 140, 255].enumerated() {
            #expect(span.follow(suggestion, at: .seconds(index + 1)) == 256)
        }
        var last = 256.0
        for frame in 1...40 {
            let next = span.follow(1000, at: .seconds(10) + .milliseconds(100 * frame))
            #expect(next >= last && next / last < 4)
            last = next
        }
        #expect(last == 1024)
        #expect(span.follow(.nan, at: .seconds(60)) == 1024)
        #expect(span.follow(-1, at: .seconds(61)) == 1024)
    }

    @Test func linesFromAndToFarAway() {
        var canvas = DotCanvas(columns: 4, rows: 2, charset: .unicode)
        canvas.line(from: Dot(x: -1e9, y: 4.5), to: Dot(x: 1e9, y: 4.5), .trail)
        canvas.line(from: Dot(x: -10, y: -1e12), to: Dot(x: -10, y: 1e12), .trail)
        canvas.line(from: Dot(x: .nan, y: 0), to: Dot(x: 3, y: .infinity), .trail)
        canvas.circle(around: Dot(x: 0, y: 0), radius: 1e12, spacing: 1, .circle)
        var screen = Screen(size: Size(columns: 4, rows: 2), charset: .unicode)
        canvas.draw(on: &screen, column: 0, row: 0)
        #expect(screen.text == "\n⠉⠉⠉⠉")
    }
}
