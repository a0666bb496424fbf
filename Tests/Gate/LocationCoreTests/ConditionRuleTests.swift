import DaemonTestSupport
import Glibc
import LocationConfiguration
import LocationModel
import LocationPolicy
import LocationSources
import NIOCore
import Testing

@testable import LocationCore
@testable import Varlink

/// Watched places while rules limit what a program may be told.
@Suite("Watched places under rules", .timeLimit(.minutes(10))) struct ConditionRuleTests {
    @Test("under a rule with an interval an event is a delivery: the next one is not sent before its end")
    func interval() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            _ = try await daemon.addCondition()
            let stream = try await daemon.watchConditions()
            var limit = AccessRule.Limit()
            limit.minimumInterval = .seconds(3600)
            try await daemon.reload { [limit] in $0.daemon.defaultRules = [AccessRule(.init(.machine, 1), limit: limit)]
            }
            let entry = try await daemon.stay(at: 0, from: 0)
            try await stream.expectEvent("satisfied", entry)
            await daemon.turnClock(by: .seconds(120))
            try await daemon.stay(at: 5, from: 200)
            #expect(try await stream.receive() == nil)
            try await daemon.reload { $0.daemon.defaultRules = [] }
            let exit = try await daemon.stay(at: 5, from: 300)
            try await stream.expectEvent("unsatisfied", exit)
        }
    }

    @Test("where a rule about a place denies, nothing is decided or reported; after its removal the state is reported")
    func placeOfARule() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            _ = try await daemon.addCondition()
            let stream = try await daemon.watchConditions()
            let manager = try await daemon.connect(as: .example("/usr/bin/locationctl"))
            try await daemon.addHome(by: manager)
            try await daemon.addRule(#"{"inside":"home","deny":true}"#, by: manager)
            let away = try await daemon.stay(at: 100, from: 0)
            try await stream.expectEvent("unsatisfied", away)
            // Home and away again.
            await daemon.turnClock(by: .seconds(120))
            try await daemon.stay(at: 0, from: 200)
            await daemon.turnClock(by: .seconds(120))
            try await daemon.stay(at: 100, from: 400)
            #expect(try await stream.receive() == nil)
            await daemon.turnClock(by: .seconds(120))
            try await daemon.stay(at: 0, from: 600)
            #expect(try await stream.receive() == nil)
            try await daemon.change("RemoveRule", #"{"id":"1"}"#, by: manager)
            let home = try await daemon.stay(at: 0, from: 700)
            try await stream.expectEvent("satisfied", home)
        }
    }

    /// Adds a place of 300 m around the fix 0, and a rule about it.
    private func addHome(_ limit: String, _ daemon: DaemonUnderTest) async throws {
        let manager = try await daemon.connect(as: .agent)
        try await daemon.addHome(by: manager)
        try await daemon.addRule(#"{"inside":"home",\#(limit)}"#, by: manager)
    }

    private static let placeLimits = [#""deny":true"#, #""reducedAccuracy":true"#, #""whileInUse":true"#]

    @Test(
        "where a rule about a place withholds, the receiver is started in time to report an event 30 s after its border",
        arguments: placeLimits)
    func leavingThePlaceOfARule(limit: String) async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            try await addHome(limit, daemon)
            try await daemon.setInUse(false)
            _ = try await daemon.addCondition(shape: circle(100))
            let stream = try await daemon.watchConditions()
            #expect(try await daemon.demand() == .continuous, "without a fix the place is in doubt")
            try await daemon.stay(at: 100, from: 0)
            #expect(try await stream.next()["parameters"]?["event"]?["state"] == .string("satisfied"))
            // So often that no start of the receiver counts as a slow one.
            for step in 1...12 {
                await daemon.turnClock(by: .seconds(10))
                try await daemon.emit(Fix(number: 100, later: Int64(step) * 10).event)
            }
            try await daemon.stay(at: 0, from: 200)
            // The program's access is reviewed, too.
            try await daemon.setInUse(true)
            try await daemon.setInUse(false)
            try await daemon.emit(Fix(number: 0, later: 202).event)
            #expect(try await daemon.demand() == .off, "the border is 300 to 540 m away")
            await daemon.turnClock(by: .seconds(20))
            #expect(try await daemon.demand() == .off)
            await daemon.turnClock(by: .seconds(9))
            #expect(try await daemon.demand() == .continuous)
            #expect(try await stream.receive() == nil, "nothing says where the user was")
            let away = try await daemon.stay(at: 50, from: 231)
            try await stream.expectEvent("unsatisfied", away)
        }
    }

    @Test("an event that reaches the disk after the place of a rule was entered is sent once it is left")
    func enteringBeforeTheDisk() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            try await addHome(#""deny":true"#, daemon)
            _ = try await daemon.addCondition(shape: circle(100))
            let stream = try await daemon.watchConditions()
            let release = await daemon.holdDisk()
            try await daemon.emit(Fix(number: 100).event)
            await daemon.turnClock(by: .seconds(1))
            try await daemon.emit(Fix(number: 100, later: 1).event)
            await daemon.turnClock(by: .seconds(1))
            try await daemon.emit(Fix(number: 0, later: 2).event)
            release()
            try await daemon.finishDiskWork()
            #expect(try await stream.receive() == nil)
            await daemon.turnClock(by: .seconds(1))
            try await daemon.emit(Fix(number: 100, later: 3).event)
            try await stream.expectEvent("satisfied", Fix(number: 100, later: 1).time)
        }
    }

    /// All that a program is sent about a place, with the minute, while a rule about another place withholds locations, or while
    /// there is no fix, for three quarters of an hour; and after it.
    private func eventsAroundAbsence(_ limit: String, isWithheld: Bool) async throws -> [String] {
        var sent: [String] = []
        let other = ClientDeclaration.example("org.example.Other", executable: "/other")
        try await DaemonUnderTest.run(.inProcess, clients: [.example(), other]) { daemon in
            // Keeps the sources at work in both situations.
            _ = try await daemon.subscribe(as: .example("/other"))
            try await daemon.setInUse(false)
            try await addHome(limit + #","clients":["org.example.App"]"#, daemon)
            _ = try await daemon.addCondition(shape: circle(100))
            _ = try await daemon.addCondition("near", shape: circle(50))
            var streams = [try await daemon.watchConditions()]
            func note(_ minute: Int) async throws {
                try await daemon.finishDiskWork()
                for (index, stream) in streams.enumerated() {
                    sent += try await stream.messages().map { "\(minute) min, stream \(index): \($0)" }
                }
            }
            try await daemon.stay(at: 100, from: 0)
            try await note(0)
            for minute in 1...45 {
                await daemon.turnClock(by: .seconds(60))
                try await daemon.emit(
                    isWithheld ? Fix(number: 0, later: Int64(minute) * 60).event : .unavailable(.noFix))
                if minute == 10 || minute == 40 { streams.append(try await daemon.watchConditions()) }
                try await note(minute)
            }
            try await daemon.stay(at: 200, from: 3000)
            try await note(50)
            await daemon.turnClock(by: .seconds(120))
            try await daemon.stay(at: 50, from: 3200)
            try await note(53)
        }
        return sent
    }

    @Test(
        "a program is sent the same events at the same time whether a rule about a place withholds or there is no fix",
        arguments: placeLimits)
    func absencesAreAlike(limit: String) async throws {
        let withheld = try await eventsAroundAbsence(limit, isWithheld: true)
        #expect(withheld == (try await eventsAroundAbsence(limit, isWithheld: false)))
        #expect(withheld.contains { $0.hasPrefix("50 min, stream 0") && $0.contains("unsatisfied") })
        #expect(withheld.contains { $0.hasPrefix("53 min, stream 2") && $0.contains("near") })
        #expect(withheld.allSatisfy { $0.hasPrefix("0 min") || $0 >= "50 min" })
    }
}
