import DaemonTestSupport
import Glibc
import LocationConfiguration
import LocationModel
import LocationPolicy
import LocationSources
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import LocationCore
@testable import PeerIdentification
@testable import Varlink

/// Which programs at gpsd's port get locations: decisions, prompts and identification.
@Suite("Access at gpsd's port", .timeLimit(.minutes(10))) struct GPSDAccessTests {
    @Test("a denied program receives the same as one without a fix, and no error")
    func denied() async throws {
        var restricted = ClientDeclaration.example()
        restricted.policy = .restricted
        try await GPSDPort.run(clients: [restricted, .example("org.example.Other", executable: "/usr/bin/other")]) {
            daemon, port, peers in
            let program = try await GPSDPort.Program(port)
            try await program.watch()
            #expect(try await program.next() == GPSDPort.noFix)
            // Another one has the source at work.
            peers.become(.example("/usr/bin/other"))
            let other = try await GPSDPort.Program(port)
            try await other.watch()
            try await daemon.emitUntilNeeded(Fix(number: 1))
            _ = try await other.next("TPV", containing: GPSDPort.tpv(Fix(number: 1)))
            for _ in 0..<5 { #expect(try await program.next() == GPSDPort.noFix) }
            #expect(try await program.poll().contains(#""tpv":[\#(GPSDPort.noFix)]"#))
            try await program.watch(#""json":false,"nmea":true"#)
            for _ in 0..<2 {
                #expect(try await program.next() == "$GPRMC,,V,,,,,,,,,,N*53")
                #expect(try await program.next() == "$GPGSA,A,1,,,,,,,,,,,,,,,*1E")
            }
            #expect(try await other.poll().contains(GPSDPort.tpv(Fix(number: 1))))
        }
    }

    @Test("a program that cannot be identified is served as a denied one, with one line in the log")
    func unidentified() async throws {
        try await GPSDPort.run { daemon, port, peers in
            peers.become(nil)
            let program = try await GPSDPort.Program(port)
            try await program.watch()
            for _ in 0..<3 { #expect(try await program.next() == GPSDPort.noFix) }
            #expect(try await program.poll().contains(GPSDPort.noFix))
            let line = try await daemon.log.line(containing: "at gpsd's port gets no location")
            #expect(line.contains("it wears a mask"))
            #expect(peers.count == 1)
            #expect(try await daemon.onLoop { $0.table.count } == 0)
        }
    }

    @Test(
        "an undeclared program opens a prompt with its executable's name, is identified again, and then gets the fix")
    func prompt() async throws {
        try await GPSDPort.run(clients: []) { daemon, port, peers in
            let agent = try await daemon.connect(as: .example(nil, user: 0))
            let program = try await GPSDPort.Program(port)
            await program.wire.send("?VERSION;\n")
            _ = try await program.next("VERSION")
            #expect(try await daemon.prompts(agent).isEmpty)
            try await program.watch()
            let prompt = try await daemon.prompt(agent)
            #expect(prompt["client"] == .string("/usr/bin/example"))
            #expect(prompt["displayName"] == .string("example"))
            for _ in 0..<3 { #expect(try await program.next() == GPSDPort.noFix) }
            #expect(peers.count == 1)
            try await daemon.decide("allowWhileUsing", prompt, agent)
            try await daemon.emitUntilNeeded(Fix(number: 1))
            _ = try await program.next("TPV", containing: GPSDPort.tpv(Fix(number: 1)))
            #expect(peers.count == 2)
            await agent.close()
        }
    }

    @Test("a program that passes its connection on while the prompt is open gets nothing")
    func passedOnDuringPrompt() async throws {
        try await GPSDPort.run(clients: []) { daemon, port, peers in
            let agent = try await daemon.connect(as: .example(nil, user: 0))
            let program = try await GPSDPort.Program(port)
            try await program.watch()
            let prompt = try await daemon.prompt(agent)
            peers.become(.example("/usr/bin/other"))
            try await daemon.decide("allowWhileUsing", prompt, agent)
            try await daemon.emitUntilNeeded(Fix(number: 1))
            _ = try await daemon.log.line(containing: "another program holds it now")
            try await daemon.emit(Fix(number: 2).event)
            for _ in 0..<5 { #expect(try await program.next() == GPSDPort.noFix) }
            #expect(try await program.poll().contains(GPSDPort.noFix))
            await agent.close()
        }
    }

    @Test("a decision by command reaches an open connection, in both directions")
    func decidedLater() async throws {
        try await GPSDPort.run(clients: []) { daemon, port, _ in
            let manager = try await daemon.connect(as: .example(nil, user: 0))
            func decide(_ authorization: String) async throws {
                let answer = try await manager.ask(
                    "Manager.SetAuthorization",
                    #"{"client":"/usr/bin/example","userID":4242,"authorization":"\#(authorization)"}"#)
                #expect(answer["error"] == nil, "\(answer)")
            }
            let program = try await GPSDPort.Program(port)
            try await program.watch()
            let prompt = try await daemon.prompt(manager)
            try await daemon.decide("dontAllow", prompt, manager)
            #expect(try await program.next() == GPSDPort.noFix)
            try await decide("authorizedWhenInUse")
            try await daemon.emitUntilNeeded(Fix(number: 1))
            _ = try await program.next("TPV", containing: GPSDPort.tpv(Fix(number: 1)))
            try await decide("denied")
            _ = try await program.next("TPV", containing: #""mode":1"#)
            for _ in 0..<3 { #expect(try await program.next() == GPSDPort.noFix) }
            try await decide("authorizedWhenInUse")
            try await daemon.emitUntilNeeded(Fix(number: 2))
            _ = try await program.next("TPV", containing: GPSDPort.tpv(Fix(number: 2)))
            await manager.close()
        }
    }

    @Test("an unanswered prompt ends without an answer, and the user can still decide while the program runs")
    func unanswered() async throws {
        try await GPSDPort.run(clients: []) { daemon, port, _ in
            try await daemon.reload { $0.daemon.promptTimeout = 1 }
            let manager = try await daemon.connect(as: .example(nil, user: 0))
            let program = try await GPSDPort.Program(port)
            try await program.watch()
            _ = try await daemon.prompt(manager)
            // The time for an answer may have passed meanwhile.
            try await daemon.ensure(requests: 0)
            // A program that polls does not open another prompt at once.
            for _ in 0..<3 { #expect(try await program.poll().contains(GPSDPort.noFix)) }
            #expect(try await daemon.prompts(manager).isEmpty)
            let answer = try await manager.ask(
                "Manager.SetAuthorization",
                #"{"client":"/usr/bin/example","userID":4242,"authorization":"authorizedWhenInUse"}"#)
            #expect(answer["error"] == nil, "\(answer)")
            try await daemon.emitUntilNeeded(Fix(number: 1))
            _ = try await program.next("TPV", containing: GPSDPort.tpv(Fix(number: 1)))
            await manager.close()
        }
    }

    @Test("a program that is not in use receives nothing, and continues by itself")
    func suspended() async throws {
        var client = ClientDeclaration.example()
        client.policy = .preset(.whenInUse)
        try await GPSDPort.run(clients: [client]) { daemon, port, _ in
            let program = try await GPSDPort.Program(port)
            try await program.watch()
            try await daemon.emitUntilNeeded(Fix(number: 1))
            _ = try await program.next("TPV", containing: GPSDPort.tpv(Fix(number: 1)))
            try await daemon.setInUse(false)
            _ = try await program.next("TPV", containing: #""mode":1"#)
            try await daemon.emit(Fix(number: 2).event)
            for _ in 0..<3 { #expect(try await program.next() == GPSDPort.noFix) }
            try await daemon.setInUse(true)
            try await daemon.emitUntilNeeded(Fix(number: 3))
            _ = try await program.next("TPV", containing: GPSDPort.tpv(Fix(number: 3)))
        }
    }

    @Test("while a program is identified again, the answers to POLL and the repeated reports have no position")
    func identifiedAgain() async throws {
        try await DaemonUnderTest.run(.inProcess, clients: []) { daemon in
            let agent = try await daemon.connect(as: .example(nil, user: 0))
            // The first identification succeeds at once, the next when the test has it do so.
            let count = Mutex(0)
            let pending = Mutex<EventLoopPromise<PeerIdentifier.LoopbackPeer>?>(nil)
            let loop = try await daemon.onLoop { $0.eventLoop }
            let program = try await daemon.connectAtGPSDPort {
                let isFirst = count.withLock { count in
                    count += 1
                    return count == 1
                }
                guard !isFirst else { return loop.makeCompletedFuture { try PeerIdentifier.LoopbackPeer.own() } }
                let promise = loop.makePromise(of: PeerIdentifier.LoopbackPeer.self)
                pending.withLock { $0 = promise }
                return promise.futureResult
            }
            await program.send(#"?WATCH={"json":true}"#)
            let prompt = try await daemon.prompt(agent)
            try await daemon.decide("allowWhileUsing", prompt, agent)
            for second in 0..<5 {
                try await daemon.emit(.fix(0, second: Int64(second)))
                await program.send("?POLL;")
                await daemon.turnClock(by: .seconds(1))
            }
            let before = try await program.messages().map(\.withoutPadding).filter { $0.contains(#""mode""#) }
            #expect(before.count >= 8)
            #expect(before.allSatisfy { $0.contains(GPSDPort.noFix) && !$0.contains("lat") }, "\(before)")
            let promise = try #require(pending.withLock { $0 })
            promise.succeed(try PeerIdentifier.LoopbackPeer.own())
            try await daemon.settle()
            await program.send("?POLL;")
            let after = try await program.messages().map(\.withoutPadding)
            #expect(after.contains { $0.contains("POLL") && $0.contains(#""lat":48.0"#) }, "\(after)")
            #expect(count.withLock { $0 } == 2)
        }
    }
}
