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

// Tests of the bus and its name.

extension GeoClueFrontEndTests {
    @Test("after a restart of the bus programs are served again")
    func busIsRestarted() async throws {
        try await Self.run { daemon, bus in
            let program = try await BusClient(bus.address)
            let client = try await program.client()
            try await daemon.awaitFrontEnd(isOpen: false) { try await bus.stop() }
            let next = try await daemon.awaitFrontEnd(isOpen: true) { try await bus.restart() }
            let other = try await BusClient(next.address)
            // No number is used again: a program can still read what it was told of before, and that is no place.
            #expect(try await other.client() != client)
            #expect(try await other.latitude(of: "\(client)/Location/0").isNaN)
            #expect(try await other.properties(of: client).error == "UnknownObject")
            try await other.close()
            try await program.close()
        }
    }

    @Test("without a bus the daemon works and reports the reason, and serves programs once there is one")
    func noBus() async throws {
        let bus = try await BusUnderTest.start()
        try await bus.stop()
        let clients = [ClientDeclaration.example(executable: BusUnderTest.ownExecutable)]
        try await DaemonUnderTest.run(.socket, clients: clients) { daemon in
            try await daemon.reload {
                $0.daemon.geoClue.isEnabled = true
                $0.daemon.geoClue.busAddress = bus.address
            }
            guard case .array(let frontEnds)? = try await daemon.status("frontEnds"),
                case .string(let problem)? = frontEnds.first?["problem"]
            else { throw BusClient.Missing(description: "the status of the frontEnd") }
            #expect(problem.hasPrefix("Programs that ask GeoClue get no location: "), "\(problem)")
            #expect(problem.hasSuffix("Trying again."), "\(problem)")
            let next = try await daemon.awaitFrontEnd(isOpen: true) { try await bus.restart() }
            let program = try await BusClient(next.address)
            _ = try await program.client()
            try await program.close()
            try await daemon.reload { $0.daemon.geoClue.isEnabled = false }
        }
    }

    @Test("while another service owns the name this one waits, logs it once, and takes it over")
    func nameIsTaken() async throws {
        let bus = try await BusUnderTest.start()
        let owner = try await BusClient(bus.address)
        try await owner.own(Interface.busName)
        try await DaemonUnderTest.run(.socket) { daemon in
            try await daemon.awaitFrontEnd(isOpen: false) {
                try await daemon.reload {
                    $0.daemon.geoClue.isEnabled = true
                    $0.daemon.geoClue.busAddress = bus.address
                }
            }
            try await daemon.awaitFrontEnd(isOpen: true) { try await owner.close() }
            try await daemon.reload { $0.daemon.geoClue.isEnabled = false }
        }
    }

    @Test("the available accuracy follows the sources: 8 with a receiver, 0 without, and every program is told")
    func availableAccuracy() async throws {
        try await Self.run { daemon, bus in
            let program = try await BusClient(bus.address)
            var signals = program.signals.makeAsyncIterator()
            func level() async throws -> BusValue? {
                try await program.properties(of: ObjectPath.manager.text).properties["AvailableAccuracyLevel"]
            }
            #expect(try await level() == .number(8))
            let source = daemon.source
            #expect(try await daemon.onLoop { _ in source.isAvailabilityWatched })
            for (isAvailable, expected) in [(false, 0), (true, 8)] as [(Bool, UInt32)] {
                try await daemon.onLoop { _ in
                    source.isAvailable = isAvailable
                    source.report?(.availability)
                }
                let change = BusClient.Signal(
                    member: "AvailableAccuracyLevel", path: ObjectPath.manager.text, value: .number(expected))
                _ = try await signals.first("level \(expected)") { $0 == change }
                #expect(try await level() == .number(expected))
            }
            try await program.close()
        }
    }
}
