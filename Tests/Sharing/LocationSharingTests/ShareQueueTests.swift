import LocationModel
import Testing

@testable import LocationSharing

/// A machine with a queue, of which it performs the actions.
private struct Site {
    static let start = Timestamp(secondsSince1970: 1_800_000_000)
    private static let steadyStart = ContinuousClock.now

    var machine: ShareMachine
    var seconds = 0.0
    /// The queue as it is on disk; `nil` if there is none.
    var queue: [ShareRecord]?
    /// The messages since they were last taken.
    var sent: [ShareMessage] = []
    var isCancelled = false
    var saved = ShareState()
    var wall: Timestamp { Self.start.advanced(by: .seconds(seconds)) }
    var moment: ShareMachine.Moment {
        .init(wall: wall, steady: Self.steadyStart.advanced(by: .seconds(seconds)))
    }

    /// A site with a share whose queue has positions, a minute apart, that were kept before the start of the program.
    init(_ service: SharingService = .traccar, queued count: Int? = nil, keeps: Bool = true, at seconds: Double = 0) {
        self.seconds = seconds
        queue = count.map { count in
            (0..<count).map { ShareRecord(Self.location(Double($0 - count) * 60), sequence: Int64($0 + 1)) }
        }
        machine = ShareMachine(
            ShareState(), gridKey: [], service: service, queue: count == nil ? nil : Self.start,
            lastSequence: Int64(count ?? 0))
        let share = Self.share(keeps: keeps)
        configure(share)
    }

    static func share(keeps: Bool = true, accuracy: AccuracyAuthorization = .full, from seconds: Double = 0) -> Share {
        var share = Share(
            started: start.advanced(by: .seconds(seconds)), until: start.advanced(by: .seconds(7200)),
            accuracy: accuracy)
        if keeps { share.queue = start }
        return share
    }

    /// A fix 100 m from the one a second before.
    static func location(_ seconds: Double) -> Location {
        var location = Location(
            coordinate: Coordinate(latitude: 47 + seconds / 1112, longitude: 9.5)!,
            timestamp: start.advanced(by: .seconds(seconds)))
        location.horizontalAccuracy = 5
        return location
    }

    private mutating func perform(_ event: (inout ShareMachine, ShareMachine.Moment) -> [ShareMachine.Action]) {
        for action in event(&machine, moment) {
            switch action {
            case .save(let state): saved = state
            case .send(let message): sent.append(message)
            case .cancel: isCancelled = true
            case .wake: break
            case .queue(let record, let start):
                #expect(start == Self.start)
                queue = (queue ?? []) + [record]
            case .remove(let sequences): queue?.removeAll { sequences.contains($0.sequence!) }
            case .load(let count):
                let records = Array((queue ?? []).prefix(count))
                perform { $0.load(records, $1) }
            case .deleteQueue: queue = nil
            }
        }
    }

    mutating func configure(_ share: Share?) { perform { $0.configure(share, $1) } }
    mutating func receive(isReduced: Bool = false) {
        let location = Self.location(seconds)
        perform { $0.receive(location, isReduced: isReduced, $1) }
    }
    mutating func withhold(_ withholding: ShareMachine.Withholding) { perform { $0.withhold(withholding, $1) } }
    mutating func answer(_ outcome: ShareMachine.Outcome = .answered(.stored)) {
        perform { $0.answered(outcome, random: 1, $1) }
    }
    mutating func wake(after seconds: Double = 300) {
        self.seconds += seconds
        perform { $0.wake($1) }
    }

    /// The seconds from the start of the fixes in the messages since the last call.
    mutating func takeSent() -> [[Int]] {
        defer { sent = [] }
        return sent.map { message in
            guard case .positions(let records) = message else { return [] }
            return records.map { Int($0.location.timestamp.duration(since: Self.start) / .seconds(1)) }
        }
    }

    /// Answers all messages, of which the service does not take those with `bad` fixes, and gives those that were stored.
    ///
    /// - Parameter isMoving: true if there is a new fix before every other message.
    mutating func drain(
        bad: [Int] = [], _ outcome: ShareMachine.Outcome = .answered(.stored), isMoving: Bool = false, limit: Int = 100
    ) -> [Int] {
        var stored: [Int] = []
        for turn in 0..<limit {
            if isMoving, turn % 2 == 0 {
                seconds += 1
                receive()
            }
            let messages = takeSent()
            guard let message = messages.last else {
                // The next attempt, unless nothing is left.
                guard queue?.isEmpty == false else { break }
                wake(after: 40)
                continue
            }
            if message.contains(where: bad.contains) {
                answer(outcome)
            } else {
                stored += message
                answer()
            }
        }
        return stored
    }
}

@Suite("The queue of a share", .timeLimit(.minutes(10)))
struct ShareQueueTests {
    @Test("a position is in the queue before it is sent, and until the service has it")
    func kept() {
        var site = Site()
        site.receive()
        #expect(site.queue?.count == 1 && site.takeSent() == [[0]])
        site.answer()
        #expect(site.queue == [])
    }

    @Test("a share that was not told to keep positions has no queue")
    func offByDefault() {
        var site = Site(keeps: false)
        site.receive()
        site.answer(.failed("Gone."))
        #expect(site.queue == nil && site.takeSent() == [[0]])
    }

    @Test("the newest position is sent first, and then the queue in its order")
    func order() {
        var site = Site(queued: 3)
        #expect(site.takeSent() == [])
        site.receive()
        site.answer()
        #expect(site.takeSent() == [[0], [-180]])
        site.seconds = 1
        site.receive()
        site.answer()
        #expect(site.takeSent() == [[1]])
        site.answer()
        #expect(site.drain() == [-120, -60])
        #expect(site.queue == [])
    }

    @Test("positions recorded while the service cannot be reached are sent afterwards, the newest first")
    func outage() {
        var site = Site()
        for second in 0..<250 {
            site.seconds = Double(second)
            site.receive()
            site.answer(.failed("Gone."))
        }
        #expect(site.queue?.count == 250)
        _ = site.takeSent()
        site.wake()
        let stored = site.drain(limit: 1000)
        #expect(stored == [249] + (0..<249))
        #expect(site.queue == [] && site.saved.problem == nil)
    }

    @Test("a service that takes batches receives a hundred positions of the queue at a time")
    func batches() {
        var site = Site(.dawarich, queued: 250)
        site.receive()
        for _ in 0..<4 { site.answer() }
        #expect(site.takeSent().map(\.count) == [1, 100, 100, 50])
        #expect(site.queue == [])
    }

    private static let ends: [(String, @Sendable (inout Site) -> Void)] = [
        ("denied", { $0.withhold(.revoked("Denied.")) }), ("at a place", { $0.withhold(.concealed("None.")) }),
        ("reduced", { $0.receive(isReduced: true) }), ("stopped", { $0.configure(nil) }),
        ("paused", { $0.configure(Site.share().paused) }), ("ended", { $0.wake(after: 7200) }),
        ("of another accuracy", { $0.configure(Site.share(keeps: false, accuracy: .reduced, from: 1)) }),
        ("started without", { $0.configure(Site.share(keeps: false, from: 1)) }),
    ]

    @Test(
        "the queue is deleted and a message being sent is cancelled when a share may no longer send it", arguments: ends
    )
    private func deleted(name: String, end: @Sendable (inout Site) -> Void) {
        var site = Site(queued: 3)
        site.receive()
        site.answer()
        #expect(site.takeSent() == [[0], [-180]])
        end(&site)
        #expect(site.queue == nil)
        #expect(site.isCancelled)
        site.answer(.failed("Cancelled."))
        site.wake()
        #expect(site.takeSent().allSatisfy { $0.allSatisfy { $0 >= 0 } })
        #expect(site.queue == nil)
    }

    @Test("without a fix the queue is sent; without the location service, and before its first answer, the queue waits")
    func withheld() {
        var site = Site(queued: 3)
        site.wake()
        #expect(site.takeSent() == [])
        site.withhold(.unavailable("No fix."))
        #expect(site.takeSent() == [[-180]])
        site.withhold(.interrupted("Gone."))
        site.answer()
        site.wake()
        #expect(site.takeSent() == [] && site.queue?.count == 2)
        site.receive()
        site.answer()
        #expect(site.takeSent() == [[600], [-120]])
    }

    @Test("another end of a share that runs leaves its queue as it is")
    func continued() {
        var site = Site(queued: 3)
        site.configure(Site.share(from: 1))
        #expect(site.queue?.count == 3)
        site.withhold(.unavailable("No fix."))
        #expect(site.drain() == [-180, -120, -60])
    }

    @Test("before the clock is set the queue waits")
    func clockNotSet() {
        var site = Site(queued: 3, at: -36_000)
        site.receive()
        site.wake(after: 1)
        #expect(site.takeSent() == [] && site.queue?.count == 3)
        site.seconds = 0
        site.receive()
        #expect(site.takeSent() == [[0]])
    }

    private static let faults: [(SharingService, ShareMachine.Outcome)] = [
        (.traccar, .answered(.refused("No."))), (.traccar, .answered(.unclear("Closed."))),
        (.dawarich, .answered(.refused("No."))), (.dawarich, .answered(.unclear("Error."))),
    ]

    @Test("positions that the service does not take are left out and counted, and the others arrive", arguments: faults)
    func bad(service: SharingService, outcome: ShareMachine.Outcome) {
        var site = Site(service, queued: 40)
        site.withhold(.unavailable("No fix."))
        let bad = [-2400, -1200, -1140]
        let stored = site.drain(bad: bad, outcome, limit: 1000)
        let expected = (-40..<0).map { $0 * 60 }.filter { !bad.contains($0) }
        #expect(stored.sorted() == expected)
        #expect(site.queue == [] && site.saved.leftOut == 3)
    }

    @Test("positions that are left out do not keep the queue while new ones are sent", arguments: faults)
    func badWhileMoving(service: SharingService, outcome: ShareMachine.Outcome) {
        var site = Site(service, queued: 40)
        let stored = site.drain(bad: [-1200], outcome, isMoving: true, limit: 200)
        #expect(Set(stored).isSuperset(of: (-40..<0).map { $0 * 60 }.filter { $0 != -1200 }))
        #expect(site.saved.leftOut == 1)
    }

    @Test("a position that is alone is not left out, however often it fails, and the share continues")
    func alone() {
        var site = Site(queued: 1)
        site.withhold(.unavailable("No fix."))
        #expect(site.drain(bad: [-60], .answered(.refused("No."))) == [])
        #expect(site.queue?.count == 1 && site.saved.leftOut == nil)
        #expect(site.machine.phase(at: site.moment) != .failed)
    }

    @Test("failures of the network leave nothing out")
    func network() {
        var site = Site(queued: 10)
        site.withhold(.unavailable("No fix."))
        var stored: [Int] = []
        for attempt in 0..<60 {
            let message = site.takeSent().first
            if attempt % 4 == 3, let message {
                stored += message
                site.answer()
            } else {
                site.answer(.failed("Gone."))
                site.wake(after: 10)
            }
        }
        #expect(stored == (-10..<0).map { $0 * 60 } && site.saved.leftOut == nil)
    }

    @Test("ten minutes of refusals stop a share and keep its queue, which another start sends and the end deletes")
    func refused() {
        var site = Site(queued: 10)
        site.withhold(.unavailable("No fix."))
        for _ in 0..<4 {
            site.answer(.answered(.refused("No.")))
            site.wake()
        }
        #expect(site.takeSent() == [[-600], [-540], [-480], [-420], [-360]])
        site.answer(.answered(.refused("No.")))
        #expect(site.saved.problem == "No." && site.machine.phase(at: site.moment) == .failed)
        #expect(site.queue?.count == 10 && !site.machine.isIdle(at: site.moment))
        var other = site
        other.wake()
        #expect(other.takeSent() == [] && other.queue?.count == 10)
        other.wake(after: 7200)
        #expect(other.queue == nil && other.machine.isIdle(at: other.moment))
        site.configure(Site.share(from: site.seconds))
        let stored = site.drain().sorted()
        #expect(stored == (-10..<0).map { $0 * 60 } && site.saved.leftOut == nil)
    }
}

extension Share {
    fileprivate var paused: Share {
        var share = self
        share.isPaused = true
        return share
    }
}
