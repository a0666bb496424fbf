import Glibc
import TestSupport
import Testing

@testable import POSIXSupport

@Suite(.timeLimit(.minutes(10))) struct AtomicFileTests {
    private let directory: TemporaryDirectory
    private var file: String { "\(directory.path)/file" }

    init() throws { directory = try TemporaryDirectory() }

    private func mode(_ path: String) throws -> mode_t {
        var status = stat()
        guard stat(path, &status) == 0 else { throw Errno() }
        return status.st_mode & 0o7777
    }

    private func names() throws -> [String] { try DirectoryListing.names(in: directory.path) }

    @Test("a file is written and replaced as a whole, with its mode, and no other file remains")
    func writing() throws {
        try AtomicFile.write("first".utf8, to: file)
        #expect(SmallFile.text(file) == "first")
        #expect(try mode(file) == 0o644)
        try AtomicFile.write("second".utf8, to: file, mode: 0o600)
        #expect(SmallFile.text(file) == "second")
        #expect(try mode(file) == 0o600)
        #expect(try names() == ["file"])
    }

    @Test("a created file is its owner's and open, and one that exists is left alone")
    func creation() throws {
        let descriptor = try AtomicFile.create(file, "first".utf8)
        defer { close(descriptor) }
        #expect(try mode(file) == 0o600)
        #expect(try DescriptorIO.read(upTo: 100, from: descriptor) == Array("first".utf8))
        #expect(throws: Errno(EEXIST)) { try AtomicFile.create(file, "second".utf8) }
        #expect(SmallFile.text(file) == "first")
        #expect(try names() == ["file"])
    }

    @Test("a file whose check fails leaves the old one, and no other file")
    func refusal() throws {
        struct Refused: Error {}
        try AtomicFile.write("old".utf8, to: file)
        #expect(throws: Refused.self) {
            try AtomicFile.write("new".utf8, to: file) { draft in
                #expect(SmallFile.text(draft) == "new")
                throw Refused()
            }
        }
        #expect(SmallFile.text(file) == "old")
        #expect(try names() == ["file"])
    }

    @Test("a file that the disk takes only a part of leaves the old one, and no other file")
    func fullDisk() async throws {
        try AtomicFile.write("old".utf8, to: file)
        // The first write is cut short at the limit, the second fails. Of a program of its own, whose other files the limit
        // does not concern.
        await #expect(processExitsWith: .success) { [path = file as String] in
            signal(SIGXFSZ, SIG_IGN)
            let size = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
            var limit = rlimit()
            guard getrlimit(size, &limit) == 0 else { exit(1) }
            limit.rlim_cur = 3 << 12
            guard setrlimit(size, &limit) == 0 else { exit(2) }
            do {
                try AtomicFile.write(repeatElement(UInt8(ascii: "x"), count: 1 << 16), to: path)
            } catch let error as Errno {
                exit(error.code == EFBIG ? 0 : 3)
            }
            exit(4)
        }
        #expect(SmallFile.text(file) == "old")
        #expect(try names() == ["file"])
    }

    @Test("a directory that cannot be written to is an error")
    func closedDirectory() {
        #expect(throws: Errno(ENOENT)) { try AtomicFile.write("x".utf8, to: "\(directory.path)/none/file") }
        #expect(mkdir(file, 0o700) == 0)
        #expect(throws: Errno(EISDIR)) { try AtomicFile.write("x".utf8, to: file) }
        #expect(throws: Errno(ENOTDIR)) { try AtomicFile.write("x".utf8, to: "/dev/null/file") }
    }
}
