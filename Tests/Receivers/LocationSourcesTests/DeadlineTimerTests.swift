import NIOCore
import NIOEmbedded
import NIOPosix
import Pacing
import Testing

@testable import LocationSources

@Suite("Deadline timer", .timeLimit(.minutes(10)))
struct DeadlineTimerTests {
    @Test("a deadline that is postponed, moved forward or removed is the one that counts")
    func moves() {
        let loop = EmbeddedEventLoop()
        let timer = DeadlineTimer(eventLoop: loop)
        let start = loop.now
        var fired: [TimeAmount] = []
        timer.action = { fired.append(loop.now - start) }
        func advance(to seconds: Int64) { loop.advanceTime(to: start + .seconds(seconds)) }

        timer.set(start + .seconds(3))
        timer.set(start + .seconds(5))
        advance(to: 4)
        #expect(fired.isEmpty, "put off")
        advance(to: 6)
        #expect(fired == [.seconds(5)])

        timer.set(start + .seconds(20))
        timer.set(start + .seconds(8))
        advance(to: 19)
        #expect(fired == [.seconds(5), .seconds(8)], "moved forward")
        advance(to: 30)
        #expect(fired.count == 2, "once")

        timer.set(start + .seconds(40))
        timer.set(nil)
        advance(to: 50)
        #expect(fired.count == 2, "removed")
        timer.set(start)
        advance(to: 51)
        #expect(fired.count == 3, "a deadline in the past is due at once")
    }

    /// An embedded loop is never late: its clock stands at the time of the timer that fires.
    @Test("on a late loop, actions due before a postponed deadline come first")
    func heldUp() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let order = loop.makePromise(of: [String].self)
        loop.execute {
            let timer = DeadlineTimer(eventLoop: loop)
            var happened: [String] = []
            let now = NIODeadline.now()
            // The action keeps the timer until it is performed.
            timer.action = {
                happened.append("stale")
                order.succeed(happened)
                timer.action = {}
            }
            timer.set(now - .milliseconds(3))
            timer.set(now - .milliseconds(1))
            _ = loop.makeTimer(at: now - .milliseconds(2)) { happened.append("fix") }
        }
        #expect(try await order.futureResult.get() == ["fix", "stale"])
    }
}
