import NIOCore
import NIOEmbedded
import Pacing
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10)))
struct LoopSliceTests {
    @Test("work pauses for twice its slice, and for 10 ms at most", arguments: [(0, 0), (2, 4), (5, 10), (300, 10)])
    func pause(milliseconds: Int64, pause: Int64) {
        let loop = EmbeddedEventLoop()
        let resumptions = Mutex(0)
        let slice = LoopSlice(on: loop)
        loop.advanceTime(by: .milliseconds(milliseconds))
        slice.resumeLater { resumptions.withLock { $0 += 1 } }
        loop.advanceTime(by: .milliseconds(pause) - .microseconds(1))
        #expect(resumptions.withLock { $0 } == 0)
        loop.advanceTime(by: .microseconds(100))
        #expect(resumptions.withLock { $0 } == 1)
    }
}
