import DaemonTestSupport
import Glibc
import LinuxPlumbing
import LocationConfiguration
import LocationModel
import LocationPolicy
import LocationSources
import NIOCore
import NIOEmbedded
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import GPSDFrontEnd
@testable import LocationCore
@testable import PeerIdentification
@testable import Varlink

/// The front end for programs that speak gpsd's protocol, over real connections. Its programs are this very process, taken for
/// whoever the test says, unless they are programs of gpsd itself.
@Suite("The front end for gpsd's programs", .timeLimit(.minutes(1))) struct GPSDFrontEndTests {
    /// Who the peers are, and how often that was asked.
    final class Peers: Sendable {
        private struct State {
            var identity: PeerIdentity? = .example()
            var process: Int32 = getpid()
            var count = 0
        }
        private let state = Mutex(State())

        var count: Int { state.withLock { $0.count } }
        func become(_ identity: PeerIdentity?) { state.withLock { $0.identity = identity } }
        func become(process: Int32) { state.withLock { $0.process = process } }

        func identify() throws -> PeerIdentifier.LoopbackPeer {
            let (identity, process) = state.withLock { state in
                state.count += 1
                return (state.identity, state.process)
            }
            guard let identity else { throw PeerIdentifier.Failure(description: "it wears a mask") }
            return PeerIdentifier.LoopbackPeer(
                identity: identity, processes: [try #require(WatchedProcess(processID: process))])
        }
    }

    /// A program of gpsd: commands out, lines in.
    struct Program {
        let wire: Wire

        init(_ port: Int) async throws {
            wire = try await Wire.connect(toPort: port)
            #expect(
                try await next()
                    == #"{"class":"VERSION","release":"3.25","rev":"locationd","proto_major":3,"proto_minor":15}"#)
        }

        /// The next line; `nil` after the end of the connection.
        func next() async throws -> String? {
            while let line = try await wire.receive() {
                #expect(line.hasSuffix("\r"), "\(line)")
                if !line.hasPrefix("$PLCTD") { return line.dropLast().withoutPadding }
            }
            return nil
        }

        /// The next line of a class. Those before it are passed over.
        func next(_ kind: String, containing text: String = "") async throws -> String {
            while let line = try await next() {
                if line.hasPrefix(#"{"class":"\#(kind)""#), line.contains(text) { return line }
            }
            throw AwaitedInVain("a \(kind) with “\(text)”", because: "the connection has ended")
        }

        /// Starts the reports, and passes over the answer.
        func watch(_ members: String = #""json":true"#) async throws {
            await wire.send(#"?WATCH={"enable":true,\#(members)};"# + "\n")
            _ = try await next("DEVICES")
            _ = try await next("WATCH")
        }

        /// The answer to POLL.
        func poll() async throws -> String {
            await wire.send("?POLL;\n")
            return try await next("POLL")
        }
    }

    static let noFix = #"{"class":"TPV","device":"/dev/locationd","mode":1}"#

    /// The TPV of an exact fix.
    static func tpv(_ fix: Fix) -> String {
        guard case .location(let location) = fix.event else { return "" }
        return PositionText.tpv(location)
    }

    /// Runs a test with a daemon that serves gpsd's programs at a free port.
    static func run(
        clients: [ClientDeclaration] = [.example()], interval: TimeAmount = .milliseconds(50), isReal: Bool = false,
        _ test: (DaemonUnderTest, Int, Peers) async throws -> Void
    ) async throws {
        let peers = Peers()
        try await DaemonUnderTest.run(.socket, clients: clients) { daemon in
            let frontEnd = try await daemon.onLoop { core in
                let loop = core.eventLoop
                return GPSDFrontEnd(
                    core: core, identifier: PeerIdentifier(eventLoop: loop), interval: interval,
                    identify: isReal ? nil : { _, _ in loop.makeCompletedFuture { try peers.identify() } })
            }
            try await frontEnd.listen(at: .port(0))
            let port = try await daemon.onLoop { core in
                core.add(frontEnd)
                return frontEnd.port
            }
            try await test(daemon, try #require(port), peers)
        }
    }

    @Test("a port that another program has at ::1 is not served at 127.0.0.1 alone")
    func halfAPort() async throws {
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        let other = try await bootstrap.bind(host: "::1", port: 0).get()
        let port = try #require(other.localAddress?.port)
        try await DaemonUnderTest.run(.socket, clients: []) { daemon in
            let frontEnd = try await daemon.onLoop { core in
                GPSDFrontEnd(core: core, identifier: PeerIdentifier(eventLoop: core.eventLoop))
            }
            await #expect { try await frontEnd.listen(at: .port(port)) } throws: {
                ($0 as? IOError)?.errnoCode == EADDRINUSE
            }
            try await other.close()
            // 127.0.0.1 was given back. A process that another test starts holds what is open here until it executes its program.
            while true {
                do {
                    try await frontEnd.listen(at: .port(port))
                    break
                } catch let error as IOError where error.errnoCode == EADDRINUSE {
                    try await pass(.milliseconds(10))
                }
            }
            try await daemon.onLoop { _ in frontEnd.close() }
        }
    }

    @Test("a program is identified only when it watches, and gets each fix, repeated while nothing newer comes")
    func full() async throws {
        try await Self.run { daemon, port, peers in
            let program = try await Program(port)
            await program.wire.send("?DEVICES;?DEVICE;?VERSION;?WATCH;\n")
            #expect(try await program.next("DEVICES").contains(#""path":"/dev/locationd""#))
            #expect(try await program.next("DEVICE").contains(#""driver":"locationd""#))
            _ = try await program.next("VERSION")
            #expect(try await program.next("WATCH").contains(#""enable":false"#))
            #expect(peers.count == 0)

            try await program.watch()
            try await daemon.emitUntilNeeded(Fix(number: 1))
            _ = try await program.next("TPV", containing: Self.tpv(Fix(number: 1)))
            #expect(try await program.next() == Self.tpv(Fix(number: 1)))
            try await daemon.emit(Fix(number: 2).event)
            while try await program.next() != Self.tpv(Fix(number: 2)) {}
            // Never an older one again, and none that has gone stale.
            #expect(try await program.next() == Self.tpv(Fix(number: 2)))
            try await daemon.emit(.unavailable(.silent))
            _ = try await program.next("TPV", containing: #""mode":1}"#)
            for _ in 0..<3 { #expect(try await program.next() == Self.noFix) }
            try await daemon.emit(Fix(number: 3).event)
            while try await program.next() != Self.tpv(Fix(number: 3)) {}
            #expect(peers.count == 1)
            try await daemon.wait(subscriptions: 0) { await program.wire.send("?WATCH={\"enable\":false}\n") }
            try await daemon.wait(connections: 0) { await program.wire.close() }
        }
    }

    @Test("a program that is denied hears the same as one without a fix, and no error")
    func denied() async throws {
        var restricted = ClientDeclaration.example()
        restricted.policy = .restricted
        try await Self.run(clients: [restricted, .example("org.example.Other", executable: "/usr/bin/other")]) {
            daemon, port, peers in
            let program = try await Program(port)
            try await program.watch()
            #expect(try await program.next() == Self.noFix)
            // Another one has the source at work.
            peers.become(.example("/usr/bin/other"))
            let other = try await Program(port)
            try await other.watch()
            try await daemon.emitUntilNeeded(Fix(number: 1))
            _ = try await other.next("TPV", containing: Self.tpv(Fix(number: 1)))
            for _ in 0..<5 { #expect(try await program.next() == Self.noFix) }
            #expect(try await program.poll().contains(#""tpv":[\#(Self.noFix)]"#))
            try await program.watch(#""json":false,"nmea":true"#)
            for _ in 0..<2 {
                #expect(try await program.next() == "$GPRMC,,V,,,,,,,,,,N*53")
                #expect(try await program.next() == "$GPGSA,A,1,,,,,,,,,,,,,,,*1E")
            }
            #expect(try await other.poll().contains(Self.tpv(Fix(number: 1))))
        }
    }

    @Test("a program that cannot be identified is served as a denied one, with one line in the log")
    func unidentified() async throws {
        try await Self.run { daemon, port, peers in
            peers.become(nil)
            let program = try await Program(port)
            try await program.watch()
            for _ in 0..<3 { #expect(try await program.next() == Self.noFix) }
            #expect(try await program.poll().contains(Self.noFix))
            let line = try await daemon.log.line(containing: "at gpsd's port gets no location")
            #expect(line.contains("it wears a mask"))
            #expect(peers.count == 1)
            #expect(try await daemon.onLoop { $0.table.count } == 0)
        }
    }

    @Test("a client with reduced accuracy gets the cell and nothing else")
    func reduced() async throws {
        var client = ClientDeclaration.example()
        client.policy = .preset(.always, accuracy: .reduced)
        try await Self.run(clients: [client]) { daemon, port, _ in
            let program = try await Program(port)
            try await program.watch()
            try await daemon.emitUntilNeeded(Fix(number: 1))
            let line = try await program.next("TPV", containing: #""mode":2"#)
            let members = try json(line)
            guard case .object(let found) = members else { throw AwaitedInVain("an object") }
            #expect(
                Set(found.keys) == ["class", "device", "status", "mode", "time", "lat", "lon", "eph", "epx", "epy"],
                "\(line)")
            #expect(members["status"]?.number == 1)
            #expect(members["lat"]?.number != Fix(number: 1).latitude)
            #expect(try #require(members["eph"]?.number) > 3000)
            // It is repeated as it was, while the exact ones go on.
            try await daemon.emit(Fix(number: 2).event, Fix(number: 3).event)
            for _ in 0..<3 { #expect(try await program.next() == line) }
        }
    }

    @Test(
        "an undeclared program is asked about under its executable's name, is identified again, and then gets the fix")
    func prompt() async throws {
        try await Self.run(clients: []) { daemon, port, peers in
            let agent = try await daemon.connect(as: .example(nil, user: 0))
            let program = try await Program(port)
            await program.wire.send("?VERSION;\n")
            _ = try await program.next("VERSION")
            #expect(try await daemon.prompts(agent).isEmpty)
            try await program.watch()
            let prompt = try await daemon.prompt(agent)
            #expect(prompt["client"] == .string("/usr/bin/example"))
            #expect(prompt["displayName"] == .string("example"))
            for _ in 0..<3 { #expect(try await program.next() == Self.noFix) }
            #expect(peers.count == 1)
            try await daemon.decide("allowWhileUsing", prompt, agent)
            try await daemon.emitUntilNeeded(Fix(number: 1))
            _ = try await program.next("TPV", containing: Self.tpv(Fix(number: 1)))
            #expect(peers.count == 2)
            await agent.close()
        }
    }

    @Test("a program that passes its connection on while the prompt is open gets nothing")
    func passedOnDuringPrompt() async throws {
        try await Self.run(clients: []) { daemon, port, peers in
            let agent = try await daemon.connect(as: .example(nil, user: 0))
            let program = try await Program(port)
            try await program.watch()
            let prompt = try await daemon.prompt(agent)
            peers.become(.example("/usr/bin/other"))
            try await daemon.decide("allowWhileUsing", prompt, agent)
            try await daemon.emitUntilNeeded(Fix(number: 1))
            _ = try await daemon.log.line(containing: "another program holds it now")
            try await daemon.emit(Fix(number: 2).event)
            for _ in 0..<5 { #expect(try await program.next() == Self.noFix) }
            #expect(try await program.poll().contains(Self.noFix))
            await agent.close()
        }
    }

    @Test("a decision by command reaches an open connection, in both directions")
    func decidedLater() async throws {
        try await Self.run(clients: []) { daemon, port, _ in
            let manager = try await daemon.connect(as: .example(nil, user: 0))
            func decide(_ authorization: String) async throws {
                let answer = try await manager.ask(
                    "Manager.SetAuthorization",
                    #"{"client":"/usr/bin/example","userID":4242,"authorization":"\#(authorization)"}"#)
                #expect(answer["error"] == nil, "\(answer)")
            }
            let program = try await Program(port)
            try await program.watch()
            let prompt = try await daemon.prompt(manager)
            try await daemon.decide("dontAllow", prompt, manager)
            #expect(try await program.next() == Self.noFix)
            try await decide("authorizedWhenInUse")
            try await daemon.emitUntilNeeded(Fix(number: 1))
            _ = try await program.next("TPV", containing: Self.tpv(Fix(number: 1)))
            try await decide("denied")
            _ = try await program.next("TPV", containing: #""mode":1"#)
            for _ in 0..<3 { #expect(try await program.next() == Self.noFix) }
            try await decide("authorizedWhenInUse")
            try await daemon.emitUntilNeeded(Fix(number: 2))
            _ = try await program.next("TPV", containing: Self.tpv(Fix(number: 2)))
            await manager.close()
        }
    }

    @Test("an unanswered prompt ends without an answer, and the user can still decide while the program runs")
    func unanswered() async throws {
        try await Self.run(clients: []) { daemon, port, _ in
            try await daemon.reload { $0.daemon.promptTimeout = 1 }
            let manager = try await daemon.connect(as: .example(nil, user: 0))
            let program = try await Program(port)
            try await program.watch()
            _ = try await daemon.prompt(manager)
            // The time for an answer may have passed meanwhile.
            try await daemon.ensure(requests: 0)
            // A program that polls does not open another prompt at once.
            for _ in 0..<3 { #expect(try await program.poll().contains(Self.noFix)) }
            #expect(try await daemon.prompts(manager).isEmpty)
            let answer = try await manager.ask(
                "Manager.SetAuthorization",
                #"{"client":"/usr/bin/example","userID":4242,"authorization":"authorizedWhenInUse"}"#)
            #expect(answer["error"] == nil, "\(answer)")
            try await daemon.emitUntilNeeded(Fix(number: 1))
            _ = try await program.next("TPV", containing: Self.tpv(Fix(number: 1)))
            await manager.close()
        }
    }

    @Test("a program that is not in use hears nothing, and goes on by itself")
    func suspended() async throws {
        var client = ClientDeclaration.example()
        client.policy = .preset(.whenInUse)
        try await Self.run(clients: [client]) { daemon, port, _ in
            let program = try await Program(port)
            try await program.watch()
            try await daemon.emitUntilNeeded(Fix(number: 1))
            _ = try await program.next("TPV", containing: Self.tpv(Fix(number: 1)))
            try await daemon.setInUse(false)
            _ = try await program.next("TPV", containing: #""mode":1"#)
            try await daemon.emit(Fix(number: 2).event)
            for _ in 0..<3 { #expect(try await program.next() == Self.noFix) }
            try await daemon.setInUse(true)
            try await daemon.emitUntilNeeded(Fix(number: 3))
            _ = try await program.next("TPV", containing: Self.tpv(Fix(number: 3)))
        }
    }

    @Test("a program that only polls gets its answers, the first after it was identified, and no other lines")
    func pollOnly() async throws {
        try await Self.run { daemon, port, _ in
            let program = try await Program(port)
            await program.wire.send("?WATCH={\"enable\":true}\n")
            _ = try await program.next("WATCH")
            #expect(try await program.poll().contains(#""active":1,"tpv":[\#(Self.noFix)],"gst":[],"sky":[{"#))
            try await daemon.emitUntilNeeded(Fix(number: 1))
            await program.wire.send("?POLL;?POLL;")
            for _ in 0..<2 {
                let answer = try #require(try await program.next())
                #expect(answer.contains(Self.tpv(Fix(number: 1))))
                #expect(try json(answer)["class"] == .string("POLL"))
            }
            try await daemon.emit(.unavailable(.silent))
            #expect(try await program.poll().contains(Self.noFix))
        }
    }

    @Test("a fixed position is repeated with the time of each report")
    func fixed() async throws {
        try await Self.run { daemon, port, _ in
            let program = try await Program(port)
            try await program.watch()
            guard case .location(var location) = Fix(number: 1).event else { return }
            location.sourceInformation = .init(kind: .fixed)
            for await isNeeded in daemon.source.needs where isNeeded { break }
            try await daemon.emit(.location(location))
            let first = try await program.next("TPV", containing: #""lat""#)
            // It is dated anew after a second.
            var line = first
            while line == first { line = try await program.next("TPV") }
            #expect(line.contains(#""lat":48.001000000,"lon":11.500000000"#))
            #expect(try json(line)["time"] != json(first)["time"])
        }
    }

    @Test("what would configure a receiver is refused, and so are a device that is not there and text without a sense")
    func errors() async throws {
        try await Self.run { daemon, port, peers in
            try await daemon.reload { $0.daemon.gpsd = [.init(preferredDevice: "/dev/ttyUSB0")] }
            let program = try await Program(port)
            await program.wire.send("?DEVICE={\"bps\":9600};\n")
            #expect(try await program.next("ERROR").contains("locationd does not configure receivers."))
            _ = try await program.next("DEVICE")
            await program.wire.send(
                "?WATCH={\"device\":\"/dev/x\"};?WATCH={\"device\":\"/dev/ttyUSB0\",\"enable\":false};\n")
            #expect(try await program.next() == #"{"class":"ERROR","message":"No such device as /dev/x"}"#)
            #expect(try await program.next("WATCH").contains(#""device":"/dev/ttyUSB0""#))
            await program.wire.send("?NONSENSE \"$GPRMC*\";\n")
            #expect(
                try await program.next()
                    == #"{"class":"ERROR","message":"Unrecognized request '?NONSENSE ..GPRMC..;'"}"#)
            await program.wire.send("?WATCH={\"enable\":5};\n")
            #expect(try await program.next() == #"{"class":"ERROR","message":"Invalid WATCH"}"#)
            #expect(peers.count == 0)
            // A web page that makes a browser connect here.
            await program.wire.send("GET /?WATCH={} HTTP/1.1\r\n")
            #expect(try await program.next() == nil)
        }
    }

    @Test("a connection ends with the process that was identified")
    func exit() async throws {
        try await Self.run { daemon, port, peers in
            let child = try await ChildProcess(["/usr/bin/sleep", "600"])
            peers.become(process: child.processID)
            let program = try await daemon.wait(connections: 1) {
                let program = try await Program(port)
                try await program.watch()
                return program
            }
            try await daemon.wait(connections: 0) {
                child.signal(SIGKILL)
                while try await program.next() != nil {}
            }
        }
    }

    @Test("a user's connections are limited, and counted before anything is asked on them")
    func limit() async throws {
        try await Self.run { daemon, port, _ in
            try await daemon.reload { $0.daemon.limits.connectionsPerUser = 3 }
            var programs: [Program] = []
            for _ in 0..<3 { programs.append(try await Program(port)) }
            let refused = try await Wire.connect(toPort: port)
            #expect(try await refused.receive() == nil)
            #expect(try await daemon.log.line(containing: "has too many").contains("user \(getuid())"))
            try await daemon.wait(
                for: "room", after: { await programs[0].wire.close() },
                until: { ($0.table.users[getuid()]?.connections[.gpsd] ?? 0) < 3 })
            _ = try await Program(port)
        }
    }

    @Test("a program that does not read costs a bounded amount, delays nobody, and then reads the newest")
    func slowReader() async throws {
        // No report is due meanwhile: who misses too many is disconnected.
        try await Self.run(interval: .hours(1)) { daemon, port, _ in
            let (slow, other) = (try await Program(port), try await Program(port))
            try await slow.watch()
            try await other.watch()
            for await isNeeded in daemon.source.needs where isNeeded { break }
            for number in 1...3000 { try await daemon.emit(Fix(number: number).event) }
            while try await other.next() != Self.tpv(Fix(number: 3000)) {}
            var (count, line) = (0, "")
            while line != Self.tpv(Fix(number: 3000)) {
                line = try await slow.next("TPV")
                count += 1
            }
            #expect(count < 2500, "it was sent \(count)")
        }
    }

    @Test("a flood of commands without reading is answered as far as its answers are read")
    func flood() async throws {
        try await Self.run { daemon, port, _ in
            let (hostile, other) = (try await Program(port), try await Program(port))
            let text = String(repeating: "?DEVICES;", count: 200_000)
            let flood = Task { await hostile.wire.send(text) }
            for _ in 0..<20 { #expect(try await other.poll().contains("POLL")) }
            await hostile.wire.close()
            _ = await flood.value
        }
    }

    @Test("hostile text opens nothing and harms nobody", arguments: [UInt8(0), 0x3f, 0x7b, 0xff])
    func garbage(byte: UInt8) async throws {
        try await Self.run { daemon, port, peers in
            let (hostile, other) = (try await Program(port), try await Program(port))
            for _ in 0..<20 { await hostile.wire.send([UInt8](repeating: byte, count: 4000) + [UInt8(ascii: "\n")]) }
            #expect(try await other.poll().contains("POLL"))
            #expect(peers.count == 1)
            await hostile.wire.close()
        }
    }
}

// MARK: Rules about places

extension GPSDFrontEndTests {
    /// What a program is sent, second by second, while a rule withholds the location at home, or while the receiver has no fix
    /// for `reason`.
    ///
    /// - Parameters:
    ///   - returning: the second in which the user leaves home, or the receiver has a fix again.
    ///   - isReduced: true if it may have approximate locations only.
    private func absence(
        _ reason: UnavailableReason?, in second: Int, lastFix: Bool, returning: Int = .max, isReduced: Bool = false
    ) async throws -> [String] {
        var seen: [String] = []
        var program = ClientDeclaration.mapAtGPSDPort
        program.isReducedAccuracyDefault = isReduced
        try await DaemonUnderTest.run(.inProcess, clients: [program, .doorbell]) { daemon in
            let manager = try await daemon.connect(as: .example("/usr/bin/locationctl", user: getuid()))
            try await daemon.addHome(by: manager)
            try await daemon.addRule(#"{"inside":"home","deny":true,"clients":["org.example.Map"]}"#, by: manager)
            // Keeps the sources at work in both situations.
            _ = try await daemon.subscribe(as: .doorbell)
            let peer = try await daemon.connectAtGPSDPort()
            await peer.send("?WATCH={\"json\":true,\"nmea\":true}")
            try await daemon.finishDiskWork()
            if lastFix {
                try await daemon.emit(.fix(5000, second: 0))
                try await daemon.finishDiskWork()
            }
            for now in 0...22 {
                if now >= returning {
                    try await daemon.emit(.fix(5000 + Double(now), second: Int64(now)))
                    try await daemon.finishDiskWork()
                } else if now >= second {
                    if let reason {
                        if now == second { try await daemon.emit(.unavailable(reason)) }
                    } else {
                        try await daemon.emit(.fix(0, second: Int64(now)))
                    }
                }
                await daemon.turnClock(by: .milliseconds(500))
                await peer.send("?POLL;")
                await daemon.turnClock(by: .milliseconds(500))
                while let line = try await peer.receive() {
                    // Only the receiver and the answer to POLL have a time of their own.
                    guard !line.contains("DEVICES") else { continue }
                    seen.append("\(now) s: " + (line.split(separator: #""active""#).last.map(String.init) ?? ""))
                }
            }
            try await daemon.onLoop { $0.closeFrontEnds() }
        }
        return seen
    }

    /// All lines that a program has been sent, without their padding.
    private static func lines(_ program: InProcessPeer) async throws -> [String] {
        var lines: [String] = []
        while let line = try await program.receive() { lines.append(line.withoutPadding) }
        return lines
    }

    /// What is alike of runs that have a secret each, by which approximate locations are placed.
    private static func comparable(_ lines: [String]) -> [String] { lines.map(\.withoutCoordinates.withoutPadding) }

    @Test(
        "a program hears the same at the same time while a rule withholds the location and while there is none",
        arguments: [UnavailableReason.noFix, .silent, .noReceiver], [true, false])
    func absencesAreAlike(reason: UnavailableReason, lastFix: Bool) async throws {
        let second = reason == .silent ? 3 : 1
        let withheld = try await absence(nil, in: 1, lastFix: lastFix)
        let without = try await absence(reason, in: second, lastFix: lastFix)
        #expect(withheld == without)
        #expect(withheld.contains { $0.contains(#""lat""#) } == lastFix)
        #expect(withheld.count > 60)
    }

    @Test(
        "a program reads the same when the user leaves a withheld place and when the receiver has a fix again",
        arguments: [UnavailableReason.noFix, .silent], [true, false])
    func returnsAreAlike(reason: UnavailableReason, isReduced: Bool) async throws {
        for lastFix in [true, false] {
            let second = reason == .silent ? 3 : 1
            let withheld = try await absence(nil, in: 1, lastFix: lastFix, returning: 12, isReduced: isReduced)
            let without = try await absence(
                reason, in: second, lastFix: lastFix, returning: 12, isReduced: isReduced)
            #expect(
                isReduced ? Self.comparable(withheld) == Self.comparable(without) : withheld == without)
            #expect(withheld.contains { $0.contains(#""lat""#) })
            // An approximate position is known for a quarter of an hour, with or without a fix.
            guard isReduced, lastFix else { continue }
            let known = withheld.drop { !$0.contains(#""lat""#) }
            #expect(!known.contains { $0.contains(#""class":"TPV""#) && $0.contains(#""mode":1"#) })
        }
    }

    @Test(
        "who counts the bytes of a program's connection learns nothing of a place that a rule names",
        arguments: [true, false])
    func trafficIsAlike(isReduced: Bool) async throws {
        func sizes(_ lines: [String]) -> [String] { lines.map { "\($0.prefix { $0 != ":" }) \($0.utf8.count)" } }
        let inside = try await absence(nil, in: 0, lastFix: false, isReduced: isReduced)
        let outside = try await absence(nil, in: .max, lastFix: false, returning: 0, isReduced: isReduced)
        #expect(!inside.contains { $0.contains(#""lat""#) } && outside.contains { $0.contains(#""lat""#) })
        #expect(sizes(inside) == sizes(outside))
        let silent = try await absence(.silent, in: 0, lastFix: false, isReduced: isReduced)
        #expect(sizes(inside) == sizes(silent))
    }

    @Test("a rule can name a program that nobody has declared by its path")
    func ruleForUndeclaredProgram() async throws {
        try await DaemonUnderTest.run(.inProcess, clients: [.doorbell]) { daemon in
            let manager = try await daemon.connect(as: .example("/usr/bin/locationctl", user: getuid()))
            let program = try await daemon.connectAtGPSDPort()
            try await manager.call(
                "Manager.SetAuthorization", #"{"client":"/usr/bin/map","authorization":"authorizedAlways"}"#)
            try await daemon.finishDiskWork()
            #expect(try await manager.next()["error"] == nil)
            func positions() async throws -> Int {
                await program.send("?POLL;")
                try await daemon.finishDiskWork()
                try await daemon.emit(.fix(5000, second: 0))
                await program.send("?POLL;")
                var count = 0
                while let line = try await program.receive() { count += line.contains(#""lat""#) ? 1 : 0 }
                return count
            }
            #expect(try await positions() > 0)
            try await daemon.addRule(#"{"deny":true,"clients":["/usr/bin/map"]}"#, by: manager)
            #expect(try await positions() == 0)
        }
    }

    @Test("history counts what a program is sent: not what it leaves, and each position once")
    func history() async throws {
        try await DaemonUnderTest.run(.inProcess, clients: [.mapAtGPSDPort]) { daemon in
            let manager = try await daemon.connect(as: .example("/usr/bin/locationctl", user: getuid()))
            func count() async throws -> Int {
                try await manager.call("Manager.ListAccess")
                try await daemon.finishDiskWork()
                guard case .array(let sessions) = try await manager.next()["parameters"]?["sessions"] else {
                    throw AwaitedInVain("a history", because: "there is none")
                }
                return sessions.reduce(0) { $0 + Int($1["count"]?.number ?? 0) }
            }
            func emit(_ seconds: ClosedRange<Int>) async throws {
                for second in seconds {
                    try await daemon.emit(.fix(5000, second: Int64(second)))
                    await daemon.turnClock(by: .seconds(1))
                }
            }
            let program = try await daemon.connectAtGPSDPort()
            func read() async throws -> [String] {
                var lines: [String] = []
                while let line = try await program.receive() { lines.append(line) }
                return lines.filter { $0.contains(#""lat""#) }
            }
            await program.send("?POLL;")
            try await emit(1...15)
            #expect(try await (read().count, count()) == (0, 0), "the first answer came before the first position")
            for _ in 0..<2 {
                await program.send("?POLL;")
                #expect(try await (read().count, count()) == (1, 1))
            }
            await program.send(#"?WATCH={"json":true}"#)
            try await emit(16...18)
            await daemon.turnClock(by: .seconds(2))
            #expect(try await read().count > 3, "the last one is repeated")
            #expect(try await count() == 4)
            await program.send(#"?WATCH={"enable":false}"#)
            try await emit(19...20)
            #expect(try await (read().count, count()) == (0, 4))
        }
    }

    @Test("two approximate programs each get a cell of their own, and a quarter of an hour later their next one")
    func cellsOfTheirOwn() async throws {
        let names = ["/usr/bin/one", "/usr/bin/other"]
        let clients = names.map { name in
            ClientDeclaration.example(
                "org.example\(name.replacing("/", with: "."))", executable: name,
                policy: .preset(.always, accuracy: .reduced))
        }
        try await DaemonUnderTest.run(.inProcess, clients: clients) { daemon in
            var programs: [InProcessPeer] = []
            for name in names {
                programs.append(try await daemon.connectAtGPSDPort(as: name))
                await programs[programs.count - 1].send(#"?WATCH={"json":true,"nmea":true}"#)
            }
            try await daemon.finishDiskWork()
            /// Each program's latitude in JSON and its sentence of NMEA, as all lines since the last call have them.
            func cells() async throws -> [[String]] {
                var cells: [[String]] = []
                for program in programs {
                    let found = try await Self.lines(program).compactMap { line -> String? in
                        let name = line.firstMatch(of: /"lat":[-0-9.]+/).map { String($0.output) }
                        return name
                            ?? (line.contains("RMC,") && line.contains(",A,")
                                ? line.firstMatch(of: /\d+\.\d+,[NS]/).map { String($0.output) } : nil)
                    }
                    cells.append(Set(found).sorted())
                }
                return cells
            }
            func emit(_ metres: Double, second: Int64) async throws {
                try await daemon.emit(.fix(metres, second: second))
                try await daemon.finishDiskWork()
            }
            try await emit(0, second: 0)
            for _ in 0..<3 {
                await daemon.turnClock(by: .seconds(1))
                await programs[0].send("?POLL;")
            }
            let first = try await cells()
            #expect(first.map(\.count) == [2, 2], "one in JSON, and the same in NMEA: \(first)")
            #expect(Set(first[0]).isDisjoint(with: first[1]))
            // For each what the core has released to it, and not what it has released to the other.
            let released = try await daemon.onLoop { core in
                clients.map { core.disclosures.reduced.newest(for: $0.identifier)?.location.coordinate.latitude ?? 0 }
            }
            for (cell, latitude) in zip(first, released) {
                #expect(cell.contains { abs((Double($0.split(separator: ":").last ?? "") ?? 0) - latitude) < 1e-8 })
            }
            // 300 km further, but not yet.
            try await emit(300_000, second: 100)
            await daemon.turnClock(by: .seconds(1))
            #expect(try await cells() == first)
            await daemon.turnClock(by: .seconds(900))
            _ = try await cells()
            try await emit(300_000, second: 1000)
            await daemon.turnClock(by: .seconds(1))
            _ = try await cells()
            await daemon.turnClock(by: .seconds(1))
            let next = try await cells()
            #expect(next.map(\.count) == [2, 2], "\(next)")
            #expect(Set(next[0]).isDisjoint(with: next[1]))
            for index in 0...1 { #expect(Set(next[index]).isDisjoint(with: first[index])) }
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
            let before = try await Self.lines(program).filter { $0.contains(#""mode""#) }
            #expect(before.count >= 8)
            #expect(before.allSatisfy { $0.contains(Self.noFix) && !$0.contains("lat") }, "\(before)")
            let promise = try #require(pending.withLock { $0 })
            promise.succeed(try PeerIdentifier.LoopbackPeer.own())
            try await daemon.settle()
            await program.send("?POLL;")
            let after = try await Self.lines(program)
            #expect(after.contains { $0.contains("POLL") && $0.contains(#""lat":48.0"#) }, "\(after)")
            #expect(count.withLock { $0 } == 2)
        }
    }

    @Test("a program that misses reports a few at a time stays connected, and one that reads no more does not")
    func missedReports() async throws {
        try await DaemonUnderTest.run(.inProcess, clients: [.mapAtGPSDPort]) { daemon in
            let program = try await daemon.connectAtGPSDPort()
            await program.send(#"?WATCH={"json":true}"#)
            for _ in 0..<5 {
                try await program.stopReading()
                await daemon.turnClock(by: .seconds(150))
                try await program.resumeReading()
                await program.send("?POLL;")
                #expect(try await Self.lines(program).contains { $0.contains("POLL") })
            }
            try await program.stopReading()
            await daemon.turnClock(by: .seconds(170))
            #expect(program.channel.isActive)
            await daemon.turnClock(by: .seconds(20))
            #expect(!program.channel.isActive)
        }
    }

    @Test("a program that has switched its reports off, or has long polled no more, keeps no receiver awake")
    func interest() async throws {
        try await DaemonUnderTest.run(.inProcess, clients: [.mapAtGPSDPort]) { daemon in
            let program = try await daemon.connectAtGPSDPort()
            await program.send(#"?WATCH={"enable":true};?WATCH={"enable":false};"#)
            try await daemon.finishDiskWork()
            #expect(try await daemon.onLoop { $0.publisher.subscriptionCount } == 0)
            await program.send("?POLL;")
            await daemon.turnClock(by: .seconds(40))
            await program.send("?POLL;")
            await daemon.turnClock(by: .seconds(40))
            #expect(try await daemon.onLoop { $0.publisher.subscriptionCount } == 1)
            await daemon.turnClock(by: .seconds(20))
            #expect(try await daemon.onLoop { $0.publisher.subscriptionCount } == 0)
        }
    }
}
