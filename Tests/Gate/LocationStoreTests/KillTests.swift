import SeededRandom
import Glibc
import LocationModel
import LocationPolicy
import LocationStore
import TestSupport
import Testing

/// Kills a process that saves decisions again and again, and checks the file in between.
@Suite(.timeLimit(.minutes(10))) struct KillTests {
    @Test("no acknowledged decision is lost")
    func noAcknowledgedDecisionIsLost() async throws {
        let directory = try TemporaryDirectory()
        var generator = SeededGenerator(seed: 1)
        var next: UInt32 = 0
        // The last saved number of each client.
        var newest: [ClientKey: UInt32] = [:]
        for round in 0..<200 {
            let writer = try await Writer(directory: directory.path, first: next)
            for _ in 0..<Int.random(in: 0..<12, using: &generator) {
                let number = try #require(try await writer.acknowledgement())
                newest[numbered(number)] = number
            }
            // A save takes some hundred microseconds, and the kill comes at a random time within it.
            try await pass(.microseconds(Int.random(in: 0..<1500, using: &generator)))
            try await writer.kill()
            while let number = try await writer.acknowledgement() { newest[numbered(number)] = number }

            let (store, opening) = try directory.open()
            #expect(round == 0 || opening == .existing)
            let decisions = try store.decisions()
            let highest = newest.values.max().map { $0 + 1 } ?? next
            for (key, number) in newest {
                // The unacknowledged decision may be there or not.
                let found = try #require(decisions[key]?.origin.timestamp.nanosecondsSince1970)
                #expect(found == number || (found == highest && key == numbered(highest)), "round \(round)")
            }
            for (key, decision) in decisions {
                let number = UInt32(decision.origin.timestamp.nanosecondsSince1970)
                #expect(number <= max(highest, next) && key == numbered(number))
                let grants = AuthorizationRecord.Grant.allCases
                #expect(decision.record.grant == grants[Int(number) % grants.count])
                newest[key] = number
            }
            next = (newest.values.max() ?? 0) + 1
        }
        #expect(next > 800)
    }

    /// Killed while the file is created or opened.
    @Test("a file whose creation or opening was interrupted opens with everything that was acknowledged")
    func interruptedFileOpens() async throws {
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<50 {
            let directory = try TemporaryDirectory()
            let writer = try await Writer(directory: directory.path, first: 0)
            try await pass(.microseconds(Int.random(in: 0..<20_000, using: &generator)))
            try await writer.kill()
            var acknowledged: UInt32?
            while let number = try await writer.acknowledgement() { acknowledged = number }
            let (store, opening) = try directory.open()
            // An interruption is not damage: nothing was set aside, and services are on.
            #expect(opening == .existing || (opening == .created && acknowledged == nil))
            #expect(try store.disabledServices() == [:])
            let decisions = try store.decisions()
            if let acknowledged { #expect(decisions[numbered(acknowledged)] != nil) }
        }
    }

    private func numbered(_ number: UInt32) -> ClientKey {
        ClientKey(userID: 1000, client: "org.example.client\(number % 7)")
    }
}

/// A running `StoreWriter`, an executable beside the tests.
private struct Writer {
    private let process: ChildProcess

    init(directory: String, first: UInt32) async throws {
        process = try await ChildProcess([Products.directory + "/StoreWriter", directory, "\(first)"])
    }

    /// The number of the next saved decision, or `nil` at the end.
    func acknowledgement() async throws -> UInt32? { try await process.output.receive().flatMap { UInt32($0) } }

    func kill() async throws {
        process.signal(SIGKILL)
        _ = try await process.exitCode()
    }
}
