import Glibc
import TestSupport
import Testing

@testable import POSIXSupport

@Suite("File locks", .timeLimit(.minutes(10))) struct FileLockTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("a directory or file is locked until its descriptor is closed", arguments: [true, false])
    func lock(isDirectory: Bool) throws {
        func take(waits: Bool) throws(Errno) -> Int32 {
            isDirectory
                ? try FileLock.directory(directory.path, waits: waits)
                : try FileLock.file("\(directory.path)/lock", waits: waits)
        }
        let lock = try take(waits: true)
        #expect(throws: Errno(EWOULDBLOCK)) { try take(waits: false) }
        close(lock)
        close(try take(waits: false))
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

    @Test("a link to a directory is followed only if asked for")
    func linkedDirectory() throws {
        let (path, link) = ("\(directory.path)/directory", "\(directory.path)/link")
        #expect(mkdir(path, 0o700) == 0 && symlink("directory", link) == 0)
        #expect(throws: Errno(ENOTDIR)) { try FileLock.directory(link, waits: false) }
        let lock = try FileLock.directory(link, waits: false, followsLink: true)
        #expect(throws: Errno(EWOULDBLOCK)) { try FileLock.directory(path, waits: false) }
        close(lock)
    }

    @Test("what is missing, and a file in place of a directory, cannot be locked")
    func other() throws {
        let path = "\(directory.path)/lock"
        #expect(throws: Errno(ENOENT)) { try FileLock.directory(path, waits: false) }
        close(try FileLock.file(path, waits: false))
        #expect(throws: Errno(ENOTDIR)) { try FileLock.directory(path, waits: false) }
    }
}
