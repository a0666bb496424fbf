import NIOCore
import Testing

@testable import Pacing

@Suite("A rate limit", .timeLimit(.minutes(10)))
struct RateLimitTests {
    @Test("allows a burst, then its rate, and a burst again after a pause")
    func burstAndRate() {
        var limit = RateLimit(rate: 100, burst: 200)
        func allowed(of count: Int, at seconds: Int64) -> Int {
            (0..<count).count { _ in limit.allows(at: .uptimeNanoseconds(0) + .hours(1) + .seconds(seconds)) }
        }
        #expect(allowed(of: 10_000, at: 0) == 200)
        #expect(allowed(of: 10_000, at: 1) == 100)
        #expect(allowed(of: 10_000, at: 100) == 200)
    }

    @Test("never interferes with events below its rate")
    func belowTheRate() {
        var limit = RateLimit(rate: 100, burst: 200)
        for second in 0..<100 {
            let now = NIODeadline.uptimeNanoseconds(0) + .seconds(Int64(second))
            #expect((0..<50).allSatisfy { _ in limit.allows(at: now) })
        }
    }
}
