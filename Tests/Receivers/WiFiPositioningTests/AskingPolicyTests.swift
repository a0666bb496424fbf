import SeededRandom
import Testing

@testable import WiFiPositioning

/// Addresses with these numbers.
private func addresses(_ numbers: Range<Int>) -> Set<HardwareAddress> {
    func byte(_ number: Int) -> String { String(number & 255 | 256, radix: 16).suffix(2).description }
    return Set(numbers.compactMap { HardwareAddress("a4:2b:b0:\(byte($0 >> 16)):\(byte($0 >> 8)):\(byte($0))") })
}

private let berlin = NetworkPosition(latitude: 52.52, longitude: 13.405, accuracy: 100)
private let munich = NetworkPosition(latitude: 48.14, longitude: 11.58, accuracy: 100)

extension AskingPolicy {
    fileprivate mutating func exact(_ numbers: Range<Int>, at seconds: Int) -> [Action] {
        scanned(addresses(numbers), isCoarse: false, at: .seconds(seconds))
    }

    fileprivate mutating func coarse(_ numbers: Range<Int>, at seconds: Int) -> [Action] {
        scanned(addresses(numbers), isCoarse: true, at: .seconds(seconds))
    }

    fileprivate mutating func answer(_ position: NetworkPosition?, at seconds: Int) -> [Action] {
        ended(position.map { .position($0) } ?? .notFound, at: .seconds(seconds))
    }
}

@Suite("The policy for queries to a server", .timeLimit(.minutes(10)))
struct AskingPolicyTests {
    let here: NetworkPosition
    let there: NetworkPosition
    /// Has a position of the access points 0 to 9, of the time 0.
    let known: AskingPolicy

    init() throws {
        here = try #require(berlin)
        there = try #require(munich)
        var policy = AskingPolicy()
        _ = policy.exact(0..<10, at: 0)
        _ = policy.answer(here, at: 0)
        known = policy
    }

    @Test("queries new access points, and reports the answer")
    func firstAnswer() {
        var policy = AskingPolicy()
        #expect(policy.exact(0..<10, at: 0) == [.ask])
        #expect(policy.exact(0..<10, at: 5) == [])
        #expect(policy.answer(here, at: 6) == [.report(here)])
    }

    @Test("never sends fewer than two access points, or any offline")
    func tooFew() {
        var policy = AskingPolicy()
        #expect(policy.exact(0..<1, at: 0) == [])
        #expect(policy.exact(0..<0, at: 0) == [])
        #expect(policy.scanned(addresses(0..<10), isCoarse: false, isOnline: false, at: .seconds(0)) == [])
    }

    @Test("reports the known position of the same access points again without a query")
    func sameAccessPoints() {
        var policy = known
        #expect(policy.exact(0..<10, at: 30) == [.report(here)])
        #expect(policy.exact(0..<10, at: 80_000) == [.report(here)])
        // After a day it is no longer known.
        #expect(policy.exact(0..<10, at: 90_000) == [.ask])
    }

    @Test("queries again after 10 minutes if some access points have changed, and at once if half of them have")
    func changedAccessPoints() {
        var policy = known
        #expect(policy.exact(2..<12, at: 60) == [.report(here)])
        #expect(policy.exact(2..<12, at: 599) == [.report(here)])
        #expect(policy.exact(2..<12, at: 600) == [.report(here), .ask])
        policy = known
        #expect(policy.exact(6..<16, at: 60) == [.ask])
        #expect(policy.answer(there, at: 61) == [.report(there)])
        // Both places are known now.
        #expect(policy.exact(0..<10, at: 120) == [.report(here)])
        #expect(policy.exact(6..<16, at: 150) == [.report(there)])
    }

    @Test(
        "does not repeat access points unknown to the server, until some have changed and 10 minutes passed"
    )
    func unknownAccessPoints() {
        var policy = AskingPolicy()
        _ = policy.exact(0..<10, at: 0)
        #expect(policy.answer(nil, at: 1) == [])
        #expect(policy.exact(0..<10, at: 3000) == [])
        #expect(policy.exact(2..<12, at: 60) == [])
        #expect(policy.exact(2..<12, at: 700) == [.ask])
    }

    @Test("waits for 30 seconds between two requests, and 90 after 30 of an hour")
    func intervals() {
        var policy = AskingPolicy()
        var times: [Int] = []
        for second in 0..<7200 where policy.exact(second * 10..<second * 10 + 10, at: second).contains(.ask) {
            times.append(second)
            _ = policy.answer(nil, at: second)
        }
        #expect(times.prefix(30).elementsEqual((0..<30).map { $0 * 30 }))
        #expect(times.dropFirst(30).prefix(25).elementsEqual((0..<25).map { 960 + $0 * 90 }))
    }

    @Test("queries for reduced accuracy alone once an hour, and only far from the known place")
    func coarse() {
        var policy = known
        #expect(policy.coarse(8..<18, at: 4000) == [.report(here.widened)])
        #expect(policy.coarse(20..<30, at: 3599) == [])
        #expect(policy.coarse(20..<30, at: 3600) == [.ask])
        #expect(policy.answer(there, at: 3601) == [.report(there)])
        #expect(policy.coarse(40..<50, at: 7200) == [])
        #expect(policy.coarse(40..<50, at: 7201) == [.ask])
    }

    @Test("does not wait for an hour after a request that did not reach the server")
    func unreachable() {
        var policy = AskingPolicy()
        #expect(policy.coarse(0..<10, at: 0) == [.ask])
        _ = policy.ended(.failed(hasReached: false, retryAfter: nil), at: .seconds(1))
        #expect(policy.coarse(0..<10, at: 30) == [])
        #expect(policy.coarse(0..<10, at: 31) == [.ask])
        _ = policy.ended(.failed(hasReached: true, retryAfter: nil), at: .seconds(32))
        #expect(policy.coarse(0..<10, at: 3000) == [])
    }

    @Test("waits longer after each failure, from 30 seconds to 30 minutes, until an answer")
    func backOff() {
        var policy = AskingPolicy()
        var (now, waits) = (0, [Int]())
        for _ in 0..<8 {
            #expect(policy.exact(0..<10, at: now) == [.ask])
            _ = policy.ended(.failed(hasReached: true, retryAfter: nil), at: .seconds(now))
            let failed = now
            repeat { now += 10 } while !policy.wouldAsk(0..<10, at: now)
            waits.append(now - failed)
        }
        #expect(waits == [30, 60, 120, 240, 480, 960, 1800, 1800])
        _ = policy.exact(0..<10, at: now)
        _ = policy.answer(here, at: now)
        #expect(policy.exact(50..<60, at: now + 30) == [.ask])
    }

    @Test("obeys the server's Retry-After, for a day at most")
    func retryAfter() {
        var policy = AskingPolicy()
        _ = policy.exact(0..<10, at: 0)
        _ = policy.ended(.failed(hasReached: true, retryAfter: .seconds(1000)), at: .seconds(0))
        #expect(policy.exact(0..<10, at: 999) == [])
        #expect(policy.exact(0..<10, at: 1000) == [.ask])
        _ = policy.ended(.failed(hasReached: true, retryAfter: .seconds(1_000_000_000)), at: .seconds(1000))
        #expect(policy.exact(0..<10, at: 87_399) == [])
        #expect(policy.exact(0..<10, at: 87_400) == [.ask])
    }

    @Test("forgets all places on command, and keeps the limits")
    func forgetting() {
        var policy = known
        policy.forget(at: .seconds(10))
        #expect(policy.exact(0..<10, at: 20) == [])
        #expect(policy.exact(0..<10, at: 30) == [.ask])
        policy.forget(at: .seconds(31))
        // An answer that comes too late counts for nothing.
        #expect(policy.answer(here, at: 32) == [])
        #expect(policy.exact(0..<10, at: 33) == [])
    }

    @Test("keeps 64 places")
    func capacity() {
        var policy = AskingPolicy()
        for place in 0..<70 {
            #expect(policy.exact(place * 10..<place * 10 + 10, at: place * 100) == [.ask])
            _ = policy.answer(here, at: place * 100)
        }
        #expect(policy.exact(60..<70, at: 7001) == [.report(here)])
        #expect(!policy.exact(50..<60, at: 7002).contains(.report(here)))
    }

    /// Whatever clients, access points, servers and clocks do.
    @Test(
        "never queries twice in 30 seconds or 61 times in an hour, or twice an hour for reduced accuracy",
        arguments: 0..<20)
    func limits(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var policy = AskingPolicy()
        var now = Duration.zero
        var (asked, reached): ([Duration], [Duration]) = ([], [])
        for _ in 0..<2000 {
            now += .milliseconds(Int.random(in: 0...(Bool.random(using: &random) ? 20_000 : 200_000), using: &random))
            let first = Int.random(in: 0..<600, using: &random)
            let isCoarse = Int.random(in: 0..<4, using: &random) == 0
            let actions = policy.scanned(
                addresses(first..<first + Int.random(in: 0...20, using: &random)), isCoarse: isCoarse, at: now)
            if actions.contains(.ask) {
                asked.append(now)
                #expect(!isCoarse || reached.last.map { now - $0 >= .seconds(3600) } != false)
            }
            guard policy.isAsking, Int.random(in: 0..<3, using: &random) > 0 else { continue }
            switch Int.random(in: 0..<5, using: &random) {
            case 0: _ = policy.ended(.failed(hasReached: false, retryAfter: nil), at: now)
            case 1:
                _ = policy.ended(
                    .failed(hasReached: true, retryAfter: .seconds(Int.random(in: -5...90, using: &random))), at: now)
                reached.append(now)
            case 2:
                policy.forget(at: now)
                reached.append(now)
            case 3:
                _ = policy.ended(.notFound, at: now)
                reached.append(now)
            default:
                _ = policy.ended(.position(here), at: now)
                reached.append(now)
            }
        }
        #expect(asked.count > 100)
        #expect(zip(asked, asked.dropFirst()).allSatisfy { $1 - $0 >= .seconds(30) })
        #expect(zip(asked, asked.dropFirst(60)).allSatisfy { $1 - $0 >= .seconds(3600) })
    }
}

extension AskingPolicy {
    /// True if a scan would have the server asked, which is tried on a copy.
    fileprivate func wouldAsk(_ numbers: Range<Int>, at seconds: Int) -> Bool {
        var copy = self
        return copy.exact(numbers, at: seconds).contains(.ask)
    }
}
