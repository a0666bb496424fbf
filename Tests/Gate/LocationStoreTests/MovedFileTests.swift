import Foundation
import Glibc
import LocationPolicy
import LocationStore
import TestSupport
import Testing

@Suite("A database that is moved or overwritten while it is open", .timeLimit(.minutes(10)))
struct MovedFileTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// What somebody does to the file.
    enum Deed: CaseIterable, Sendable {
        case move, delete, replace, copyOver, deleteDirectory
    }

    private func perform(_ deed: Deed) throws {
        let (file, copy) = (directory.database, directory.path + "/copy")
        let files = FileManager.default
        switch deed {
        case .move: try files.moveItem(atPath: file, toPath: copy)
        case .delete: try files.removeItem(atPath: file)
        case .replace:
            try files.copyItem(atPath: file, toPath: copy)
            #expect(rename(copy, file) == 0)
        case .copyOver:
            // As cp(1) does: the same file, with other content.
            let descriptor = open(file, O_WRONLY | O_TRUNC)
            defer { close(descriptor) }
            let bytes = Array(repeating: UInt8(1), count: 20_000)
            #expect(write(descriptor, bytes, bytes.count) == bytes.count)
        case .deleteDirectory: try files.removeItem(atPath: directory.path)
        }
    }

    @Test("the replaced database is detected before and after a change", arguments: Deed.allCases)
    func noticed(deed: Deed) throws {
        let (store, _) = try directory.open()
        try store.save(.init(.denied), for: .weather, origin: .user)
        try store.confirmChange()
        try store.requireUntouched()
        try perform(deed)
        #expect(throws: StoreError.self) { try store.requireUntouched() }
        let error = #expect(throws: StoreError.self) {
            // Written while it was moved.
            if deed == .copyOver { return try store.requireUntouched() }
            try store.confirmChange()
        }
        #expect(error?.code == .moved)
        #expect(error?.description.contains("repeat the command") == true)
    }

    @Test("changes of the store itself do not count as a replacement")
    func ownChanges() throws {
        let (store, _) = try directory.open()
        for number in 0..<20 {
            try store.requireUntouched()
            try store.save(.init(.always), for: ClientKey(userID: 1, client: "\(number)"), origin: .user)
            try store.confirmChange()
        }
        try store.requireUntouched()
    }
}
