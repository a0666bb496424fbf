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

/// What a program at gpsd's port reads.
@Suite("Reports at gpsd's port", .timeLimit(.minutes(10))) struct GPSDReportTests {
    @Test("a program is identified only when it watches, and gets each fix, repeated until the next one")
    func full() async throws {
        try await GPSDPort.run { daemon, port, peers in
            let program = try await GPSDPort.Program(port)
            await program.wire.send("?DEVICES;?DEVICE;?VERSION;?WATCH;\n")
            #expect(try await program.next("DEVICES").contains(#""path":"/dev/locationd""#))
            #expect(try await program.next("DEVICE").contains(#""driver":"locationd""#))
            _ = try await program.next("VERSION")
            #expect(try await program.next("WATCH").contains(#""enable":false"#))
            #expect(peers.count == 0)

            try await program.watch()
            try await daemon.emitUntilNeeded(Fix(number: 1))
            _ = try await program.next("TPV", containing: GPSDPort.tpv(Fix(number: 1)))
            #expect(try await program.next() == GPSDPort.tpv(Fix(number: 1)))
            try await daemon.emit(Fix(number: 2).event)
            while try await program.next() != GPSDPort.tpv(Fix(number: 2)) {}
            // Never an older one again, and none that has gone stale.
            #expect(try await program.next() == GPSDPort.tpv(Fix(number: 2)))
            try await daemon.emit(.unavailable(.silent))
            _ = try await program.next("TPV", containing: #""mode":1}"#)
            for _ in 0..<3 { #expect(try await program.next() == GPSDPort.noFix) }
            try await daemon.emit(Fix(number: 3).event)
            while try await program.next() != GPSDPort.tpv(Fix(number: 3)) {}
            #expect(peers.count == 1)
            try await daemon.wait(subscriptions: 0) { await program.wire.send("?WATCH={\"enable\":false}\n") }
            try await daemon.wait(connections: 0) { await program.wire.close() }
        }
    }

    @Test("a program that only polls gets its answers, the first after it was identified, and no other lines")
    func pollOnly() async throws {
        try await GPSDPort.run { daemon, port, _ in
            let program = try await GPSDPort.Program(port)
            await program.wire.send("?WATCH={\"enable\":true}\n")
            _ = try await program.next("WATCH")
            #expect(try await program.poll().contains(#""active":1,"tpv":[\#(GPSDPort.noFix)],"gst":[],"sky":[{"#))
            try await daemon.emitUntilNeeded(Fix(number: 1))
            await program.wire.send("?POLL;?POLL;")
            for _ in 0..<2 {
                let answer = try #require(try await program.next())
                #expect(answer.contains(GPSDPort.tpv(Fix(number: 1))))
                #expect(try json(answer)["class"] == .string("POLL"))
            }
            try await daemon.emit(.unavailable(.silent))
            #expect(try await program.poll().contains(GPSDPort.noFix))
        }
    }

    @Test("a fixed position is repeated with the time of each report")
    func fixed() async throws {
        try await GPSDPort.run { daemon, port, _ in
            let program = try await GPSDPort.Program(port)
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

    @Test("a client with reduced accuracy gets the cell and nothing else")
    func reduced() async throws {
        var client = ClientDeclaration.example()
        client.policy = .preset(.always, accuracy: .reduced)
        try await GPSDPort.run(clients: [client]) { daemon, port, _ in
            let program = try await GPSDPort.Program(port)
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
                    let found = try await program.messages().map(\.withoutPadding).compactMap { line -> String? in
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

    @Test("history counts the positions that a program is sent, each once, and not those it is not sent")
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
            func read() async throws -> [String] { try await program.messages().filter { $0.contains(#""lat""#) } }
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

    @Test("a program that has switched its reports off, or stopped polling long ago, keeps no receiver awake")
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
