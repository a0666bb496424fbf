import Glibc
import LocationModel
import LocationPolicy
import SQLite
import TestSupport
import Testing

@testable import LocationStore

@Suite(.timeLimit(.minutes(10))) struct StoreErrorTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// A full disk loses nothing, and the store continues when there is space again.
    @Test("a full disk is an error that loses nothing")
    func fullDisk() throws {
        let (store, _) = try directory.open()
        try store.save(.init(.denied), for: .weather, origin: .user)
        try store.database.run("PRAGMA max_page_count = 1")
        let big = ClientKey(userID: 1, client: String(repeating: "x", count: 100_000))
        let error = #expect(throws: StoreError.self) { try store.save(.init(.always), for: big, origin: .user) }
        #expect(error?.code == .diskFull)
        #expect(error?.description.contains("there is no space left for \(directory.database)") == true)
        #expect(try store.decisions().keys.map(\.client) == ["org.example.Weather"])

        try store.database.run("PRAGMA max_page_count = 1000000")
        try store.save(.init(.always), for: big, origin: .user)
        #expect(try store.decisions().count == 2)
    }

    @Test("a failed transaction changes nothing")
    func failedTransactionChangesNothing() throws {
        let (store, _) = try directory.open()
        let failure = StoreError(code: .failed, path: "", detail: "")
        #expect(throws: failure) {
            try store.database.transaction { () throws(StoreError) in
                try store.save(.init(.always), for: .weather, origin: .user)
                throw failure
            }
        }
        #expect(try store.decisions().isEmpty)
    }

    @Test("the directory is created, but not its parents")
    func onlyLastDirectoryIsCreated() throws {
        let inner = "\(directory.path)/state"
        #expect(try LocationStore.open(directory: inner, now: .example).opening == .created)
        var status = stat()
        #expect(stat(inner, &status) == 0 && status.st_mode & 0o777 == 0o700)

        let error = #expect(throws: StoreError.self) {
            try LocationStore.open(directory: "\(directory.path)/a/b", now: .example)
        }
        #expect(error?.code == .missingDirectory)
    }

    @Test("another user's files are an error", .enabled(if: geteuid() != 0, "root may open anything"))
    func othersFiles() throws {
        _ = try directory.open()
        #expect(chmod(directory.path, 0) == 0)
        defer { chmod(directory.path, 0o700) }
        #expect(throws: StoreError.self) { try directory.open() }
    }

    /// Each message has its own remedy, and so differs from the others.
    @Test("every error has its own sentence")
    func everyErrorHasItsSentence() {
        let sentences = StoreError.Code.allCases.map { StoreError(code: $0, path: "P", detail: "D").description }
        #expect(Set(sentences).count == sentences.count)
        #expect(sentences.allSatisfy { $0.contains("P") && $0.hasSuffix("(D)") })
    }

    /// Each migration leads to the next version and sets it.
    @Test("migrations set consecutive versions")
    func migrationsAreNumbered() {
        for (index, statements) in LocationStore.migrations.enumerated() {
            #expect(statements.last?.text == "PRAGMA user_version = \(index + 1)")
        }
    }
}
