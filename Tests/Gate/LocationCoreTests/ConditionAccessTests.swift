import DaemonTestSupport
import Glibc
import LocationConfiguration
import LocationModel
import LocationPolicy
import LocationSources
import LocationStore
import NIOCore
import TestSupport
import Testing

@testable import LocationCore
@testable import Varlink

/// Watched places of clients whose access ends or changes.
@Suite("Access to watched places", .timeLimit(.minutes(10))) struct ConditionAccessTests {
    @Test("an event is reported once it is on disk, and after a denial not until permission returns")
    func revocation() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            _ = try await daemon.addCondition()
            let stream = try await daemon.watchConditions()
            let release = await daemon.holdDisk()
            try await daemon.emit(Fix(number: 0).event)
            await daemon.turnClock(by: .seconds(1))
            try await daemon.emit(Fix(number: 0, later: 1).event)
            #expect(try await stream.receive() == nil, "it is not on disk")
            let manager = try await daemon.connect(as: .example("/usr/bin/locationctl"))
            try await manager.call(
                "Manager.SetAuthorization", #"{"client":"org.example.App","authorization":"denied"}"#)
            try await stream.expect(diagnostic("authorizationDenied"))
            release()
            try await daemon.finishDiskWork()
            #expect(try await stream.receive() == nil, "it is denied now")
            #expect(try await daemon.demand() == .off)
            await daemon.turnClock(by: .seconds(120))
            try await daemon.stay(at: 5, from: 200)
            #expect(try await stream.receive() == nil)
            try await daemon.setAuthorization("authorizedAlways")
            try await stream.expectWatched()
            try await stream.expectEvent("satisfied", Fix(number: 0, later: 1).time)
        }
    }

    @Test("a denial ends the evidence of an entry: the next fix decides nothing")
    func revocationBeforeTheNextFix() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            _ = try await daemon.addCondition()
            let stream = try await daemon.watchConditions()
            try await daemon.emit(Fix(number: 0).event)
            await daemon.turnClock(by: .seconds(1))
            try await daemon.setAuthorization("denied")
            try await stream.expect(diagnostic("authorizationDenied"))
            try await daemon.emit(Fix(number: 0, later: 1).event)
            try await daemon.finishDiskWork()
            #expect(try await stream.receive() == nil)
            let asking = try await daemon.connect()
            let reply = try await asking.ask("Monitor.GetCondition", #"{"monitor":"m","identifier":"home"}"#)
            #expect(reply["parameters"]?["event"]?["state"] == .string("unknown"))
        }
    }

    @Test("with reduced accuracy nothing is watched, and a diagnostic reports it")
    func reduced() async throws {
        try await DaemonUnderTest.run(.inProcess, clients: .watching) { daemon in
            _ = try await daemon.addCondition(as: .example("/reduced"))
            #expect(try await daemon.demand() == .off)
            #expect(try await daemon.onLoop { !$0.publisher.conditions.isNeeded })
            let stream = try await daemon.connect(as: .example("/reduced"))
            try await stream.call("Monitor.WatchConditions", #"{"monitor":"m"}"#, more: true)
            try await stream.expect(diagnostic("accuracyLimited"))
            try await daemon.stay(at: 0, from: 0)
            #expect(try await stream.receive() == nil)
        }
    }

    @Test("when-in-use watches while the client is in use; changes during other times are determined afterwards")
    func whenInUse() async throws {
        try await DaemonUnderTest.run(.inProcess, clients: .watching) { daemon in
            _ = try await daemon.addCondition(as: .example("/part"))
            #expect(try await daemon.demand() == .off, "nobody is connected")
            let stream = try await daemon.connect(as: .example("/part"))
            try await stream.call("Monitor.WatchConditions", #"{"monitor":"m"}"#, more: true)
            try await daemon.settle()
            try await stream.expectWatched()
            #expect(try await daemon.demand() == .continuous)
            try await daemon.setInUse(false)
            try await stream.expect(diagnostic("insufficientlyInUse"))
            #expect(try await daemon.demand() == .off)
            try await daemon.stay(at: 0, from: 0)
            #expect(try await stream.receive() == nil)
            try await daemon.setInUse(true)
            try await stream.expectWatched()
            let entry = try await daemon.stay(at: 0, from: 10)
            try await stream.expectEvent("satisfied", entry)
        }
    }

    @Test("a reset of the decisions deletes what was watched, on disk too")
    func reset() async throws {
        let directory = try TemporaryDirectory()
        try await DaemonUnderTest.run(.inProcess, in: directory) { daemon in
            _ = try await daemon.addCondition()
            _ = try await daemon.addCondition("other", monitor: "n")
            try await daemon.stay(at: 0, from: 0)
            try await daemon.setAuthorization("notDetermined")
            let asking = try await daemon.connect()
            #expect(
                try await asking.ask("Monitor.ListConditions", #"{"monitor":"m"}"#)
                    == json(#"{"parameters":{"conditions":[]}}"#))
            #expect(try await daemon.demand() == .off)
        }
        let store = try LocationStore.open(directory: directory.path, now: .now()).store
        #expect(try store.conditions().isEmpty)
        #expect(!store.isMarked)
    }

    @Test("the conditions of a client that is no longer declared are kept and not watched, until it is declared again")
    func declaration() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            _ = try await daemon.addCondition()
            #expect(try await daemon.demand() == .continuous)
            try await daemon.reload { $0.clients = [] }
            #expect(try await daemon.demand() == .off)
            #expect(try await daemon.isIdle())
            try await daemon.stay(at: 0, from: 0)
            try await daemon.reload { $0.clients = [.example()] }
            #expect(try await daemon.demand() == .continuous)
            let stream = try await daemon.watchConditions()
            let entry = try await daemon.stay(at: 0, from: 10)
            try await stream.expectEvent("satisfied", entry)
        }
    }

    @Test("a denied client is not notified of a crossing that another one is notified of, also once allowed again")
    func deniedBesideAnother() async throws {
        let other = ClientDeclaration.example("org.example.Other", executable: "/other")
        // Of another user, so that the disk is done with both when it is done.
        let peer = PeerIdentity.example("/other", user: 4243)
        try await DaemonUnderTest.run(.inProcess, clients: [ClientDeclaration].watching + [other]) { daemon in
            _ = try await daemon.addCondition()
            _ = try await daemon.addCondition(as: peer)
            let stream = try await daemon.watchConditions()
            let others = try await daemon.watchConditions(as: peer)
            let away = try await daemon.stay(at: 5, from: 0)
            for stream in [stream, others] { try await stream.expectEvent("unsatisfied", away) }
            try await daemon.setAuthorization("denied")
            try await stream.expect(diagnostic("authorizationDenied"))
            await daemon.turnClock(by: .seconds(120))
            let entry = try await daemon.stay(at: 0, from: 200)
            try await others.expectEvent("satisfied", entry)
            try await daemon.setAuthorization("authorizedAlways")
            try await stream.expectWatched()
            #expect(try await stream.receive() == nil)
            let asking = try await daemon.connect()
            let reply = try await asking.ask("Monitor.GetCondition", #"{"monitor":"m","identifier":"home"}"#)
            #expect(reply["parameters"]?["event"]?["state"] == .string("unsatisfied"))
            await daemon.turnClock(by: .seconds(120))
            let exit = try await daemon.stay(at: 5, from: 400)
            try await others.expectEvent("unsatisfied", exit)
            #expect(try await stream.receive() == nil, "it is where it was told that the user is")
        }
    }
}
