import NIOCore
import NIOEmbedded
import Testing

@testable import LocationSources

@Suite("Deadline timer", .timeLimit(.minutes(1)))
struct DeadlineTimerTests {
    @Test("a deadline that is put off, moved forward or removed is the one that counts")
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
}
