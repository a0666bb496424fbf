import Glibc
import LocationModel

/// Projects the ground that a camera shows onto a canvas.
struct MapProjection {
    let metresPerDot: Double
    private let camera: TerminalCamera
    private let sine: Double
    private let cosine: Double
    /// The middle of the dot in the middle of the canvas's middle cell.
    let middle: Dot
    /// The position of the camera's centre in whole dots from the plane's origin, so that the dots of fixed ground keep
    /// their distances while the centre moves.
    private let shift: Dot

    /// A projection onto `canvas`, whose shorter side shows the camera's span.
    init(_ camera: TerminalCamera, on canvas: DotCanvas) {
        self.camera = camera
        metresPerDot = camera.span / Double(max(1, min(canvas.width, canvas.height)))
        (sine, cosine) = (sin(camera.bearing.radians), cos(camera.bearing.radians))
        let (x, y) = canvas.dotsPerCell
        middle = Dot(
            x: Double(canvas.columns / 2 * x + x / 2) + 0.5, y: Double(canvas.rows / 2 * y + y / 2) + 0.5)
        let centre = camera.plane.metres(of: camera.centre) ?? Metres(east: 0, north: 0)
        shift = Self.dot(centre, sine, cosine, metresPerDot)
    }

    /// The middle of the dot that shows a position, which may be far outside the canvas; `nil` on the far side of the
    /// earth.
    func dot(of coordinate: Coordinate) -> Dot? {
        camera.plane.metres(of: coordinate).map(dot(at:))
    }

    /// The middle of the dot that shows a place on the camera's plane.
    func dot(at metres: Metres) -> Dot {
        let dot = Self.dot(metres, sine, cosine, metresPerDot)
        return Dot(x: dot.x - shift.x + middle.x, y: dot.y - shift.y + middle.y)
    }

    /// The places on the camera's plane at every multiple of `spacing` that the canvas may show.
    func crossings(every spacing: Double, on canvas: DotCanvas) -> [Metres] {
        let reach = hypot(Double(canvas.width), Double(canvas.height)) / 2 * metresPerDot
        guard let centre = camera.plane.metres(of: camera.centre), reach / spacing < 100 else { return [] }
        func multiples(around value: Double) -> StrideThrough<Double> {
            let first = ((value - reach) / spacing).rounded(.up) * spacing
            return stride(from: first, through: value + reach, by: spacing)
        }
        return multiples(around: centre.north).flatMap { north in
            multiples(around: centre.east).map { Metres(east: $0, north: north) }
        }
    }

    private static func dot(_ metres: Metres, _ sine: Double, _ cosine: Double, _ metresPerDot: Double) -> Dot {
        let right = metres.east * cosine - metres.north * sine
        let up = metres.east * sine + metres.north * cosine
        return Dot(x: (right / metresPerDot).rounded(), y: (-up / metresPerDot).rounded())
    }
}

extension Dot {
    /// The place at this distance in dots, in a direction clockwise from up, in degrees.
    func offset(by distance: Double, towards direction: Double) -> Dot {
        Dot(x: x + distance * sin(direction.radians), y: y - distance * cos(direction.radians))
    }

    /// The direction to another place, in degrees clockwise from up.
    func direction(to other: Dot) -> Double { atan2(other.x - x, y - other.y) * 180 / .pi }
}
