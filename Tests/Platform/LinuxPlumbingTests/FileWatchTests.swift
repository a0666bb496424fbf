import Glibc
import NIOConcurrencyHelpers
import NIOCore
import TestSupport
import Testing

@testable import LinuxPlumbing

@Suite(.timeLimit(.minutes(10))) struct FileWatchTests {
    /// A watch on its own loop, and the number of changes that it reported.
    ///
    /// `@unchecked Sendable` because everything is used on `loop` only.
    private final class Watcher: @unchecked Sendable {
        let loop = ObservedLoops.next()
        private var count = 0
        private var watch: FileWatch?
        private var poller: DescriptorPoller?

        func begin(_ path: String) async throws {
            try await loop.submit { [self] in
                let poller = try DescriptorPoller(eventLoop: loop, name: "test")
                self.poller = poller
                watch = try FileWatch(path: path, poller: poller) { [weak self] in self?.count += 1 }
            }.get()
        }

        func awaitChange(_ what: String) async throws {
            try await ObservedLoops.ensure(what, on: loop) { [self] in
                defer { if count > 0 { count = 0 } }
                return count > 0
            }
        }

        func end() async throws {
            try await loop.submit { [self] in
                watch?.stop()
                poller?.stop()
            }.get()
        }
    }

    @Test("each change of a file is reported: written, replaced, linked, its mode, removed, created")
    func changesAreReported() async throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/file"
        let watcher = Watcher()
        try await watcher.begin(path)
        let changes: [(String, () -> Bool)] = [
            ("a new file", { write("1", path) }),
            ("another content", { write("2", path) }),
            ("another mode", { chmod(path, 0o600) == 0 }),
            ("another file in its place", { write("3", path + ".new") && rename(path + ".new", path) == 0 }),
            ("a removal", { unlink(path) == 0 }),
            ("a link", { symlink("/dev/null", path) == 0 }),
        ]
        for (what, change) in changes {
            #expect(change())
            try await watcher.awaitChange(what)
        }
        // What happens to another file is not reported: the next report is about the removal.
        #expect(write("x", path + ".other"))
        #expect(unlink(path) == 0)
        try await watcher.awaitChange("the removal of the link")
        try await watcher.end()
    }

    @Test("a directory that does not exist cannot be watched")
    func absentDirectoryIsRefused() async throws {
        let watcher = Watcher()
        await #expect(throws: SystemdError.self) { try await watcher.begin("/nonexistent/file") }
        try await watcher.end()
    }
}

private func write(_ text: String, _ path: String) -> Bool {
    guard let file = fopen(path, "we") else { return false }
    return fputs(text, file) >= 0 && fclose(file) == 0
}
