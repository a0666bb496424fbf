import Glibc
import TestSupport
import Testing

@testable import POSIXSupport

/// One test after the other, because one changes what the process does about a signal.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ProgramLaunchTests {
    private func shell(_ script: String) -> ProgramLaunch { ProgramLaunch(["/bin/sh", "-c", script]) }

    @Test("the output and the exit code of a program are returned, with its errors if wanted")
    func output() throws {
        let script = "echo out; echo error >&2; exit 3"
        let result = try shell(script).run()
        #expect(result.code == 3 && result.output == "out\n")
        #expect(try shell(script).run(includingErrors: true).output == "out\nerror\n")
        #expect(try shell("kill -9 $$").run().code == 137)
        #expect(throws: Errno(ENOENT)) { try ProgramLaunch(["/nonexistent/program"]).run() }
    }

    @Test("a program has the environment and the descriptors it was given, no input, and no blocked signals")
    func surroundings() throws {
        let (reading, writing) = try DescriptorIO.pipe()
        defer { close(reading) }
        var launch = shell("read nothing; echo $word >&5; grep -q 'SigBlk:.0*$' /proc/self/status")
        launch.environment = ["word=here", "PATH=/usr/bin:/bin"]
        launch.descriptors[5] = writing
        let process = try launch.start()
        close(writing)
        #expect(try ProgramLaunch.wait(for: process) == 0)
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = read(reading, &bytes, bytes.count)
        #expect(String(decoding: bytes.prefix(count), as: UTF8.self) == "here\n")
    }

    @Test("a program that fails is noticed where SIGCHLD is ignored, and its status is returned once only")
    func ignoredEnd() throws {
        signal(SIGCHLD, SIG_IGN)
        defer { signal(SIGCHLD, SIG_DFL) }
        #expect(try shell("exit 3").run().code == 3)
        let process = try shell("exit 4").start()
        #expect(try ProgramLaunch.wait(for: process) == 4 << 8)
        #expect(throws: Errno(ECHILD)) { try ProgramLaunch.wait(for: process) }
    }

    @Test("a program that writes too much or takes too long is killed")
    func limits() {
        #expect(throws: Errno(EFBIG)) { try shell("exec cat /dev/zero").run(limit: 1000) }
        #expect(throws: Errno(ETIMEDOUT)) { try shell("exec sleep 1000").run(time: .milliseconds(50)) }
    }
}
