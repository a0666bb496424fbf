import LinuxPlumbing
import LocationPolicy
import NIOCore
import Testing

@testable import LocationUsage

@Suite(.timeLimit(.minutes(10))) struct TerminalTests {
    let harness = Harness()

    @Test("only the foreground job of a terminal is in use")
    func foregroundOfATerminal() async throws {
        let terminal = try Terminal()
        let (first, second) = (
            try #require(WatchedProcess(processID: terminal.jobs[0])),
            try #require(WatchedProcess(processID: terminal.jobs[1]))
        )
        terminal.foreground(1)
        try await harness.run {
            $0.watch(first)
            $0.watch(second)
        }
        #expect(
            await Set(harness.advance()) == [.changed(first, isInUse: true), .changed(second, isInUse: false)])

        // Noticed at the next poll.
        terminal.foreground(2)
        #expect(await harness.advance(.seconds(1)) == [.changed(second, isInUse: true)])
        #expect(await harness.advance(.milliseconds(4999)) == [])
        #expect(await harness.advance(.milliseconds(1)) == [.changed(first, isInUse: false)])

        // Noticed at once on request.
        terminal.foreground(1)
        #expect(
            try await harness.run {
                $0.refresh(first)
                return $0.isInUse(first)
            })
        #expect(await harness.advance() == [.changed(first, isInUse: true)])

        // A moment in the shell does not end use.
        terminal.foreground(0)
        #expect(await harness.advance(.seconds(4)) == [])
        terminal.foreground(1)
        #expect(await harness.advance(.minutes(1)) == [.changed(second, isInUse: false)])
        try await harness.run { $0.shutdown() }
    }

    @Test("a job that outlives its terminal is not in use")
    func jobThatOutlivesItsTerminalIsNotInUse() async throws {
        let terminal = try Terminal()
        let process = try #require(WatchedProcess(processID: terminal.jobs[0]))
        try await harness.run { $0.watch(process) }
        #expect(await harness.advance() == [.changed(process, isInUse: false)])
        terminal.hangUp()
        #expect(ProcessStatus(processID: process.processID)?.terminalUsage == UsageEvidence.Terminal.none)
        #expect(await harness.advance(.minutes(1)) == [])
        try await harness.run { $0.shutdown() }
    }

    @Test(
        "the status of a process tells its terminal's foreground",
        arguments: [
            ("7 (a) S 1 7 7 34816 7 4194304 1 0 0 0 0 0 0 0 20 0 1 0 4711 0", UsageEvidence.Terminal.foreground),
            ("7 (a) S 1 7 7 34816 9 4194304 1 0 0 0 0 0 0 0 20 0 1 0 4711 0", .background),
            ("7 (a) S 1 7 7 34816 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 4711 0", .background),
            ("7 (a) S 1 7 7 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 4711 0", .none),
            ("7 (x) R 9 9 9 9 (y) S 1 7 7 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 4711 0", .none),
        ])
    func status(_ line: String, usage: UsageEvidence.Terminal) throws {
        let status = try #require(ProcessStatus(line))
        #expect(status.terminalUsage == usage)
        #expect(status.startTime == 4711)
    }

    @Test(
        "a malformed status is refused",
        arguments: ["", "7 (a) S 1 7 7", "7 a S 1 7 7 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 4711 0"])
    func noStatus(_ line: String) {
        #expect(ProcessStatus(line) == nil)
    }
}
