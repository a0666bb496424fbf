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
import TestSupport
import Testing

@testable import GPSDFrontEnd
@testable import LocationCore
@testable import PeerIdentification
@testable import Varlink

/// Connections and commands at gpsd's port, of hostile programs, too.
@Suite("Connections at gpsd's port", .timeLimit(.minutes(10))) struct GPSDPortTests {
    @Test("a port that another program holds at ::1 is not served at 127.0.0.1 alone")
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

    @Test("commands that configure a receiver, unknown devices and meaningless text are refused")
    func errors() async throws {
        try await GPSDPort.run { daemon, port, peers in
            try await daemon.reload { $0.daemon.gpsd = [.init(preferredDevice: "/dev/ttyUSB0")] }
            let program = try await GPSDPort.Program(port)
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
        try await GPSDPort.run { daemon, port, peers in
            let child = try await ChildProcess(["/usr/bin/sleep", "600"])
            peers.become(process: child.processID)
            let program = try await daemon.wait(connections: 1) {
                let program = try await GPSDPort.Program(port)
                try await program.watch()
                return program
            }
            try await daemon.wait(connections: 0) {
                child.signal(SIGKILL)
                while try await program.next() != nil {}
            }
        }
    }

    @Test("a user's connections are limited, and counted before they can open a prompt")
    func limit() async throws {
        try await GPSDPort.run { daemon, port, _ in
            try await daemon.reload { $0.daemon.limits.connectionsPerUser = 3 }
            var programs: [GPSDPort.Program] = []
            for _ in 0..<3 { programs.append(try await GPSDPort.Program(port)) }
            let refused = try await Wire.connect(toPort: port)
            #expect(try await refused.receive() == nil)
            #expect(try await daemon.log.line(containing: "has too many").contains("user \(getuid())"))
            try await daemon.wait(
                for: "room", after: { await programs[0].wire.close() },
                until: { ($0.table.users[getuid()]?.connections[.gpsd] ?? 0) < 3 })
            _ = try await GPSDPort.Program(port)
        }
    }

    @Test("a program that does not read costs a bounded amount, delays nobody, and then reads the newest")
    func slowReader() async throws {
        // No report is due meanwhile: who misses too many is disconnected.
        try await GPSDPort.run(interval: .hours(1)) { daemon, port, _ in
            let (slow, other) = (try await GPSDPort.Program(port), try await GPSDPort.Program(port))
            try await slow.watch()
            try await other.watch()
            for await isNeeded in daemon.source.needs where isNeeded { break }
            for number in 1...3000 { try await daemon.emit(Fix(number: number).event) }
            while try await other.next() != GPSDPort.tpv(Fix(number: 3000)) {}
            var (count, line) = (0, "")
            while line != GPSDPort.tpv(Fix(number: 3000)) {
                line = try await slow.next("TPV")
                count += 1
            }
            #expect(count < 2500, "it was sent \(count)")
        }
    }

    @Test("a program that misses a few reports at a time stays connected, and one that stops reading does not")
    func missedReports() async throws {
        try await DaemonUnderTest.run(.inProcess, clients: [.mapAtGPSDPort]) { daemon in
            let program = try await daemon.connectAtGPSDPort()
            await program.send(#"?WATCH={"json":true}"#)
            for _ in 0..<5 {
                try await program.stopReading()
                await daemon.turnClock(by: .seconds(150))
                try await program.resumeReading()
                await program.send("?POLL;")
                #expect(try await program.messages().map(\.withoutPadding).contains { $0.contains("POLL") })
            }
            try await program.stopReading()
            await daemon.turnClock(by: .seconds(170))
            #expect(program.channel.isActive)
            await daemon.turnClock(by: .seconds(20))
            #expect(!program.channel.isActive)
        }
    }

    @Test("a flood of commands without reading is answered only as far as the answers are read")
    func flood() async throws {
        try await GPSDPort.run { daemon, port, _ in
            let (hostile, other) = (try await GPSDPort.Program(port), try await GPSDPort.Program(port))
            let text = String(repeating: "?DEVICES;", count: 200_000)
            let flood = Task { await hostile.wire.send(text) }
            for _ in 0..<20 { #expect(try await other.poll().contains("POLL")) }
            await hostile.wire.close()
            _ = await flood.value
        }
    }

    @Test("hostile text opens nothing and harms no other client", arguments: [UInt8(0), 0x3f, 0x7b, 0xff])
    func garbage(byte: UInt8) async throws {
        try await GPSDPort.run { daemon, port, peers in
            let (hostile, other) = (try await GPSDPort.Program(port), try await GPSDPort.Program(port))
            for _ in 0..<20 { await hostile.wire.send([UInt8](repeating: byte, count: 4000) + [UInt8(ascii: "\n")]) }
            #expect(try await other.poll().contains("POLL"))
            #expect(peers.count == 1)
            await hostile.wire.close()
        }
    }
}
