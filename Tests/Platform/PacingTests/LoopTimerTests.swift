import NIOCore
import NIOPosix
import Pacing
import Testing

@Suite(.timeLimit(.minutes(10)))
struct LoopTimerTests {
    private let loop = MultiThreadedEventLoopGroup.singleton.next()

    @Test("a timer that is cancelled in the turn in which it is due does not fire")
    func cancelledInItsTurn() async throws {
        let fired = try await loop.flatSubmit { [loop] in
            let end = loop.makePromise(of: [Int].self)
            let deadline = NIODeadline.now()
            var fired: [Int] = []
            var second: LoopTimer?
            _ = loop.makeTimer(at: deadline) {
                fired.append(1)
                second?.cancel()
            }
            second = loop.makeTimer(at: deadline) { fired.append(2) }
            _ = loop.makeTimer(at: deadline) { end.succeed(fired) }
            return end.futureResult
        }.get()
        #expect(fired == [1])
    }

    @Test("a timer fires once, and cancelling it afterwards or twice changes nothing")
    func firesOnce() async throws {
        let fired = try await loop.flatSubmit { [loop] in
            let end = loop.makePromise(of: Int.self)
            var fired = 0
            let first = loop.makeTimer(in: .zero) { fired += 1 }
            let cancelled = loop.makeTimer(in: .zero) { fired += 10 }
            cancelled.cancel()
            cancelled.cancel()
            _ = loop.makeTimer(in: .milliseconds(1)) {
                first.cancel()
                end.succeed(fired)
            }
            return end.futureResult
        }.get()
        #expect(fired == 1)
    }

    @Test("a cancelled timer releases the objects of its action")
    func cancellationLetsGo() async throws {
        final class Held {}
        let isLetGo = try await loop.submit { [loop] in
            var held: Held? = Held()
            weak let observer = held
            let timer = loop.makeTimer(in: .hours(1)) { [held] in _ = held }
            held = nil
            #expect(observer != nil)
            timer.cancel()
            return observer == nil
        }.get()
        #expect(isLetGo)
    }
}
