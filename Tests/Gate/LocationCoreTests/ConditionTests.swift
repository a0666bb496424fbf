import DaemonTestSupport
import Glibc
import LocationConfiguration
import LocationModel
import LocationPolicy
import LocationSources
import NIOCore
import TestSupport
import Testing

@testable import LocationCore
@testable import Varlink

/// Watched places at the daemon's border, on a clock that the tests turn.
@Suite("Watched places", .timeLimit(.minutes(10))) struct ConditionTests {
    @Test("entering and leaving are reported once each, with the state, and the last state can be requested")
    func isTold() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            #expect(try await daemon.addCondition() == json(#"{"parameters":{}}"#))
            let stream = try await daemon.watchConditions()
            let entry = try await daemon.stay(at: 0, from: 0)
            try await stream.expectEvent("satisfied", entry)
            await daemon.turnClock(by: .seconds(120))
            let exit = try await daemon.stay(at: 5, from: 200)
            try await stream.expectEvent("unsatisfied", exit)
            try await daemon.stay(at: 6, from: 300)
            #expect(try await stream.receive() == nil)
            let asking = try await daemon.connect()
            let last = #"{"identifier":"home","state":"unsatisfied","date":"\#(exit)"}"#
            #expect(
                try await asking.ask("Monitor.ListConditions", #"{"monitor":"m"}"#)
                    == json(#"{"parameters":{"conditions":[\#(last)]}}"#))
            #expect(
                try await asking.ask("Monitor.GetCondition", #"{"monitor":"m","identifier":"home"}"#)
                    == json(#"{"parameters":{"condition":\#(circle(0)),"event":\#(last)}}"#))
            #expect(
                try await asking.ask("Monitor.GetCondition", #"{"monitor":"other","identifier":"home"}"#)
                    == json(#"{"parameters":{}}"#))
        }
    }

    @Test("a change while the client was not connected is reported on the next connection, once")
    func isToldLater() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            _ = try await daemon.addCondition()
            try await daemon.stay(at: 0, from: 0)
            await daemon.turnClock(by: .seconds(120))
            let exit = try await daemon.stay(at: 5, from: 200)
            let stream = try await daemon.connect()
            try await stream.call("Monitor.WatchConditions", #"{"monitor":"m"}"#, more: true)
            try await stream.expectWatched()
            try await stream.expectEvent("unsatisfied", exit)
            await stream.close()
            let next = try await daemon.watchConditions()
            #expect(try await next.receive() == nil)
        }
    }

    @Test("conditions, states and unreported events survive a restart of the service, which watches without a client")
    func survivesRestart() async throws {
        let directory = try TemporaryDirectory()
        var entry = ""
        try await DaemonUnderTest.run(.inProcess, in: directory) { daemon in
            _ = try await daemon.addCondition()
            entry = try await daemon.stay(at: 0, from: 0)
        }
        try await DaemonUnderTest.run(.inProcess, in: directory) { daemon in
            #expect(try await daemon.demand() == .continuous, "it is watched at once")
            #expect(try await !daemon.isIdle())
            // Still there: no event.
            try await daemon.stay(at: 0, from: 100)
            let stream = try await daemon.connect()
            try await stream.call("Monitor.WatchConditions", #"{"monitor":"m"}"#, more: true)
            try await stream.expectWatched()
            try await stream.expectEvent("satisfied", entry)
            try await daemon.finishDiskWork()
        }
        try await DaemonUnderTest.run(.inProcess, in: directory) { daemon in
            let stream = try await daemon.watchConditions()
            #expect(try await stream.receive() == nil, "it was told before")
            let exit = try await daemon.stay(at: 5, from: 200)
            try await stream.expectEvent("unsatisfied", exit)
        }
    }

    @Test(
        "a replayed location without an accuracy counts as exact, and a receiver's as 100 m", arguments: [true, false])
    func withoutAccuracy(isSimulated: Bool) async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            _ = try await daemon.addCondition()
            let stream = try await daemon.watchConditions()
            func stay(at number: Int, from later: Int64) async throws -> String {
                for second in 0...1 {
                    let fix = Fix(number: number, accuracy: nil, later: later + Int64(second))
                    guard case .location(var location) = fix.event else { continue }
                    location.sourceInformation = .init(kind: .receiver, isSimulated: isSimulated)
                    try await daemon.emit(.location(location))
                    await daemon.turnClock(by: .seconds(1))
                }
                try await daemon.finishDiskWork()
                return Fix(number: number, later: later + 1).time
            }
            let entry = try await stay(at: 0, from: 0)
            if isSimulated { try await stream.expectEvent("satisfied", entry) }
            await daemon.turnClock(by: .seconds(60))
            let exit = try await stay(at: 9, from: 70)
            try await stream.expectEvent("unsatisfied", exit)
        }
    }

    @Test("a peer that does not read gets the last state of each condition when it reads again")
    func slowReader() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            _ = try await daemon.addCondition()
            let stream = try await daemon.watchConditions()
            try await stream.stopReading()
            try await daemon.stay(at: 0, from: 0)
            await daemon.turnClock(by: .seconds(120))
            let exit = try await daemon.stay(at: 5, from: 200)
            #expect(try await stream.receive() == nil)
            try await stream.resumeReading()
            try await stream.expectEvent("unsatisfied", exit)
            #expect(try await stream.receive() == nil)
        }
    }

    @Test("while a change is not on disk, no further fix, new stream or change of access reveals it")
    func diskIsHeld() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            _ = try await daemon.addCondition()
            let streams = [try await daemon.watchConditions(), try await daemon.watchConditions()]
            // One is visited again with each fix, for want of access, once it reads.
            try await daemon.reload {
                $0.daemon.defaultRules = [AccessRule(.init(.machine, 1), limit: AccessRule.Limit())]
            }
            let release = await daemon.holdDisk()
            try await daemon.emit(Fix(number: 0).event)
            await daemon.turnClock(by: .seconds(1))
            try await daemon.emit(Fix(number: 0, later: 1).event)
            try await streams[1].stopReading()
            try await streams[1].resumeReading()
            await daemon.turnClock(by: .seconds(1))
            try await daemon.emit(Fix(number: 0, later: 2).event)
            let late = try await daemon.watchConditions()
            try await daemon.reload { $0.daemon.defaultRules = [] }
            await daemon.turnClock(by: .seconds(1))
            try await daemon.emit(Fix(number: 0, later: 3).event)
            for stream in streams + [late] { #expect(try await stream.receive() == nil) }
            release()
            try await daemon.finishDiskWork()
            for stream in streams { try await stream.expectEvent("satisfied", Fix(number: 0, later: 1).time) }
        }
    }

    @Test("all streams of a monitor get each event, and it counts as reported once one of them has it")
    func twoStreams() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            _ = try await daemon.addCondition()
            let streams = [try await daemon.watchConditions(), try await daemon.watchConditions()]
            let entry = try await daemon.stay(at: 0, from: 0)
            for stream in streams {
                try await stream.expectEvent("satisfied", entry)
                await stream.close()
            }
            let next = try await daemon.watchConditions()
            #expect(try await next.receive() == nil)
        }
    }

    @Test("history counts the events that a client received, and lists of clients the places that they have watched")
    func management() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            _ = try await daemon.addCondition()
            let stream = try await daemon.watchConditions()
            let entry = try await daemon.stay(at: 0, from: 0)
            try await stream.expectEvent("satisfied", entry)
            let manager = try await daemon.connect(as: .example("/usr/bin/locationctl"))
            try await manager.call("Manager.ListAccess")
            try await daemon.finishDiskWork()
            guard case .array(let sessions) = try await manager.next()["parameters"]?["sessions"] else { return }
            #expect(sessions.map { $0["events"]?.number } == [1])
            #expect(sessions.map { $0["count"]?.number } == [0])
            try await manager.call("Manager.ListClients")
            try await daemon.finishDiskWork()
            guard case .array(let clients) = try await manager.next()["parameters"]?["clients"] else { return }
            #expect(clients.map { $0["conditions"]?.number } == [1])
        }
    }

    @Test("no coordinate of a condition is logged")
    func isNotLogged() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            _ = try await daemon.addCondition(shape: circle(77))
            _ = try await daemon.addCondition("bad", shape: #"{"circle":{"latitude":48.077,"longitude":0,"radius":0}}"#)
            try await daemon.stay(at: 77, from: 0)
            #expect(daemon.log.lines.allSatisfy { !$0.contains("48.077") })
        }
    }
}
