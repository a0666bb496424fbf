import SeededRandom
import Testing

@testable import MapTiles

@Suite("Coast", .timeLimit(.minutes(10)))
struct CoastTests {
    private let box = CoastBox([0, 0, 10, 10])

    private func land(_ division: CoastDivision?, at x: Double, _ y: Double) -> Bool? {
        guard let division else { return nil }
        let isLand = division.land.contains { $0.contains([x, y]) }
        let isSea = division.sea.contains { $0.contains([x, y]) }
        #expect(isLand != isSea, "\(x), \(y) is land or sea")
        return isLand
    }

    private func size(_ division: CoastDivision?) -> Double {
        (division.map { $0.land + $0.sea } ?? []).reduce(0) { $0 + $1.size }
    }

    @Test("a line from edge to edge has land on its left and sea on its right, whichever way it runs")
    func sides() {
        let north = CoastDivision(box, along: [[[5, -1], [5, 11]]])
        #expect(land(north, at: 2, 5) == true)
        #expect(land(north, at: 8, 5) == false)
        let south = CoastDivision(box, along: [[[5, 11], [5, -1]]])
        #expect(land(south, at: 2, 5) == false)
        #expect(land(south, at: 8, 5) == true)
        #expect(abs(size(north) - 100) < 1e-9)
    }

    @Test("an island in a box is land with sea all around, and a water in it is sea")
    func island() {
        let island: [CoastPoint] = [[2, 2], [8, 2], [8, 8], [2, 8], [2, 2]]
        let lagoon: [CoastPoint] = [[4, 4], [4, 6], [6, 6], [6, 4], [4, 4]]
        let division = CoastDivision(box, along: [island, lagoon])
        #expect(land(division, at: 3, 3) == true)
        #expect(land(division, at: 1, 1) == false)
        #expect(land(division, at: 5, 5) == false)
        #expect(division?.sea.count == 2 && division?.sea.first?.holes.count == 1)
        #expect(abs(size(division) - 100) < 1e-9)
    }

    @Test("a box on land keeps its water, and one without lines is unknown")
    func onLand() {
        let water: [CoastPoint] = [[4, 4], [4, 6], [6, 6], [6, 4], [4, 4]]
        let division = CoastDivision(box, along: [water])
        #expect(land(division, at: 1, 1) == true)
        #expect(land(division, at: 5, 5) == false)
        #expect(CoastDivision(box, along: []) == nil)
        #expect(CoastDivision(box, along: [[[20, 0], [20, 10]]]) == nil)
    }

    @Test("a strait has land on both sides, and an island in it is kept")
    func strait() {
        let lines: [[CoastPoint]] = [
            [[3, -1], [3, 11]], [[7, 11], [7, -1]], [[4.5, 4.5], [5.5, 4.5], [5.5, 5.5], [4.5, 5.5], [4.5, 4.5]],
        ]
        let division = CoastDivision(box, along: lines)
        for (x, y, expected) in [(1.0, 5.0, true), (9, 5, true), (4, 5, false), (5, 5, true), (5, 1, false)] {
            #expect(land(division, at: x, y) == expected, "\(x), \(y)")
        }
        #expect(abs(size(division) - 100) < 1e-9)
    }

    @Test("a coast that leaves the box and comes back makes bays of one sea")
    func bays() {
        let line: [CoastPoint] = [[2, -1], [2, 5], [-1, 5], [-1, 7], [2, 7], [2, 11]]
        let division = CoastDivision(box, along: [line])
        // Land on the left: west of the line.
        for (x, y, expected) in [(1.0, 1.0, true), (1, 6, false), (1, 9, true), (8, 6, false)] {
            #expect(land(division, at: x, y) == expected, "\(x), \(y)")
        }
    }

    @Test("a ring that reaches beyond the box is cut where it leaves, wherever it begins")
    func cutRing() {
        let ring: [CoastPoint] = [[5, 5], [15, 5], [15, 15], [5, 15]]
        for shift in 0..<4 {
            var turned = Array(ring[shift...] + ring[..<shift])
            turned.append(turned[0])
            let division = CoastDivision(box, along: [turned])
            #expect(land(division, at: 8, 8) == true)
            #expect(land(division, at: 2, 2) == false)
            #expect(abs((division?.land.first?.size ?? 0) - 25) < 1e-9)
        }
    }

    @Test("a line that ends inside the box is continued to the nearest edge")
    func looseEnds() {
        let division = CoastDivision(box, along: [[[5, 1], [5, 9]]])
        #expect(land(division, at: 2, 5) == true)
        #expect(land(division, at: 8, 5) == false)
        #expect(abs(size(division) - 100) < 1e-9)
    }

    @Test("for any lines, areas stay in the box and the work ends")
    func anything() {
        var random = SeededGenerator(seed: 12)
        for _ in 0..<500 {
            let lines = (0..<Int.random(in: 0..<6, using: &random)).map { _ in
                (0..<Int.random(in: 0..<7, using: &random)).map { _ in
                    CoastPoint(
                        Double(Int.random(in: -2...12, using: &random)), Double(Int.random(in: -2...12, using: &random))
                    )
                }
            }
            guard let division = CoastDivision(box, along: lines) else { continue }
            for area in division.land + division.sea {
                #expect(area.outer.allSatisfy(box.grown(by: 1e-9).contains))
                #expect(Ring.area(area.outer) > 0)
            }
        }
    }

    @Test("ways are put together by their ends, and rings close")
    func joining() {
        let places: [Int64: CoastPoint] = [
            1: [0, 0], 2: [1, 0], 3: [1, 1], 4: [0, 1], 5: [5, 5], 6: [6, 6], 7: [7, 7],
        ]
        let ways = [[2, 3], [6, 7], [4, 1], [5, 6], [1, 2], [3, 4]].map { Coast.Way(nodes: $0) }
        let lines = Coast.join(ways, at: places)
        #expect(lines.count == 2)
        #expect(lines.first == [[5, 5], [6, 6], [7, 7]])
        #expect(lines.last?.first == lines.last?.last && lines.last?.count == 5)
    }

    @Test("cells beside a coast are land and sea, within the bounds, and cells far from it are left out")
    func cells() {
        // A coast along a meridian, land in the west.
        let line = (0...400).map { CoastPoint(20.05, 59 + Double($0) / 200) }
        let bounds = CoastBox([18, 59.5, 22, 60.5])
        let divisions = Coast.areas(along: [line], in: bounds)
        func state(_ x: Double, _ y: Double) -> Bool? {
            let isLand = divisions.contains { $0.land.contains { $0.contains([x, y]) } }
            let isSea = divisions.contains { $0.sea.contains { $0.contains([x, y]) } }
            return isLand == isSea ? nil : isLand
        }
        #expect(state(19.9, 60) == true && state(20.2, 60) == false)
        #expect(state(19.7, 60) == true && state(20.4, 60) == false)
        #expect(state(18.5, 60) == nil && state(21.5, 60) == nil)
        #expect(state(20.2, 59.2) == nil)
        let points = divisions.flatMap { $0.land + $0.sea }.flatMap(\.outer)
        #expect(points.allSatisfy(bounds.grown(by: 1e-9).contains))
    }

    @Test("a segment across the world is not a coast, and is skipped")
    func wild() {
        let lines: [[CoastPoint]] = Array(repeating: [[-179, -80], [179, 80]], count: 1000)
        #expect(Coast.areas(along: lines, in: CoastBox([-180, -85, 180, 85])).isEmpty)
    }
}
