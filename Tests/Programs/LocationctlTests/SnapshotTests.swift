import CommandLineSupport
import LocationClient
import LocationInterface
import LocationModel
import Testing

@testable import locationctl

@Suite(.timeLimit(.minutes(10))) struct SnapshotTests {
    /// A minute one way, then less exactly another.
    static func walk(from start: Coordinate = .park, mode: UserTracking.Mode = .follow) -> Journey {
        var journey = Journey(mode: mode)
        let corner = journey.go(from: start, seconds: 60, speed: 1.4, towards: 68)
        _ = journey.go(from: corner, seconds: 40, speed: 1.4, towards: 150, accuracy: 12)
        journey.state.receiver = .init(isCurrent: true, mode: .unknown, satellitesUsed: 9, satellitesSeen: 11)
        return journey
    }

    @Test("with satellites: kind of fix, dilution, UTC and a bar for each signal in 80 by 24")
    func satellites() {
        var journey = Self.walk()
        journey.state.receiver = .init(
            isCurrent: true, mode: .fix3D, satellitesUsed: 2, satellitesSeen: 3,
            satellites: [
                .init(number: 302, isUsed: true, signal: 20), .init(number: 7, isUsed: false, signal: 10),
                .init(number: 5, isUsed: true, signal: 50), .init(number: 8, isUsed: false),
            ], horizontalDilution: 0.94)
        let text = journey.text(80, 24)
        for line in [
            "│ 3D fix      HDOP 0.9", "│ UTC         ", "│ satellites  2 of 3", "│   5 ■■■■■■■■■■■■■■■ 50",
            "│ 302 ■■■■■■          20", "│   7 ---             10",
        ] { #expect(text.contains(line), "\(text)") }
        #expect(journey.text(80, 24, .ascii).contains("|   5 =============== 50"))
    }

    @Test("the trail, the circle and the numbers") func northUp() {
        #expect(
            Self.walk().text(80, 24) == """
                 north up                                             │ 52.472951° N
                        ⠈        ⠈        ⠈        ⠈        ⠈        ⠈│ 13.403676° E
                                                                      │ ±12 m
                                                                      │
                                                                      │ 5.0 km/h
                        ⠠        ⠠        ⠠        ⠠        ⠠        ⠠│ 150° SE
                                                                      │           N
                                   ⣀⡠⠴⠲⡄                              │        ⡀⠂⠁⠈⠈⠐⢀
                              ⣀⣠⠴⠒⠉⠁   ⠘⢆                             │      ⢀⠂       ⠐⡀
                         ⣀⡠⠤⠒⠉⠁         ⠈⢦                            │     W⠠    ●⡀   ⠄E
                        ⠈⠁       ⠈       ⠈⣫⠠ ⡀     ⠈        ⠈        ⠈│      ⠈⠄    ⠱⡀ ⠠⠁
                                         ⠐ ↘ ⠐                        │        ⠁⠄⡀⢀⢀⠱⠈
                                         ⠈ ⠄⠄⠈                        │           S
                                                                      │
                        ⠠        ⠠        ⠠        ⠠        ⠠        ⠠│ satellites  9 of 11
                                                                      │ distance    140 m
                                                                      │ time        1:40
                                                                      │
                                                                      │
                        ⠈        ⠈        ⠈        ⠈        ⠈        ⠈│
                                                                      │
                                                                      │
                 ├───────┤ 50 m                                       │
                 Fix now.                                                                ? help
                """)
    }

    @Test("without Unicode") func ascii() {
        #expect(
            Self.walk().text(64, 20, .ascii) == """
                 north up .       .      .       .    | 52.472951 N
                                                      | 13.403676 E
                                                      | +/-12 m
                                                      |
                   .      .       .      .       .    | 5.0 km/h
                              ..                      | 150 SE
                         ...''':.                     |           N
                    ...:''      :.                    |        .'''''.
                   ''     '      ':      '       '    |      .'       '.
                                  '\\                  |     W.    o.   .E
                                                      |      '.    '. .'
                   .      .       .      .       .    |        '.....'
                                                      |           S
                                                      |
                                                      | satellites  9 of 11
                   .      .       .      .       .    | distance    140 m
                                                      | time        1:40
                                                      |
                 |-----| 50 m                         |
                 Fix now.                                                ? help
                """)
    }

    @Test("the direction of travel is up") func courseUp() {
        #expect(
            Self.walk(mode: .followWithCourse).text(112, 30) == """
                 course up                                                                         N↙ │ 52.472951° N
                                                  ⠈                         ⡀                         │ 13.403676° E
                                                                                                     ⡀│ ±12 m
                                   ⠂                                                                  │
                                                            ⠈                        ⢀                │ 5.0 km/h
                   ⠐                                                                                  │ 150° SE
                                             ⠁                        ⡀                               │              S
                                                                                               ⠠      │      E ⡀⠂⠁⢸⠈⠐⢀
                             ⠈                        ⢀                                               │      ⢀⠂   ⢸   ⠐⡀
                                                                                ⠄                     │      ⠠    ●    ⠄
                                                                                                      │      ⠈⠄       ⠠⠁
                                       ⠈                        ⢀                                     │        ⠁⠄⡀⢀⢀⠠⠈ W
                                                                                          ⠄           │        N
                        ⠁                        ⡀        ⠂⠐ ⠂                                        │
                                                         ⡁ ↑  ⡁           ⠠                           │ satellites  9 of 11
                                 ⢀                       ⠠⢀⢸⢀⠠                                     ⠐  │ distance    140 m
                                                           ⢼                                          │ time        1:40
                                                           ⢸                        ⠂                 │
                  ⠁                        ⢀               ⢸                                          │
                                                           ⢸        ⠠                                 │
                            ⡀                              ⢸                                  ⠂       │
                                                     ⠄     ⠈⠉⠉⠉⠒⠒⠒⠢⠤⠤⢤⣀⣀⣀⡀                            │
                                                                         ⠈⠉⠉⠉⠒⠒                       │
                                     ⠠                                                                │
                                                               ⠂                                      │
                      ⢀                                                                 ⠈             │
                                               ⠠                                                      │
                                                                         ⠂                            │
                 ├─────────┤ 50 m                                                                 ⠁   │
                 Fix now.                                                                                                ? help
                """)
    }

    @Test("no room beside the map") func small() {
        #expect(
            Self.walk(mode: .followWithCourse).text(40, 12) == """
                 52.472951° N  13.403676° E  ±12 m
                 5.0 km/h  150° SE  9 of 11  140 m  1:40
                 course up        ⠄                  N↙
                        ⡀                        ⠈
                                        ⠂              ⢀
                              ⠠
                    ⢀               ↑         ⠁
                                    ⢸               ⡀
                           ⠄        ⠸⣄⣀⣀⣀
                 ⡀                      ⠈⠉⠉
                 ├─────┤ 100 m   ⠂              ⢀
                 Fix now.                        ? help
                """)
    }

    @Test("the least there is") func tiny() {
        #expect(
            Self.walk().text(24, 7) == """
                 52.472951° N
                 5.0 km/h  150° SE
                 north up   ⡀  ⢀  ⢀  ⢀
                           ⣀
                  ⠐   ⠂  ⠚⠉⠉↘  ⠐  ⠐  ⠐
                 ├─┤ 100 m  ⡀  ⢀  ⢀  ⢀
                 Fix now.        ? help
                """)
    }

    @Test("the numbers where there is no room for a map") func numbers() {
        #expect(
            Self.walk().text(20, 5) == """
                 52.472951° N
                 13.403676° E
                 ±12 m
                 5.0 km/h
                 Fix now.    ? help
                """)
        #expect(Self.walk().text(13, 5).hasPrefix("too small"))
    }

    @Test("moved, with help") func panned() {
        var journey = Self.walk()
        for _ in 0..<3 { journey.press(.left) }
        journey.press("?")
        #expect(
            journey.text(80, 20) == """
                 not following      ⠠      ⠠      ⠄     ⠠      ⠠      │ 52.472951° N
                                                                      │ 13.403676° E
                                                                      │ ±12 m
                                                                      │
                 ⠁     ⠈      ⠁     ⠈      ⠈      ⠁     ⠈      ⠈      │ 5.0 km/h
                                                         ⣀⡤⠔⠲⡄        │ 150° SE
                                                    ⣀⡤⠴⠚⠉    ⠙⣄       │
                 ⠂     ⠐      ⠂     ⠐      ⠐      ⠚⠉    ⠐     ⠘⣖      │ satellites  9 of 11
                                                               ⠈↘     │ distance    140 m
                                                                      │ time        1:40
                 ⠄     ⠠      ⠄     ⠠      ⠠      ⠄     ⠠      ⠠      │
                                                                      │
                                                                      │
                                                                      │
                 ⠁     ⠈      ⠁     ⠈      ⠈      ⠁     ⠈      ⠈      │
                                                                      │
                 ├─────┤ 50 m                                         │
                 f  follow, or stay   arrows  move the map   + -  zoom   0  zoom by itself
                 n  north up   c  course up   r  record   q  quit
                 Fix now.                                   You moved the map; f follows again.
                """)
    }

    @Test("the fix is lost") func lost() {
        var journey = Self.walk()
        journey.receive(.locationUnavailable)
        journey.wait(.seconds(12))
        #expect(
            journey.text(64, 16) == """
                 north up    ⡀    ⢀     ⢀     ⢀     ⢀ │ 52.472951° N
                                                      │ 13.403676° E
                                                      │ ±12 m
                 ⠄     ⠄     ⠄    ⠠     ⠠     ⠠     ⠠ │
                               ⣀⣀                     │ - km/h
                          ⣀⣠⠴⠒⠉⠁⠘⢆                    │ no course
                 ⠄     ⠤⠒⠋⠁  ⠄   ⠈⢧     ⠠     ⠠     ⠠ │
                                   ?                  │ satellites  9 of 11
                                                      │ distance    140 m
                 ⠄     ⠄     ⠄    ⠠     ⠠     ⠠     ⠠ │ time        1:52
                                                      │
                                                      │
                 ⠂     ⠂     ⠂    ⠐     ⠐     ⠐     ⠐ │
                                                      │
                 ├────┤ 50 m                          │
                 No fix for 0:12; this is where you were.                ? help
                """)
    }

    @Test("only an approximate location") func reduced() {
        var journey = Journey()
        journey.receive(.accuracyLimited)
        journey.frame(.test(accuracy: 3500, span: 12_000))
        #expect(
            journey.text(72, 20) == """
                ⠐north up     ⠂    ⠂   ⠐    ⠂    ⠂   ⠐    ⠂   │ 52.473104° N
                                                              │ 13.402118° E
                ⠠    ⠄   ⠠    ⠄    ⠄   ⠠    ⠄    ⠄   ⠠    ⠄   │ ±3.5 km
                                                              │
                ⢀    ⡀   ⢀    ⡀    ⡀   ⢀    ⡀    ⡀   ⢀    ⡀   │ - km/h
                                    ⢀ ⠄⠠ ⠄⢀                   │ no course
                                  ⠄⠁        ⠁⠄                │           N
                ⠐    ⠂   ⠐    ⠂ ⡀⠁ ⠂   ⠐    ⠂ ⠁⡀ ⠂   ⠐    ⠂   │        ⡀⠂⠁⠈⠈⠐⢀
                               ⠠               ⠠              │      ⢀⠂       ⠐⡀
                ⠠    ⠄   ⠠    ⠄⢐   ⠄   ●    ⠄  ⢐ ⠄   ⠠    ⠄   │     W⠠    ·    ⠄E
                               ⠠               ⠠              │      ⠈⠄       ⠠⠁
                ⢀    ⡀   ⢀    ⡀ ⠂  ⡀   ⢀    ⡀  ⠂ ⡀   ⢀    ⡀   │        ⠁⠄⡀⢀⢀⠠⠈
                                 ⠁⠄          ⠄⠁               │           S
                                   ⠁⠐ ⠄⠠ ⠄⠐ ⠁                 │
                ⠐    ⠂   ⠐    ⠂    ⠂   ⠐    ⠂    ⠂   ⠐    ⠂   │ satellites  -
                                                              │ distance    0 m
                ⠠    ⠄   ⠠    ⠄    ⠄   ⠠    ⠄    ⠄   ⠠    ⠄   │ time        0:00
                                                              │
                ⢀├───┤ 2 km   ⡀    ⡀   ⢀    ⡀    ⡀   ⢀    ⡀   │
                 This program receives only your approximate location.           ? help
                """)
    }

    @Test("the same across the antimeridian") func antimeridian() throws {
        let west = Self.walk(from: Coordinate(latitude: 20, longitude: 100))
        let east = Self.walk(from: Coordinate(latitude: 20, longitude: 179.9995))
        #expect(try #require(east.state.frame).coordinate.longitude < -179)
        func map(_ journey: Journey) -> [Substring] {
            journey.text(80, 24).split(separator: "\n", omittingEmptySubsequences: false).map { $0.prefix(54) }
        }
        #expect(map(west) == map(east))
    }

    @Test("a way over the pole is drawn") func pole() throws {
        var journey = Journey()
        for tenth in -300...300 {
            let place = Coordinate(latitude: 90 - abs(Double(tenth)) * 1e-6, longitude: tenth < 0 ? 20 : -160)
            journey.frame(.test(at: try #require(place), accuracy: 2))
            journey.wait(.milliseconds(200))
        }
        #expect(abs(journey.state.trail.distance - 67) < 3)
        #expect(journey.state.trail.points.count { $0.isFirst } == 1)
    }

    @Test("any size") func sizes() {
        var journey = Self.walk(mode: .followWithCourse)
        journey.press("?")
        journey.state.recording = "漢字\u{1b}[2J"
        for charset in [Charset.unicode, .ascii] {
            for (columns, rows) in (0...130).map({ ($0, $0 / 3) }) + [(300, 3), (2, 100), (24, 7), (23, 7), (24, 6)] {
                let screen = journey.screen(columns, rows, charset)
                let isTooSmall = columns < 14 || rows < 3
                #expect(screen.text.hasPrefix("too small") == (isTooSmall && columns >= 9 && rows > 0))
                #expect(isTooSmall || screen.text.contains("52.47"))
                #expect(!screen.text.unicodeScalars.contains { $0 == "\u{1b}" || $0 == "漢" })
                if charset == .ascii { #expect(screen.text.utf8.allSatisfy { $0 == 10 || (0x20...0x7e).contains($0) }) }
            }
        }
    }

    @Test("beside the map") func userIsBesideTheMap() {
        var journey = Self.walk()
        for _ in 0..<4 { journey.press(.right) }
        let lines = journey.text(80, 24).split(separator: "\n", omittingEmptySubsequences: false)
        // The arrow at the left edge points there.
        #expect(lines[11].hasPrefix("←"))
    }

    @Test("simulated and recorded locations are marked") func marks() {
        var journey = Journey()
        var frame = TrackingFrame.test()
        frame.sourceInformation = .init(isSimulated: true)
        journey.frame(frame)
        #expect(journey.text(80, 24).hasPrefix(" north up  simulated "))
        journey.state.recording = "walk.gpx"
        #expect(journey.text(80, 24).hasPrefix(" north up  simulated  ● walk.gpx "))
        #expect(journey.text(80, 24, .ascii).hasPrefix(" north up  simulated  * walk.gpx "))
    }
}
