import Testing

@testable import Pacing

@Suite(.timeLimit(.minutes(10))) struct BackOffTests {
    @Test("delays double up to the longest, and start again after a success")
    func growth() {
        var backOff = BackOff(from: .milliseconds(250), to: .seconds(2))
        for milliseconds in [250, 500, 1000, 2000, 2000] { #expect(backOff.next() == .milliseconds(milliseconds)) }
        backOff.reset()
        #expect(backOff.next() == .milliseconds(250))
    }

    @Test(
        "a delay is drawn from the upper half of its range",
        arguments: [(0.0, 100), (0.5, 150), (1.0, 200)])
    func jitter(random: Double, milliseconds: Int) {
        var backOff = BackOff(from: .milliseconds(200), to: .seconds(2))
        #expect(backOff.next(random: random) == .milliseconds(milliseconds))
        // What is drawn does not change how the next ones grow.
        #expect(backOff.next() == .milliseconds(400))
    }

    @Test("a limit for now shortens a delay, but not the next ones")
    func limit() {
        var backOff = BackOff(from: .milliseconds(200), to: .seconds(2))
        for _ in 0..<4 { #expect(backOff.next(atMost: .milliseconds(150)) == .milliseconds(150)) }
        #expect(backOff.next() == .seconds(2))
    }
}
