import LocationModel
import Testing

@testable import LocationSharing

/// A machine with a clock of its own.
private struct Site {
    static let start = Timestamp(secondsSince1970: 1_800_000_000)
    static let steadyStart = ContinuousClock.now

    var machine: ShareMachine
    var seconds = 0.0
    /// How far the wall clock is ahead of the time that has passed.
    var offset = 0.0

    init(
        _ state: ShareState = ShareState(), for hours: Double? = 2, accuracy: AccuracyAuthorization = .full,
        service: SharingService = .homeassistant, offset: Double = 0
    ) {
        self.offset = offset
        machine = ShareMachine(state, gridKey: (0..<16).map { $0 }, service: service)
        _ = machine.configure(Self.share(hours, accuracy), moment)
    }

    static func share(_ hours: Double?, _ accuracy: AccuracyAuthorization = .full) -> Share {
        Share(started: start, until: hours.map { start.advanced(by: .seconds($0 * 3600)) }, accuracy: accuracy)
    }

    var moment: ShareMachine.Moment {
        .init(
            wall: Self.start.advanced(by: .seconds(seconds + offset)),
            steady: Self.steadyStart.advanced(by: .seconds(seconds)))
    }

    /// A position `meters` north of the first one, now or some seconds ago.
    func location(_ meters: Double = 0, age: Double = 0, speed: Double? = nil) -> Location {
        let coordinate = Coordinate(latitude: 47 + meters / 111_200, longitude: 9.5)!
        var location = Location(coordinate: coordinate, timestamp: moment.wall.advanced(by: .seconds(-age)))
        (location.horizontalAccuracy, location.speed) = (5, speed)
        return location
    }

    mutating func receive(_ location: Location? = nil, isReduced: Bool = false) -> [ShareMachine.Action] {
        machine.receive(location ?? self.location(), isReduced: isReduced, moment)
    }

    mutating func answer(_ outcome: ShareMachine.Outcome = .answered(.stored)) -> [ShareMachine.Action] {
        machine.answered(outcome, random: 1, moment)
    }

    mutating func stop() -> [ShareMachine.Action] { machine.configure(nil, moment) }

    mutating func wake(after seconds: Double) -> [ShareMachine.Action] {
        self.seconds += seconds
        return machine.wake(moment)
    }

    /// A site that has sent a position, which the service has.
    static func sharing(for hours: Double? = 2) -> Site {
        var site = Site(for: hours)
        _ = site.receive()
        _ = site.answer()
        return site
    }
}

extension ShareMachine {
    /// Takes a position. Returns true if it ends the share.
    fileprivate mutating func receiveEnds(_ location: Location, _ moment: Moment) -> Bool {
        _ = receive(location, isReduced: false, moment)
        return phase(at: moment) == .ended
    }
}

extension [ShareMachine.Action] {
    /// The message that is sent; `nil` for none.
    fileprivate var message: ShareMessage? {
        compactMap { if case .send(let message) = $0 { message } else { nil } }.first
    }
    fileprivate var sendsPosition: Bool { if case .positions? = message { true } else { false } }
    fileprivate var sendsEnd: Bool { if case .end? = message { true } else { false } }
    fileprivate var cancels: Bool { contains(.cancel) }
    fileprivate var delay: Duration? {
        compactMap { if case .wake(let delay) = $0 { delay } else { nil } }.first
    }
    fileprivate var saved: ShareState? {
        compactMap { if case .save(let state) = $0 { state } else { nil } }.first
    }
}

@Suite("Times and contents of messages", .timeLimit(.minutes(10)))
struct ShareMachineTests {
    @Test("that a service may show the position is saved before the first one is sent")
    func savedFirst() {
        var site = Site()
        let actions = site.receive()
        #expect(actions.saved?.isShowing == true)
        let save = actions.firstIndex { if case .save = $0 { true } else { false } }
        let send = actions.firstIndex { if case .send = $0 { true } else { false } }
        #expect(save! < send!)
    }

    @Test("an impossible position is left out and counted, and the next one there is not")
    func impossiblePlace() {
        var site = Site.sharing()
        site.seconds = 10
        #expect(site.receive(site.location(9000)).message == nil)
        site.seconds = 11
        #expect(site.receive(site.location(110)).sendsPosition)
        #expect(site.machine.state.implausible == 1)
        _ = site.answer()
        site.seconds = 21
        #expect(site.receive(site.location(-9000)).message == nil)
        site.seconds = 22
        #expect(site.receive(site.location(-9001)).sendsPosition)
        #expect(site.machine.state.implausible == 2)
    }

    @Test("a fixed position that was set elsewhere is sent at once")
    func movedFixedPosition() {
        var site = Site.sharing()
        site.seconds = 10
        var location = site.location(9000)
        location.sourceInformation = .init(kind: .fixed)
        #expect(site.receive(location).sendsPosition)
        #expect(site.machine.state.implausible == nil)
    }

    @Test(
        "after a receiver's clock was set, its positions are sent, and those ahead of the clock are counted",
        arguments: [(-30, 0), (619_315_200, 3), (599_594_400, 3), (0, 0)] as [(Double, Int)])
    func clockSteps(step: Double, leftOut: Int) {
        var site = Site.sharing()
        var sent = 0
        for index in 1...6 {
            site.seconds = Double(index) * 20
            var location = site.location(Double(index) * 60)
            if index < 4 { location.timestamp = location.timestamp.advanced(by: .seconds(step)) }
            if site.receive(location).sendsPosition { sent += 1 }
            _ = site.answer()
        }
        #expect(sent == 6 - leftOut)
        #expect(site.machine.state.implausible ?? 0 == leftOut)
        // A clock that is wrong for long costs few writes.
        var saved = 0
        for index in 1...1000 {
            site.seconds += 1
            var location = site.location(360)
            location.timestamp = location.timestamp.advanced(by: .seconds(1e6 + Double(index)))
            if site.receive(location).saved != nil { saved += 1 }
        }
        #expect(saved <= 12, "\(saved)")
    }

    @Test("one message at a time, then the newest position only, ten seconds after the one before")
    func newestOnly() {
        var site = Site()
        #expect(site.receive().sendsPosition)
        for meters in [100.0, 200, 300] { #expect(site.receive(site.location(meters)).message == nil) }
        #expect(site.answer().delay == .seconds(10))
        site.seconds = 9.9
        #expect(site.machine.wake(site.moment).message == nil)
        let last = site.location(300, age: 9.9)
        #expect(site.wake(after: 0.1).message == .positions([ShareRecord(last)]))
    }

    @Test("a user who stays is sent every five minutes, and at once on leaving")
    func parked() {
        var site = Site.sharing()
        site.seconds = 20
        #expect(site.receive(site.location(10)).message == nil)
        #expect(site.receive(site.location(100)).sendsPosition)
        _ = site.answer()
        site.seconds += 299
        #expect(site.receive(site.location(100)).message == nil)
        site.seconds += 1
        #expect(site.receive(site.location(100)).sendsPosition)
        _ = site.answer()
        site.seconds += 10
        #expect(site.receive(site.location(100, speed: 3)).sendsPosition)
    }

    @Test("a service that keeps times receives the thinned track, without an interval")
    func thinned() {
        var site = Site(service: .traccar)
        #expect(site.receive().sendsPosition)
        _ = site.answer()
        site.seconds = 1
        #expect(site.receive(site.location(9)).message == nil)
        #expect(site.receive(site.location(11)).sendsPosition)
        _ = site.answer()
        site.seconds = 60
        #expect(site.receive(site.location(11)).message == nil)
        site.seconds = 61
        #expect(site.receive(site.location(11)).sendsPosition)
        _ = site.answer()
        // Whatever comes after a gap is kept.
        _ = site.machine.withhold(.unavailable("No fix."), site.moment)
        #expect(site.receive(site.location(11)).sendsPosition)
    }

    @Test("the time of the last delivery alone is saved every ten seconds at most")
    func savedSeldom() {
        var site = Site(service: .traccar)
        _ = site.receive()
        #expect(site.answer().saved != nil)
        for seconds in 1...9 {
            site.seconds = Double(seconds)
            #expect(site.receive(site.location(Double(seconds) * 20)).sendsPosition)
            #expect(site.answer().saved == nil)
        }
        site.seconds = 10
        _ = site.receive(site.location(200))
        #expect(site.answer().saved?.lastDelivery == site.moment.wall)
    }

    @Test("reduced positions are not thinned, and sent four times an hour")
    func reducedIsNotThinned() {
        var site = Site(accuracy: .reduced, service: .traccar)
        #expect(site.receive().sendsPosition)
        _ = site.answer()
        for seconds in stride(from: 60.0, to: 300, by: 60) {
            site.seconds = seconds
            #expect(site.receive(site.location(seconds)).message == nil)
        }
    }

    @Test("the end is sent at the end of the share, and again until the service has it")
    func end() {
        var site = Site.sharing()
        #expect(site.wake(after: 7199).message == nil)
        #expect(site.wake(after: 1).sendsEnd)
        #expect(site.receive(site.location(500)).message == nil)
        #expect(site.answer(.failed("Gone.")).message == nil)
        #expect(site.receive(site.location(600)).message == nil)
        #expect(!site.machine.isIdle(at: site.moment))
        #expect(site.wake(after: 1).sendsEnd)
        #expect(site.answer().saved?.isShowing == false)
        #expect(site.machine.isIdle(at: site.moment))
    }

    @Test("a service that cannot forget is sent nothing at the end, and no work remains")
    func keeping() {
        var site = Site(service: .traccar)
        #expect(site.receive().sendsPosition)
        _ = site.answer()
        #expect(site.stop().message == nil)
        #expect(site.machine.isIdle(at: site.moment))
    }

    @Test("nothing is sent for the end of a share that has sent nothing")
    func silentEnd() {
        var site = Site()
        #expect(site.stop().message == nil)
        #expect(site.machine.isIdle(at: site.moment))
    }

    /// Tells the service of the end, in vain, until this run gives up. Returns the hours.
    private static func tellInVain(_ site: inout Site, _ actions: [ShareMachine.Action]) -> Double {
        let start = site.seconds
        var actions = actions
        while true {
            if actions.message != nil { actions = site.answer(.failed("Gone.")) }
            guard let delay = actions.delay else { return (site.seconds - start) / 3600 }
            actions = site.wake(after: delay / .seconds(1))
        }
    }

    @Test(
        "a service that does not confirm the end is sent it for a day, then once by each run, and is reported as showing the position"
    )
    func unreachableEnd() {
        var site = Site.sharing()
        let hours = Self.tellInVain(&site, site.stop())
        #expect(hours > 23.9 && hours < 24.2, "\(hours)")
        #expect(site.machine.state.problem?.contains("may still show the last position") == true)
        #expect(site.machine.isIdle(at: site.moment) && site.machine.state.isShowing)
        var next = Site(site.machine.state)
        #expect(next.stop().sendsEnd)
        _ = next.answer(.answered(.doubtful("Unknown.")))
        #expect(next.wake(after: 300).message == nil)
        #expect(next.machine.isIdle(at: next.moment) && next.machine.state.isShowing)
        var last = Site(next.machine.state)
        #expect(last.stop().sendsEnd)
        #expect(last.answer().saved?.isShowing == false)
        #expect(last.machine.isIdle(at: last.moment))
    }

    @Test("the day for which the end is sent continues across restarts of the program")
    func clearingOverRestarts() {
        var site = Site.sharing()
        #expect(site.stop().sendsEnd)
        _ = site.answer(.failed("Gone."))
        var hours = 0.0
        for _ in 0..<10 {
            site = Site(site.machine.state)
            var actions = site.stop()
            #expect(actions.sendsEnd)
            while site.seconds < 7200, let delay = actions.delay {
                actions = site.wake(after: delay / .seconds(1))
                if actions.message != nil { actions = site.answer(.failed("Gone.")) }
            }
            hours += site.seconds / 3600
        }
        site = Site(site.machine.state)
        hours += Self.tellInVain(&site, site.stop())
        #expect(hours > 23.5 && hours < 25.5, "\(hours)")
    }

    @Test("a clock that jumps 30 days ahead and back does not cancel the end")
    func clearingWithJumps() {
        var site = Site.sharing()
        #expect(site.stop().sendsEnd)
        _ = site.answer(.failed("Gone."))
        for offset in [2_592_000.0, 0] {
            site.offset = offset
            #expect(site.wake(after: 300).sendsEnd)
            _ = site.answer(.failed("Gone."))
        }
        #expect(site.machine.state.isShowing && !site.machine.isIdle(at: site.moment))
    }

    @Test(
        "an end is sent at once, however long the service wanted no messages",
        arguments: ["expiry", "revocation", "arrival", "stop", "pause"])
    func endAtOnce(end: String) {
        var site = Self.untilArrival()
        #expect(site.receive().sendsPosition)
        _ = site.answer()
        site.seconds = 20
        #expect(site.receive(site.location(100)).sendsPosition)
        #expect(site.answer(.answered(.again("Busy.", after: 3600))).message == nil)
        #expect(site.wake(after: 3500).message == nil)
        switch end {
        case "expiry":
            site.seconds = 0
            #expect(site.wake(after: 7200).sendsEnd)
        case "revocation": #expect(site.machine.withhold(.revoked("Denied."), site.moment).sendsEnd)
        case "arrival": #expect(site.receive(site.location(1000)).sendsEnd)
        case "stop": #expect(site.stop().sendsEnd)
        default:
            var share = Site.share(2)
            share.isPaused = true
            #expect(site.machine.configure(share, site.moment).sendsEnd)
        }
    }

    @Test("a share that is allowed again sends at once, though its end could not be sent")
    func allowedAgain() {
        var site = Site.sharing()
        #expect(site.machine.withhold(.revoked("Denied."), site.moment).sendsEnd)
        _ = site.answer(.answered(.again("Busy.", after: 3600)))
        site.seconds = 60
        #expect(site.receive(site.location(100)).sendsPosition)
    }

    @Test("a share that has ended is not revived by a clock that is set back")
    func clockSetBack() {
        var site = Site.sharing()
        _ = site.wake(after: 7200)
        _ = site.answer()
        site.offset = -7000
        #expect(site.machine.phase(at: site.moment) == .ended)
        #expect(site.receive().message == nil)
    }

    @Test("a restart continues a share without prolonging it, and after its end sends the end only")
    func restart() {
        var state = ShareState()
        state.isShowing = true
        var within = Site(state, for: 2)
        #expect(within.receive().sendsPosition)
        var after = ShareMachine(state, gridKey: [], service: .homeassistant)
        let moment = ShareMachine.Moment(wall: Site.start.advanced(by: .seconds(7201)), steady: .now)
        #expect(after.configure(Site.share(2), moment).sendsEnd)
        var gone = ShareMachine(state, gridKey: [], service: .homeassistant)
        #expect(gone.configure(nil, moment).sendsEnd)
    }

    @Test("nothing is sent before the start by the clock of a machine that does not know the time yet")
    func clockNotSet() {
        var site = Site(offset: -36_000)
        #expect(site.receive().message == nil)
        #expect(site.machine.phase(at: site.moment) == .clockNotSet)
        site.offset = 0
        #expect(site.receive().sendsPosition)
    }

    @Test(
        "a share that was started while the clock was days ahead stops when it is set, and the service forgets the position"
    )
    func clockWasAhead() {
        var site = Site.sharing(for: 24)
        site.offset = -172_800
        #expect(site.wake(after: 5).sendsEnd)
        #expect(site.machine.phase(at: site.moment) == .failed)
        #expect(site.answer().saved?.problem?.contains("clock") == true)
        #expect(site.machine.isIdle(at: site.moment))
        _ = site.wake(after: 172_800)
        #expect(site.receive(site.location(100)).message == nil)
        #expect(site.machine.phase(at: site.moment) != .sharing)
    }

    @Test("a clock that is set back by some minutes does not stop a share")
    func smallStep() {
        var site = Site.sharing()
        site.seconds = 20
        site.offset = -600
        #expect(site.receive(site.location(100)).message == nil)
        #expect(site.machine.phase(at: site.moment) == .clockNotSet)
        site.seconds = 560
        #expect(site.receive(site.location(200)).sendsPosition)
    }

    @Test(
        "a service is told to forget the position if the clock is not set ten minutes after a start, or when it is revoked"
    )
    func waitingForClock() {
        var state = ShareState()
        state.isShowing = true
        var site = Site(state, offset: -36_000)
        #expect(site.wake(after: 590).message == nil)
        var revoked = site
        #expect(revoked.machine.withhold(.revoked("Denied."), revoked.moment).sendsEnd)
        #expect(site.machine.isHolding(at: site.moment))
        #expect(site.wake(after: 10).sendsEnd)
        _ = site.answer()
        #expect(!site.machine.isHolding(at: site.moment))
        site.offset = 0
        #expect(site.receive().sendsPosition)
        var longer = Site(state, offset: -864_000)
        _ = longer.wake(after: 1)
        _ = longer.wake(after: 90_000)
        #expect(longer.machine.phase(at: longer.moment) == .failed)
    }

    @Test(
        "a position is sent when it can be on disk that the service may show it, and the end even if nothing can be saved"
    )
    func fullDisk() {
        var site = Site()
        let actions = site.receive()
        #expect(actions.sendsPosition && actions.saved?.isShowing == true)
        let isSent = site.machine.notSaved("The disk is full.", site.moment)
        #expect(!isSent)
        #expect(site.wake(after: 0).delay == .seconds(10))
        #expect(site.machine.state.problem == "The disk is full." && !site.machine.state.isShowing)
        #expect(site.wake(after: 9).message == nil)
        #expect(site.receive(site.location(50)).message == nil)
        let later = site.wake(after: 1)
        #expect(later.sendsPosition && later.saved?.isShowing == true)
        #expect(site.answer().saved?.problem == nil)
        // From now on it is on disk that it may show the position.
        site.seconds = 60
        let next = site.receive(site.location(600))
        #expect(next.sendsPosition)
        _ = site.answer()
        let end = site.stop()
        #expect(end.sendsEnd && end.saved != nil)
        let isEndSent = site.machine.notSaved("The disk is full.", site.moment)
        #expect(isEndSent)
        #expect(site.answer().saved == nil)
        #expect(!site.machine.isIdle(at: site.moment))
        #expect(site.wake(after: 10).saved?.isShowing == false)
        #expect(site.machine.isIdle(at: site.moment))
    }

    @Test("invalid numbers in a damaged file of a state or a queue have no effect")
    func damagedNumbers() {
        var state = ShareState()
        (state.leftOut, state.implausible, state.clearingTime) = (.max, .max, -.infinity)
        (state.endedShare, state.lastDelivery) = (
            Timestamp(nanosecondsSince1970: .min), .init(nanosecondsSince1970: .max)
        )
        state.isShowing = true
        for last in [Int64.min, -1, .max] {
            var machine = ShareMachine(state, gridKey: [], service: .traccar, queue: Site.start, lastSequence: last)
            let moment = ShareMachine.Moment(wall: Site.start)
            var share = Site.share(nil)
            share.queue = Site.start
            (share.thinning, share.until) = (
                Thinning(maximumError: -1, maximumInterval: -5), .init(nanosecondsSince1970: .max)
            )
            _ = machine.configure(share, moment)
            _ = machine.load([], damaged: .max, moment)
            for seconds in [0.0, 1, -100, 5] {
                let location = Location(
                    coordinate: Coordinate(latitude: 47, longitude: 9)!,
                    timestamp: Site.start.advanced(by: .seconds(seconds)))
                let actions = machine.receive(location, isReduced: false, moment)
                for case .queue(let record, _) in actions { #expect(record.sequence! > 0) }
                _ = machine.answered(.answered(.again("Busy.", after: .max)), random: 1, moment)
            }
            #expect(machine.state.leftOut == 1_000_000_000)
        }
    }

    @Test(
        "a revoked permission drops waiting positions, cancels the one being sent, and makes the service forget the position"
    )
    func revoked() {
        var site = Site.sharing()
        site.seconds = 20
        _ = site.receive(site.location(100))
        _ = site.receive(site.location(200))
        #expect(site.machine.withhold(.revoked("Denied."), site.moment).cancels)
        #expect(site.answer(.cancelled).sendsEnd)
        _ = site.answer()
        #expect(site.wake(after: 600).message == nil)
        // Allowed again.
        #expect(site.receive(site.location(300)).sendsPosition)
    }

    @Test("a position that was being sent at a revocation and that the service has stored is forgotten, too")
    func storedMeanwhile() {
        var site = Site()
        _ = site.receive()
        #expect(site.machine.withhold(.revoked("Denied."), site.moment).cancels)
        #expect(site.answer(.answered(.stored)).sendsEnd)
    }

    @Test("without a fix waiting positions are dropped, and the service keeps the last one")
    func unavailable() {
        var site = Site.sharing()
        _ = site.receive(site.location(100))
        #expect(site.machine.withhold(.unavailable("No fix."), site.moment).message == nil)
        #expect(site.wake(after: 60).message == nil)
    }

    @Test("reduced accuracy drops waiting positions and cancels the one being sent")
    func reducedByTheUser() {
        var site = Site()
        _ = site.receive()
        _ = site.receive(site.location(100))
        #expect(site.machine.limitAccuracy(site.moment).cancels)
        #expect(site.answer(.cancelled).message == nil)
        #expect(site.receive(site.location(5000), isReduced: true).sendsPosition)
        #expect(site.answer(.failed("Gone.")).message == nil)
        // What is sent again is still what was reduced.
        #expect(site.wake(after: 5).message == .positions([ShareRecord(site.location(5000, age: 5), isReduced: true)]))
    }

    @Test(
        "an exact position that was being sent when the accuracy was reduced is not sent again",
        arguments: [
            .failed("Gone."), .answered(.again("Busy.", after: nil)), .answered(.doubtful("Unknown.")),
            .answered(.unclear("Odd.")), .answered(.refused("No.")), .cancelled,
        ] as [ShareMachine.Outcome])
    func underWayWhenReduced(outcome: ShareMachine.Outcome) {
        for isPending in [false, true] {
            var site = Site()
            _ = site.receive()
            if isPending { _ = site.receive(site.location(100)) }
            #expect(site.machine.limitAccuracy(site.moment).cancels)
            #expect(site.answer(outcome).message == nil)
            for _ in 0..<20 { #expect(site.wake(after: 60).message == nil) }
        }
    }

    @Test("a share of reduced accuracy sends the centre of a cell, four times an hour")
    func reducedByTheShare() throws {
        var site = Site(accuracy: .reduced)
        guard case .positions(let records)? = site.receive().message, let record = records.first else {
            Issue.record("nothing is sent")
            return
        }
        #expect(record.isReduced && record.location.horizontalAccuracy! > 1000)
        #expect(record.location.speed == nil)
        _ = site.answer()
        site.seconds = 899
        #expect(site.receive(site.location(90_000)).message == nil)
        site.seconds = 900
        #expect(site.receive(site.location(90_000)).sendsPosition)
    }

    @Test("a pause makes the service forget the position, and ends as the share would have")
    func pause() {
        var site = Site.sharing()
        var share = Site.share(2)
        share.isPaused = true
        #expect(site.machine.configure(share, site.moment).sendsEnd)
        _ = site.answer()
        #expect(site.receive(site.location(100)).message == nil)
        share.isPaused = false
        _ = site.machine.configure(share, site.moment)
        #expect(site.receive(site.location(100)).sendsPosition)
        _ = site.answer()
        #expect(site.wake(after: 7200).sendsEnd)
    }

    @Test("a position is sent again after 1, 2, 4 s and so on, or when the service says, unless there is a newer one")
    func again() {
        var site = Site()
        _ = site.receive()
        #expect(site.answer(.failed("Gone.")).delay == .seconds(1))
        #expect(site.wake(after: 1).message == .positions([ShareRecord(site.location(age: 1))]))
        #expect(site.answer(.failed("Gone.")).delay == .seconds(2))
        #expect(site.receive(site.location(50)).message == nil)
        #expect(site.wake(after: 2).message == .positions([ShareRecord(site.location(50, age: 2))]))
        #expect(site.answer(.answered(.again("Busy.", after: 30))).delay == .seconds(30))
    }

    /// A share that ends 1000 m north of the first position.
    private static func untilArrival(
        _ state: ShareState = ShareState(), service: SharingService = .homeassistant
    ) -> Site {
        var site = Site(state, service: service)
        var share = Site.share(2)
        share.arrival = Arrival(name: "home", center: site.location(1000).coordinate, radius: 100)
        _ = site.machine.configure(share, site.moment)
        return site
    }

    @Test("a share ends when the user arrives at the place, whose positions are not sent")
    func arrival() {
        var site = Self.untilArrival()
        #expect(site.receive().sendsPosition)
        _ = site.answer()
        site.seconds = 20
        #expect(site.receive(site.location(890)).sendsPosition)
        _ = site.answer()
        site.seconds = 40
        #expect(site.receive(site.location(950)).sendsEnd)
        #expect(site.machine.phase(at: site.moment) == .ended)
        _ = site.answer()
        #expect(site.receive(site.location(0)).message == nil)
    }

    @Test("a share that starts at the place continues until the user has left it and returns, also across a restart")
    func roundTrip() {
        var site = Self.untilArrival(service: .traccar)
        for meters in [1000.0, 950, 1105, 1000, 1200] {
            site.seconds += 30
            let isEnded = site.machine.receiveEnds(site.location(meters), site.moment)
            #expect(!isEnded)
        }
        var next = Self.untilArrival(site.machine.state, service: .traccar)
        let isEnded = next.machine.receiveEnds(next.location(1000), next.moment)
        #expect(isEnded)
    }

    @Test("a position that is not accurate enough, or reduced, is no arrival")
    func doubtfulArrival() {
        var site = Self.untilArrival(service: .traccar)
        _ = site.receive()
        var location = site.location(1000)
        location.horizontalAccuracy = 150
        let isEnded = site.machine.receiveEnds(location, site.moment)
        #expect(!isEnded)
        _ = site.machine.receive(site.location(1000), isReduced: true, site.moment)
        #expect(site.machine.phase(at: site.moment) == .sharing)
    }

    @Test("a position that got too old is not sent, unless the user has stayed there")
    func stale() {
        var site = Site()
        _ = site.receive()
        _ = site.answer(.failed("Gone."))
        #expect(site.wake(after: 301).message == nil)
        var staying = Site()
        _ = staying.receive()
        _ = staying.answer(.failed("Gone."))
        _ = staying.machine.stay(staying.moment)
        #expect(staying.wake(after: 301).sendsPosition)
    }

    @Test("a position with a time in the future is not sent, because it would stay the newest")
    func future() {
        var site = Site()
        #expect(site.receive(site.location(age: -61)).message == nil)
        #expect(site.receive(site.location(age: -59)).sendsPosition)
    }

    @Test("an invalid URL stops a share at once, and its next start tries again")
    func wrong() {
        var site = Site()
        _ = site.receive()
        let actions = site.answer(.answered(.wrong("No URL.")))
        #expect(actions.saved?.problem == "No URL." && actions.saved?.isShowing == false)
        #expect(site.machine.phase(at: site.moment) == .failed)
        #expect(site.machine.isIdle(at: site.moment))
        #expect(site.receive(site.location(100)).message == nil)
        site.seconds = 60
        let next = Share(started: site.moment.wall, until: nil)
        _ = site.machine.configure(next, site.moment)
        #expect(site.receive(site.location(100)).sendsPosition)
    }

    @Test("an empty answer means an unknown webhook only after ten minutes of them")
    func doubtful() {
        var site = Site()
        _ = site.receive()
        _ = site.answer(.answered(.doubtful("Unknown.")))
        for _ in 0..<3 {
            site.seconds += 199
            _ = site.receive(site.location(site.seconds))
            _ = site.answer(.answered(.doubtful("Unknown.")))
            #expect(site.machine.phase(at: site.moment) == .sharing)
            #expect(site.machine.state.problem == "Unknown." && !site.machine.state.isShowing)
        }
        site.seconds += 300
        _ = site.receive(site.location(site.seconds))
        _ = site.answer(.answered(.doubtful("Unknown.")))
        #expect(site.machine.phase(at: site.moment) == .failed)
    }

    @Test("a refused position is not sent again, and only ten minutes of refusals stop a share")
    func refused() {
        var site = Site()
        _ = site.receive()
        _ = site.answer(.answered(.refused("No.")))
        #expect(site.wake(after: 10).message == nil)
        while site.seconds < 600 {
            #expect(site.machine.phase(at: site.moment) == .sharing)
            if site.receive(site.location(site.seconds)).sendsPosition { _ = site.answer(.answered(.refused("No."))) }
            site.seconds += 30
        }
        site.seconds = 1000
        #expect(site.receive(site.location(site.seconds)).sendsPosition)
        _ = site.answer(.answered(.refused("No.")))
        #expect(site.machine.phase(at: site.moment) == .failed)
    }

    @Test("two doubtful answers an hour apart, with a failing network between them, do not stop a share")
    func doubtsApart() {
        var site = Site(for: nil)
        for _ in 0..<8 {
            _ = site.receive(site.location(site.seconds))
            _ = site.answer(.answered(.doubtful("Unknown.")))
            _ = site.wake(after: 600)
            _ = site.receive(site.location(site.seconds))
            _ = site.answer(.failed("Gone."))
            _ = site.wake(after: 3000 / 8)
        }
        #expect(site.machine.phase(at: site.moment) == .sharing)
        // Nor do two between which the machine was suspended.
        _ = site.receive(site.location(site.seconds))
        _ = site.answer(.answered(.doubtful("Unknown.")))
        _ = site.wake(after: 700)
        _ = site.receive(site.location(site.seconds))
        _ = site.answer(.answered(.doubtful("Unknown.")))
        #expect(site.machine.phase(at: site.moment) == .sharing)
    }

    @Test("a new share begun inside its place does not end by an older departure, and sends its first position at once")
    func begunInside() {
        var site = Self.untilArrival()
        #expect(site.receive().sendsPosition)
        _ = site.answer()
        site.seconds = 30
        #expect(site.receive(site.location(1000)).sendsEnd)
        _ = site.answer()
        site.seconds = 60
        var share = Site.share(2)
        share.started = site.moment.wall
        share.arrival = Arrival(name: "home", center: site.location(1000).coordinate, radius: 100)
        _ = site.machine.configure(share, site.moment)
        #expect(site.receive(site.location(1000)).sendsPosition)
        #expect(site.machine.phase(at: site.moment) == .sharing)
        _ = site.answer()
        // Another one while that one runs sends its first position at once, too.
        site.seconds = 61
        share.started = site.moment.wall
        _ = site.machine.configure(share, site.moment)
        #expect(site.receive(site.location(1000)).sendsPosition)
    }

    @Test("a share without end makes no wake-ups, and one with an end one a minute")
    func wakeUps() {
        var endless = Site(for: nil)
        _ = endless.receive()
        #expect(endless.answer().delay == nil)
        #expect(Site.sharing().machine.phase(at: Site().moment) == .sharing)
        var ending = Site()
        _ = ending.receive()
        #expect(ending.answer().delay == .seconds(60))
    }
}
