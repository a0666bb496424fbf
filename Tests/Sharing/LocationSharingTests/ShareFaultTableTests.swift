import LocationModel
import Testing

@testable import LocationSharing

/// A service that answers with a fault for a time, and a machine whose actions are performed.
private struct FaultySite {
    static let start = Timestamp(secondsSince1970: 1_800_000_000)
    private static let steadyStart = ContinuousClock.now

    let service: SharingService
    let fault: ShareMachine.Outcome
    var machine: ShareMachine
    var seconds = 0.0
    var faultyUntil = 0.0
    /// The number of answers that are faulty, besides those until that time.
    var faultyAnswers = 0
    var queue: [ShareRecord]?
    var saved = ShareState()
    /// The times of the stored positions, in seconds from the start.
    var stored: Set<Int> = []
    private var delay = 60.0
    private var sent: ShareMessage?

    init(_ service: SharingService, status: Int, queued count: Int = 0) {
        self.service = service
        fault = .answered(
            ShareAnswer.verdict(of: service, status: status, body: [], origin: "https://service.example"))
        queue =
            count == 0
            ? nil : (0..<count).map { ShareRecord(Self.location(Double($0 - count) * 60), sequence: Int64($0 + 1)) }
        machine = ShareMachine(
            saved, gridKey: [], service: service, queue: count == 0 ? nil : Self.start, lastSequence: Int64(count))
        var share = Share(started: Self.start, until: nil)
        if count > 0 { share.queue = Self.start }
        perform { $0.configure(share, $1) }
    }

    var moment: ShareMachine.Moment {
        .init(
            wall: Self.start.advanced(by: .seconds(seconds)), steady: Self.steadyStart.advanced(by: .seconds(seconds)))
    }
    var phase: SharePhase { machine.phase(at: moment) }
    var isIdle: Bool { machine.isIdle(at: moment) }

    private static func location(_ seconds: Double) -> Location {
        var location = Location(
            coordinate: Coordinate(latitude: 47 + seconds / 11_120, longitude: 9.5)!,
            timestamp: start.advanced(by: .seconds(seconds)))
        location.horizontalAccuracy = 5
        return location
    }

    private mutating func perform(_ event: (inout ShareMachine, ShareMachine.Moment) -> [ShareMachine.Action]) {
        delay = 3600
        for action in event(&machine, moment) {
            switch action {
            case .save(let state): saved = state
            case .send(let message): sent = message
            case .cancel: break
            case .wake(let after): delay = after / .seconds(1)
            case .queue(let record, _): queue = (queue ?? []) + [record]
            case .remove(let sequences): queue?.removeAll { sequences.contains($0.sequence!) }
            case .load(let count):
                let records = Array((queue ?? []).prefix(count))
                perform { $0.load(records, $1) }
            case .deleteQueue: queue = nil
            }
        }
        answer()
    }

    private mutating func answer() {
        guard let message = sent else { return }
        sent = nil
        let isFaulty = seconds < faultyUntil || faultyAnswers > 0
        faultyAnswers = max(0, faultyAnswers - 1)
        if !isFaulty, case .positions(let records) = message {
            for record in records {
                stored.insert(Int((record.location.timestamp.duration(since: Self.start) / .seconds(1)).rounded()))
            }
        }
        let outcome = isFaulty ? fault : .answered(.stored)
        perform { $0.answered(outcome, random: 1, $1) }
    }

    mutating func receive() {
        let location = Self.location(seconds)
        perform { $0.receive(location, isReduced: false, $1) }
    }

    /// Moves on for some seconds, with a fix every half minute.
    mutating func drive(for time: Double) {
        let end = seconds + time
        while seconds < end {
            seconds += 30
            receive()
        }
    }

    mutating func stop() { perform { $0.configure(nil, $1) } }

    /// Has time pass, without a fix.
    mutating func wait(for time: Double) {
        let end = seconds + time
        while seconds < end, !isIdle {
            seconds += min(delay, end - seconds)
            perform { $0.wake($1) }
        }
    }

    /// The same with a new run of the program.
    mutating func restart() {
        machine = ShareMachine(saved, gridKey: [], service: service, queue: queue == nil ? nil : Self.start)
        stop()
    }
}

@Suite("Every status, for a position, a batch and the end: once, for an hour and for ever", .timeLimit(.minutes(10)))
struct ShareFaultTableTests {
    /// An empty 200, as of an unknown webhook, and what else a service, a proxy or a captive portal answers.
    private static let statuses = [
        200, 300, 301, 302, 303, 307, 308, 400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 413, 414, 415,
        418, 421,
        422, 425, 426, 429, 431, 451, 500, 501, 502, 503, 504, 505, 507, 511, 520, 530, 599, 100, 600,
    ]

    /// True for an answer that is no sign of wrong settings, however long it lasts.
    private static func isTemporary(_ status: Int, _ service: SharingService) -> Bool {
        [408, 425, 429].contains(status) || status >= 500 || status == 200 && service != .homeassistant
    }

    @Test(
        "a position: no single answer stops a share, and an hour of them stops only the position or share concerned",
        arguments: statuses)
    func position(status: Int) {
        var once = FaultySite(.homeassistant, status: status)
        once.receive()
        once.faultyAnswers = 1
        once.drive(for: 3600)
        #expect(once.phase == .sharing && once.stored.contains(3600))
        #expect(once.saved.problem == nil && once.saved.isShowing)

        var hour = FaultySite(.homeassistant, status: status)
        hour.receive()
        hour.faultyUntil = 3600
        hour.drive(for: 3600)
        let isTemporary = Self.isTemporary(status, .homeassistant)
        #expect((hour.phase == .sharing) == isTemporary && hour.saved.problem != nil && hour.saved.isShowing)
        hour.drive(for: 600)
        #expect((hour.phase == .sharing) == isTemporary && hour.saved.isShowing == isTemporary)
        #expect(hour.saved.problem == nil || !isTemporary)

        var ever = FaultySite(.homeassistant, status: status)
        ever.receive()
        ever.faultyUntil = .infinity
        ever.drive(for: 2 * 86_400)
        #expect((ever.phase == .sharing) == isTemporary && ever.saved.problem != nil && ever.saved.isShowing)
        #expect(ever.isIdle == !isTemporary && ever.stored == [0])
    }

    @Test(
        "a batch: queued positions are sent afterwards or wait for the user, and none is left out",
        arguments: statuses)
    func batch(status: Int) {
        let kept = Set((-250..<0).map { $0 * 60 })
        var once = FaultySite(.dawarich, status: status, queued: 250)
        once.faultyAnswers = 1
        once.drive(for: 3600)
        #expect(once.phase == .sharing && once.saved.leftOut == nil)
        #expect(kept.subtracting(once.stored) == [])
        #expect(once.stored.contains(3600) && once.queue == [])

        var hour = FaultySite(.dawarich, status: status, queued: 250)
        hour.faultyUntil = 3600
        hour.drive(for: 7200)
        let isTemporary = Self.isTemporary(status, .dawarich)
        #expect((hour.phase == .sharing) == isTemporary && hour.saved.leftOut == nil)
        if isTemporary {
            #expect(kept.subtracting(hour.stored) == [] && hour.queue == [])
        } else {
            #expect((hour.queue ?? []).count > 250 && hour.stored.isEmpty)
        }

        var ever = FaultySite(.dawarich, status: status, queued: 250)
        ever.faultyUntil = .infinity
        ever.drive(for: 86_400)
        #expect((ever.phase == .sharing) == isTemporary && ever.saved.problem != nil)
        #expect((ever.queue ?? []).count > 250 && ever.saved.leftOut == nil && !ever.isIdle)
    }

    @Test(
        "an end: it is sent again until it is confirmed, and until then the service may show the position",
        arguments: statuses)
    func end(status: Int) {
        var once = FaultySite(.homeassistant, status: status)
        once.receive()
        once.faultyAnswers = 1
        once.stop()
        #expect(once.saved.isShowing && !once.isIdle)
        once.wait(for: 60)
        #expect(!once.saved.isShowing && once.isIdle)

        var hour = FaultySite(.homeassistant, status: status)
        hour.receive()
        hour.faultyUntil = 3600
        hour.stop()
        hour.wait(for: 3599)
        #expect(hour.saved.isShowing && !hour.isIdle)
        hour.wait(for: 400)
        #expect(!hour.saved.isShowing && hour.isIdle)

        var ever = FaultySite(.homeassistant, status: status)
        ever.receive()
        ever.faultyUntil = .infinity
        ever.stop()
        ever.wait(for: 3 * 86_400)
        #expect(ever.saved.isShowing && ever.isIdle && ever.seconds < 1.1 * 86_400)
        #expect(ever.saved.problem?.contains("may still show the last position") == true)
        ever.restart()
        #expect(ever.saved.isShowing && ever.isIdle)
        ever.faultyUntil = 0
        ever.restart()
        #expect(!ever.saved.isShowing && ever.isIdle)
    }
}
