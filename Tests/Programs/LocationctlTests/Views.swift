import CommandLineSupport
import LocationInterface
import LocationModel

@testable import LocationClient
@testable import locationctl

/// A state that a test leads through what happens, one step after another.
struct Journey {
    var state: FollowState
    var now = Duration.zero

    init(mode: UserTracking.Mode = .follow) {
        state = FollowState(mode: mode)
        state.display.clock = .utc
    }

    mutating func frame(_ frame: TrackingFrame) { receive(.init(frame: frame)) }

    mutating func receive(_ diagnostic: LocationInterface.Diagnostic) { receive(.init(diagnostic: diagnostic)) }

    mutating func loseService() { state.receive(.connectionLost, at: now) }

    mutating func press(_ keys: String) {
        for key in keys.unicodeScalars { press(Key.character(key)) }
    }

    @discardableResult
    mutating func press(_ key: Key) -> FollowState.Request? { state.press(key, at: now) }

    /// Lets time pass.
    mutating func wait(_ duration: Duration) {
        now += duration
        state.tick(at: now)
    }

    /// Goes so many metres in a direction, a frame a second.
    mutating func go(
        from start: Coordinate, seconds: Int, speed: Double, towards course: Double, accuracy: Double = 3
    ) -> Coordinate {
        let plane = TangentPlane(at: start)
        var place = start
        for second in 0...seconds {
            let end = Dot(x: 0, y: 0).offset(by: Double(second) * speed, towards: course)
            place = plane.coordinate(at: Metres(east: end.x, north: -end.y))
            var frame = TrackingFrame.test(at: place, accuracy: accuracy)
            frame.speed = speed
            frame.bearing = course
            self.frame(frame)
            if second < seconds { wait(.seconds(1)) }
        }
        return place
    }

    func screen(_ columns: Int, _ rows: Int, _ charset: Charset = .unicode) -> Screen {
        FollowScreen.draw(state, size: Size(columns: columns, rows: rows), charset: charset, at: now)
    }

    func text(_ columns: Int, _ rows: Int, _ charset: Charset = .unicode) -> String {
        screen(columns, rows, charset).text
    }

    private mutating func receive(_ reply: LocationInterface.Follow.Reply) {
        state.receive(FollowUpdate(reply), at: now)
    }
}

extension TrackingFrame {
    static func test(
        at coordinate: Coordinate = .park, accuracy: Double = 3, span: Double = 200,
        timestamp: Timestamp = Timestamp(secondsSince1970: 1_776_000_000)
    ) -> TrackingFrame {
        TrackingFrame(coordinate: coordinate, horizontalAccuracy: accuracy, span: span, timestamp: timestamp)
    }
}

extension Coordinate {
    static let park = Coordinate(latitude: 52.473104, longitude: 13.402118)
}

extension Screen {
    /// The characters alone, one line per row, without trailing spaces.
    var text: String {
        (0..<size.rows).map { row in
            var line = String.UnicodeScalarView()
            line.append(contentsOf: (0..<size.columns).map { self[$0, row].scalar })
            while line.last == " " { line.removeLast() }
            return String(line)
        }.joined(separator: "\n")
    }
}
