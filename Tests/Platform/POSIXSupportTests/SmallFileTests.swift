import Glibc
import TestSupport
import Testing

@testable import POSIXSupport

@Suite(.timeLimit(.minutes(10))) struct SmallFileTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("a file is read up to its limit, and a longer one is refused")
    func limit() throws {
        let file = "\(directory.path)/file"
        try AtomicFile.write("1234".utf8, to: file)
        #expect(try SmallFile.read(file, limit: 4) == Array("1234".utf8))
        #expect(throws: Errno(EFBIG)) { try SmallFile.read(file, limit: 3) }
        #expect(throws: Errno(ENOENT)) { try SmallFile.read("\(directory.path)/none") }
    }

    @Test("files of the kernel, which have no size, are read to their end")
    func kernelFiles() throws {
        #expect(try SmallFile.read("/proc/self/status").starts(with: "Name:".utf8))
        #expect(SmallFile.text("/proc/self/mounts")?.hasSuffix("\n") == true)
    }

    @Test("pipes, devices and directories are refused without waiting")
    func otherFiles() throws {
        let pipe = "\(directory.path)/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(throws: Errno(EINVAL)) { try SmallFile.read(pipe) }
        #expect(throws: Errno(EINVAL)) { try SmallFile.read("/dev/zero") }
        #expect(throws: Errno(EISDIR)) { try SmallFile.read(directory.path) }
    }
}
