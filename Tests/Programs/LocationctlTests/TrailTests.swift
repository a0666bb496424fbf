import CommandLineSupport
import SeededRandom
import LocationModel
import Testing

@testable import locationctl

@Suite(.timeLimit(.minutes(10))) struct TrailTests {
    private let plane = TangentPlane(at: .park)

    private func place(_ east: Double, _ north: Double = 0) -> Coordinate {
        plane.coordinate(at: Metres(east: east, north: north))
    }

    @Test func lengthOfAWalk() {
        var trail = Trail()
        for second in 0...600 {
            trail.add(place(Double(second) * 1.4), accuracy: 4, at: .seconds(second))
        }
        #expect(abs(trail.distance - 840) < 6)
        #expect(trail.points.count > 300)
    }

    @Test func theDistanceOfAWalkDoesNotLagBecauseOfAPoorAccuracy() {
        var trail = Trail()
        for second in 0...60 {
            trail.add(place(Double(second) * 1.4), accuracy: 28, speed: 1.4, at: .seconds(second))
            #expect(Double(second) * 1.4 - trail.distance < 6.5)
        }
    }

    @Test func aPoorPositionAtStandstillAddsNoDistance() {
        var generator = SeededGenerator(seed: 10)
        var trail = Trail()
        for second in 0...600 {
            let noise = (Double.random(in: -6...6, using: &generator), Double.random(in: -6...6, using: &generator))
            trail.add(place(noise.0, noise.1), accuracy: 28, speed: 0, at: .seconds(second))
        }
        #expect(trail.distance == 0)
    }

    @Test func standingStillAddsNoDistance() {
        var generator = SeededGenerator(seed: 9)
        var trail = Trail()
        for second in 0...600 {
            let noise = (Double.random(in: -2...2, using: &generator), Double.random(in: -2...2, using: &generator))
            trail.add(place(noise.0, noise.1), accuracy: 6, at: .seconds(second))
        }
        #expect(trail.distance == 0)
    }

    @Test func aJumpIsNoWay() {
        var trail = Trail()
        trail.add(place(0), accuracy: 4, at: .seconds(0))
        trail.add(place(10), accuracy: 4, at: .seconds(1))
        trail.add(place(5000), accuracy: 4, at: .seconds(2))
        trail.add(place(5010), accuracy: 4, at: .seconds(3))
        #expect(abs(trail.distance - 20) < 0.1)
        #expect(trail.points.map(\.isFirst) == [true, false, true, false])
    }

    @Test func gapAddsNoDistance() {
        var trail = Trail()
        trail.add(place(0), accuracy: 4, at: .seconds(0))
        trail.interrupt()
        trail.add(place(50), accuracy: 4, at: .seconds(60))
        trail.add(place(60), accuracy: 4, at: .seconds(61))
        #expect(abs(trail.distance - 10) < 0.1)
        #expect(trail.points.map(\.isFirst) == [true, true, false])
    }

    @Test func whatIsLongAgoIsForgotten() {
        var trail = Trail()
        for tenth in 0..<100_000 {
            trail.add(place(Double(tenth) / 2, 0), accuracy: 4, at: .milliseconds(100 * tenth))
        }
        #expect(trail.points.count <= 1801)
        #expect(abs(trail.distance - 50_000) < 10)
    }
}
