import SeededRandom
import Glibc
import LocationModel
import LocationPolicy
import LocationStore
import TestSupport
import Testing

/// Kills a process that saves decisions again and again, and checks the file in between.
@Suite(.timeLimit(.minutes(5))) struct KillTests {
    @Test("no acknowledged decision is lost")
    func noAcknowledgedDecisionIsLost() throws {
        let directory = try TemporaryDirectory()
        var generator = SeededGenerator(seed: 1)
        var next: UInt32 = 0
        // The last saved number of each client.
        var newest: [ClientKey: UInt32] = [:]
        for round in 0..<200 {
            let writer = try Writer(directory: directory.path, first: next)
            for _ in 0..<Int.random(in: 0..<12, using: &generator) {
                let number = try #require(writer.acknowledgement())
                newest[numbered(number)] = number
            }
            // A save takes some hundred microseconds, and the kill comes at a random time within it.
            let deadline = ContinuousClock.now + .microseconds(Int.random(in: 0..<1500, using: &generator))
            while ContinuousClock.now < deadline {}
            writer.kill()
            while let number = writer.acknowledgement() { newest[numbered(number)] = number }

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
    func theFileAlwaysOpens() throws {
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<50 {
            let directory = try TemporaryDirectory()
            let writer = try Writer(directory: directory.path, first: 0)
            let deadline = ContinuousClock.now + .microseconds(Int.random(in: 0..<20_000, using: &generator))
            while ContinuousClock.now < deadline {}
            writer.kill()
            var acknowledged: UInt32?
            while let number = writer.acknowledgement() { acknowledged = number }
            let (store, opening) = try directory.open()
            // An interruption is not damage: nothing was set aside, and services are on.
            #expect(opening == .existing || (opening == .created && acknowledged == nil))
            #expect(try store.disabledServices() == DisabledServices())
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
    struct Failure: Error { var code: Int32 }

    private let process: pid_t
    private let output: Int32

    init(directory: String, first: UInt32) throws {
        var ends: [Int32] = [-1, -1]
        // Close-on-exec from the start: a writer of another test must not keep this end open.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw Failure(code: errno) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)

        var buffer = [CChar](repeating: 0, count: 4096)
        guard readlink("/proc/self/exe", &buffer, buffer.count - 1) > 0 else { throw Failure(code: errno) }
        let program =
            buffer.withUnsafeMutableBufferPointer { String(cString: dirname($0.baseAddress!)) } + "/StoreWriter"
        let words = [program, directory, "\(first)"]
        var arguments = words.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        var process = pid_t()
        let result = posix_spawn(&process, program, &actions, nil, &arguments, environ)
        close(ends[1])
        output = ends[0]
        self.process = process
        guard result == 0 else { throw Failure(code: result) }
    }

    /// The number of the next saved decision, or `nil` at the end.
    func acknowledgement() -> UInt32? {
        var number: UInt32 = 0
        guard read(output, &number, 4) == 4 else {
            close(output)
            return nil
        }
        return UInt32(littleEndian: number)
    }

    func kill() {
        Glibc.kill(process, SIGKILL)
        waitpid(process, nil, 0)
    }
}
