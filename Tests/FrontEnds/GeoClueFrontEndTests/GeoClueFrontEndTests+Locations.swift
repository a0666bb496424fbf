import DaemonTestSupport
import Glibc
import LocationConfiguration
import LocationInterface
import LocationModel
import LocationPolicy
import LocationSources
import TestSupport
import Testing

@testable import GeoClueFrontEnd
@testable import LocationCore
@testable import PeerIdentification
@testable import Varlink

// Tests of announced locations.

extension GeoClueFrontEndTests {
    @Test("a denied client is notified, and the announced location reads as unknown; permitted again, it continues")
    func revocation() async throws {
        try await Self.run { daemon, bus in
            let program = try await BusClient(bus.address)
            var signals = program.signals.makeAsyncIterator()
            let client = try await program.client()
            _ = try await program.set("RequestedAccuracyLevel", .number(8), of: client)
            async let reply = program.start(client)
            try await daemon.emitUntilNeeded(Fix(number: 1))
            _ = try await reply
            _ = try await signals.first("the first location") { $0.member == "Location" }
            let root = try await daemon.connect(as: .example(nil, user: 0))
            _ = try await root.ask("Manager.SetEnabled", #"{"isEnabled":false,"isSystem":true}"#)
            #expect(await signals.next() == .init(member: "Active", path: client, value: .boolean(false)))
            #expect(try await program.latitude(of: "\(client)/Location/0").isNaN)
            #expect(try await program.properties(of: client).properties["Location"] == .path("\(client)/Location/0"))
            _ = try await root.ask("Manager.SetEnabled", #"{"isEnabled":true,"isSystem":true}"#)
            #expect(await signals.next() == .init(member: "Active", path: client, value: .boolean(true)))
            try await daemon.emit(Fix(number: 2).event)
            #expect(await signals.next()?.member == "LocationUpdated")
            try await program.close()
            await root.close()
        }
    }

    @Test("an announced location is no longer readable once its declaration has vanished")
    func vanishedDeclaration() async throws {
        try await Self.run { daemon, bus in
            let program = try await BusClient(bus.address)
            let client = try await program.located(daemon)
            #expect(try await program.stop(client).error == nil)
            #expect(try await program.latitude(of: "\(client)/Location/0") == Fix(number: 1).latitude)
            try await daemon.reload { $0.clients = [] }
            #expect(try await program.latitude(of: "\(client)/Location/0").isNaN)
            try await program.close()
        }
    }

    @Test("an announced location is no longer readable once the desktop has lowered the accuracy, also after Stop")
    func loweredAccuracy() async throws {
        try await Self.run { daemon, bus in
            let (shell, program) = (try await BusClient(bus.address), try await BusClient(bus.address))
            let level = Level()
            try await shell.serveAgent(level: { level.value }, isAllowed: { _ in true })
            #expect(try await shell.manager("AddAgent", [.text("gnome-shell")]).error == nil)
            let client = try await program.located(daemon)
            #expect(try await program.stop(client).error == nil)
            #expect(try await program.latitude(of: "\(client)/Location/0") == Fix(number: 1).latitude)
            level.value = 4
            try await daemon.wait(
                for: "the lowered level", after: { try await shell.setLevel(4) },
                until: { $0.desktops[getuid()] == .reduced })
            #expect(try await program.latitude(of: "\(client)/Location/0").isNaN)
            try await shell.close()
            try await program.close()
        }
    }

    @Test("the last two announced locations are readable while they are fresh, and no others")
    func announcedLocations() async throws {
        try await Self.run { daemon, bus in
            let program = try await BusClient(bus.address)
            let client = try await program.located(daemon)
            func location(_ number: Int) -> String { "\(client)/Location/\(number)" }
            #expect(try await program.latitude(of: location(0)) == Fix(number: 1).latitude)
            try await daemon.emit(Fix(number: 2).event)
            #expect(try await program.latitude(of: location(0)) == Fix(number: 1).latitude)
            #expect(try await program.latitude(of: location(1)) == Fix(number: 2).latitude)
            #expect(try await program.latitude(of: location(0)) == Fix(number: 1).latitude)
            try await daemon.emit(Fix(number: 3).event)
            #expect(try await program.latitude(of: location(0)).isNaN)
            #expect(try await program.latitude(of: location(1)) == Fix(number: 2).latitude)
            #expect(try await program.latitude(of: location(2)) == Fix(number: 3).latitude)
            #expect(try await program.properties(of: location(3)).error == "UnknownObject")
            try await daemon.emit(.unavailable(.silent))
            for number in 0...2 { #expect(try await program.latitude(of: location(number)).isNaN) }
            try await program.close()
        }
    }

    @Test("a program that requests a low accuracy while it is active gets and reads nothing exact afterwards")
    func roughLevelWhileActive() async throws {
        try await Self.run { daemon, bus in
            let program = try await BusClient(bus.address)
            let client = try await program.located(daemon)
            var signals = program.signals.makeAsyncIterator()
            #expect(try await program.latitude(of: "\(client)/Location/0") == Fix(number: 1).latitude)
            _ = try await program.set("RequestedAccuracyLevel", .number(4), of: client)
            #expect(try await program.latitude(of: "\(client)/Location/0").isNaN)
            try await daemon.emit(Fix(number: 2).event, Fix(number: 3).event)
            let next = BusClient.Signal(
                member: "LocationUpdated", path: client, value: .path("\(client)/Location/1"))
            _ = try await signals.first("an approximate location") { $0 == next }
            let location = try await program.properties(of: "\(client)/Location/1").properties
            guard case .real(let accuracy)? = location["Accuracy"] else {
                throw BusClient.Missing(description: "accuracy")
            }
            #expect(accuracy > 1000)
            try await program.close()
        }
    }
}
