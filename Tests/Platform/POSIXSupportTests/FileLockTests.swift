import Glibc
import TestSupport
import Testing

@testable import POSIXSupport

@Suite("File locks", .timeLimit(.minutes(10))) struct FileLockTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("a directory or file is locked until its descriptor is closed", arguments: [true, false])
    func lock(isDirectory: Bool) throws {
        let (path, take) =
            isDirectory ? (directory.path, FileLock.directory) : ("\(directory.path)/lock", FileLock.file)
        let lock = try take(path, true)
        #expect(throws: Errno(EWOULDBLOCK)) { try take(path, false) }
        close(lock)
        close(try take(path, false))
    }

    @Test("the file is made for the user only, and a link to a file is not followed")
    func mode() throws {
        let (path, link) = ("\(directory.path)/lock", "\(directory.path)/link")
        close(try FileLock.file(path, waits: false))
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(symlink("lock", link) == 0)
        #expect(throws: Errno(ELOOP)) { try FileLock.file(link, waits: false) }
    }

    @Test("what is missing, and a file in place of a directory, cannot be locked")
    func other() throws {
        let path = "\(directory.path)/lock"
        #expect(throws: Errno(ENOENT)) { try FileLock.directory(path, waits: false) }
        close(try FileLock.file(path, waits: false))
        #expect(throws: Errno(ENOTDIR)) { try FileLock.directory(path, waits: false) }
    }
}
