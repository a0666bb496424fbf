import ConditionSimulation
import LocationConditions
import Testing

@Suite("Aims of conditions, with few seeds")
struct AimTests {
    @Test("An hour on the border gives at most two events", arguments: UInt64(1)...8)
    func standing(seed: UInt64) {
        let crossing = Crossing("border", from: SIMD2(100, 0), speed: 0, duration: 3600)
        #expect(crossing.run(seed: seed).states.count <= 2)
    }

    @Test("A passage at 30 m/s is never missed, and never early", arguments: UInt64(1)...20, [0.0, 50, 75])
    func passing(seed: UInt64, aside: Double) {
        let outcome = Crossing("passage", from: SIMD2(-400, aside), speed: 30, duration: 60).run(seed: seed)
        #expect(outcome.states == [.satisfied, .unsatisfied] && outcome.early == 0)
    }

    @Test(
        "An entry and exit in a tunnel are not reported, an entry in a garage is reported once",
        arguments: UInt64(1)...20)
    func gaps(seed: UInt64) {
        var tunnel = Crossing("tunnel", from: SIMD2(-400, 0), speed: 30, duration: 60)
        tunnel.gap = 8...28
        #expect(tunnel.run(seed: seed).states.isEmpty)
        var garage = Crossing("garage", from: SIMD2(-600, 0), speed: 30, duration: 22)
        garage.gap = 1...20
        #expect(garage.run(seed: seed).states == [.satisfied])
    }

    @Test("A day's events are at most 30 s late and none is wrong", arguments: 0..<4)
    func day(kind: Int) {
        let figures = DayPlayer().play(Day.all[kind](3), seed: 3)
        #expect(figures.delays.max() ?? 0 <= 30)
        #expect(figures.wrong == 0 && figures.missed == 0)
        #expect(figures.awake < 0.4 * figures.total)
    }
}
