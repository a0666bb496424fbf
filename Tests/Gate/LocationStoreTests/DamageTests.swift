import SeededRandom
import Foundation
import Glibc
import LocationModel
import LocationPolicy
import TestSupport
import Testing

@testable import LocationStore
import SQLite

@Suite(.timeLimit(.minutes(10))) struct DamageTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    static let decisions: [ClientKey: AuthorizationRecord] = [
        .weather: .init(.always), .maps: .init(.denied), .init(userID: 1002, client: "x"): .init(.whenInUse),
    ]

    /// Writes a store with decisions, disabled services and history; returns the bytes of its file.
    func writeStore() throws -> [UInt8] {
        let (store, opening) = try directory.open()
        #expect(opening == .created)
        for (key, record) in Self.decisions { try store.save(record, for: key, origin: .user) }
        try store.setServiceEnabled(false, for: 1000, origin: .user)
        try store.setDesktopLevel(0, for: 1000)
        _ = try store.reductionSecret(for: "org.example.Weather")
        let location = Location(coordinate: .init(latitude: 0, longitude: 0)!, timestamp: .example)
        try store.record(
            (0..<200).map {
                AccessSession(of: .weather, with: location, accuracy: .full, at: .example.advanced(by: .seconds($0)))
            })
        return try directory.bytes()
    }

    func expectNewStore(_ reason: String? = nil) throws {
        let aside = "\(directory.database).damaged-\(Timestamp.example)"
        let (store, opening) = try directory.open()
        guard case .replaced(aside, let found, let restrictions) = opening else {
            Issue.record("\(opening)")
            return
        }
        if let reason { #expect(found == reason) }
        let decisions = try store.decisions().mapValues(\.record)
        #expect(decisions.values.allSatisfy { $0 == .init(.denied) } && decisions.keys.allSatisfy { $0 == .maps })
        let disabled = try store.disabledServices()
        #expect(disabled == [nil: .damage] || disabled == [nil: .damage, 1000: .user])
        #expect(restrictions == decisions.count + disabled.count - 1)
        #expect(try store.history(limit: 10).isEmpty)
        #expect(directory.names.contains { $0.hasPrefix("locationd.db.damaged-\(Timestamp.example)") })
        try store.save(.init(.denied), for: .weather, origin: .user)
    }

    @Test("the file is accessible to its owner only")
    func fileIsAccessibleToOwnerOnly() throws {
        _ = try writeStore()
        var status = stat()
        #expect(stat(directory.database, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(chmod(directory.database, 0o666) == 0)
        #expect(try directory.open().opening == .existing)
        #expect(stat(directory.database, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test("only one process can open the store")
    func onlyOneCanOpenIt() throws {
        let (store, _) = try directory.open()
        let error = #expect(throws: StoreError.self) { try directory.open() }
        #expect(error?.code == .inUse)
        #expect(error?.description.contains("only one locationd") == true)
        try store.save(.init(.denied), for: .weather, origin: .user)
    }

    @Test("an empty file is set aside")
    func emptyFileIsSetAside() throws {
        try directory.write([])
        try expectNewStore("it is cut short")
    }

    @Test("a directory in the file's place is set aside")
    func directoryInPlaceOfFileIsSetAside() throws {
        #expect(mkdir(directory.database, 0o700) == 0)
        try expectNewStore("it is not a regular file")
    }

    @Test("text in the file's place is set aside")
    func textInItsPlace() throws {
        try directory.write(Array(repeating: UInt8(ascii: "x"), count: 10_000))
        try expectNewStore("file is not a database")
    }

    @Test("a journal without its database is set aside")
    func journalWithoutDatabaseIsSetAside() throws {
        let journal = fopen("\(directory.database)-journal", "w")!
        fputs("something", journal)
        fclose(journal)
        try expectNewStore("its main part is missing")
        #expect(directory.names.contains("locationd.db.damaged-\(Timestamp.example)-journal"))
    }

    @Test("files set aside do not replace one another")
    func filesSetAsideAreKept() throws {
        for suffix in ["", "-2", "-3"] {
            try directory.write([])
            let aside = "\(directory.database).damaged-\(Timestamp.example)\(suffix)"
            #expect(
                try directory.open().opening
                    == .replaced(setAside: aside, reason: "it is cut short", restrictions: 0))
        }
    }

    @Test("another program's database is set aside")
    func databaseOfSomethingElse() throws {
        try directory.write([])
        try SQLDatabase(path: directory.database).run("CREATE TABLE decision (x)")
        try expectNewStore("it is a database of something else")
    }

    @Test("a database with other tables is set aside")
    func databaseWithOtherTablesIsSetAside() throws {
        _ = try writeStore()
        try SQLDatabase(path: directory.database).run("ALTER TABLE decision RENAME COLUMN manner TO manners")
        try expectNewStore()
    }

    @Test(
        "rows that the store did not write are detected",
        arguments: [
            "UPDATE decision SET permission = 'always'", "UPDATE decision SET user_id = user_id + 1 WHERE client = 'x'",
            "UPDATE decision SET permission = 'perhaps'", "UPDATE disabled_service SET user_id = 7",
            "UPDATE desktop_level SET level = 8",
        ] as [SQLText])
    func foreignRowsAreDetected(sql: SQLText) throws {
        _ = try writeStore()
        try SQLDatabase(path: directory.database).run(sql)
        try expectNewStore("a row has an impossible value for digest")
    }

    @Test("a newer version is an error and stays unchanged")
    func newerVersionIsUnchanged() throws {
        _ = try writeStore()
        try SQLDatabase(path: directory.database).run("PRAGMA user_version = 1000")
        let error = #expect(throws: StoreError.self) { try directory.open() }
        #expect(error?.code == .newerVersion)
        #expect(error?.detail == "its version is 1000, the newest known here \(LocationStore.migrations.count)")
        #expect(!directory.names.contains { $0.contains("damaged") })
    }

    @Test("truncated files are set aside")
    func truncatedFiles() throws {
        let bytes = try writeStore()
        for length in Array(stride(from: 1, to: bytes.count, by: 509)) + [4096, bytes.count - 4096] {
            let other = try DamageTests()
            try other.directory.write(Array(bytes.prefix(length)))
            try other.expectNewStore()
        }
    }

    /// After any change of the file it is either set aside, or its decisions are the original ones.
    @Test("damaged bytes never change a decision")
    func damagedBytes() throws {
        let bytes = try writeStore()
        var generator = SeededGenerator(seed: 1)
        var (replaced, denialsKept) = (0, 0)
        for round in 0..<400 {
            var damaged = bytes
            let start = round < 100 ? round : .random(in: 0..<bytes.count, using: &generator)
            let length = [1, 1, 16, 512][round % 4]
            for index in start..<min(bytes.count, start + length) {
                damaged[index] = length == 1 ? ~damaged[index] : .random(in: .min ... .max, using: &generator)
            }
            let other = try TemporaryDirectory()
            try other.write(damaged)
            do {
                let (store, opening) = try other.open()
                let decisions = try store.decisions().mapValues(\.record)
                if opening == .existing {
                    #expect(decisions == Self.decisions, "\(start) + \(length)")
                    #expect(try store.disabledServices() == [1000: .user])
                } else {
                    replaced += 1
                    // Nothing but denials, and none that was not there.
                    #expect(decisions.allSatisfy { $0.key == .maps && $0.value == .init(.denied) })
                    denialsKept += decisions.count
                    #expect(try store.disabledServices()[nil] == .damage)
                }
            } catch { #expect(error.code == .newerVersion, "\(start) + \(length): \(error)") }
        }
        // About half of the file is empty pages, whose content nobody reads.
        #expect(replaced > 130)
        #expect(denialsKept > replaced / 4)
    }

    /// SQLite's own check finds nothing wrong with many of these.
    @Test("a page that overwrites another one never changes a decision, a switch, a level, a rule or a place")
    func overwrittenPages() throws {
        let bytes = try writeStore()
        let home = try #require(
            NamedPlace(name: "home", center: Coordinate(latitude: 48, longitude: 11)!, radius: 300))
        do {
            let (store, _) = try directory.open()
            try store.setRule("<plist/>", number: 1, of: 1000, by: 1000, at: .example)
            try store.save(home, of: 1000)
        }
        let size = 4096
        let (earlier, now) = (bytes, try directory.bytes())
        func pages(_ file: [UInt8]) -> [ArraySlice<UInt8>] {
            stride(from: 0, to: file.count, by: size).map { file[$0..<$0 + size] }
        }
        var (replaced, unchanged) = (0, 0)
        for (index, page) in pages(now).enumerated() {
            // By every other page, and by what it was before.
            for other in Set(pages(now) + pages(earlier)) where other != page {
                let damaged = try TemporaryDirectory()
                try damaged.write(Array(now[..<(index * size)] + other + now[((index + 1) * size)...]))
                guard let (store, opening) = try? damaged.open() else { continue }
                guard opening == .existing else {
                    replaced += 1
                    continue
                }
                unchanged += 1
                #expect(try store.decisions().mapValues(\.record) == Self.decisions, "\(index)")
                #expect(try store.disabledServices() == [1000: .user], "\(index)")
                #expect(try store.desktopLevels() == [1000: 0], "\(index)")
                #expect(try store.rules()[1000]?.lists == [1: "<plist/>"], "\(index)")
                #expect(try store.rules()[1000]?.places == ["home": home], "\(index)")
            }
        }
        #expect(replaced > 100 && unchanged > 0)
    }

    @Test("each change of a row is tallied")
    func tallies() throws {
        func tallies() throws -> [String] {
            try SQLDatabase(path: directory.database).rows("SELECT name || row_count FROM tally ORDER BY name") {
                row throws(StoreError) in try row.text(0)
            }
        }
        _ = try writeStore()
        #expect(try tallies() == ["decision3", "desktop_level1", "disabled_service1", "place0", "rule0"])
        do {
            let (store, _) = try directory.open()
            for accuracy in [AccuracyAuthorization.full, .reduced] {
                try store.save(.init(.denied, accuracy: accuracy), for: .maps, origin: .root)
            }
            try store.setServiceEnabled(false, for: nil, origin: .damage)
            try store.setServiceEnabled(false, for: nil, origin: .root)
            try store.setServiceEnabled(true, for: 1000, origin: .root)
            try store.setDesktopLevel(4, for: 1000)
            try store.setDesktopLevel(nil, for: 1000)
            for _ in 0..<2 { try store.setRule("<plist/>", number: 1, of: 1000, by: 1000, at: .example) }
        }
        #expect(try directory.open().opening == .existing)
        #expect(try tallies() == ["decision3", "desktop_level0", "disabled_service1", "place0", "rule1"])
    }

    @Test("denials, reduced accuracy and switches survive damage elsewhere; grants do not, and services stay off")
    func restrictionsAreKept() throws {
        _ = try writeStore()
        do {
            let (store, _) = try directory.open()
            let cautious = ClientKey(userID: 1003, client: "y")
            try store.save(.init(.always, accuracy: .reduced), for: cautious, origin: .root)
            try store.setServiceEnabled(false, for: nil, origin: .root)
        }
        try SQLDatabase(path: directory.database).run("UPDATE decision SET permission = 'denied' WHERE client = 'x'")
        for _ in 0..<2 {
            // What was found out lasts: a restart does not forget it.
            let (store, opening) = try directory.open()
            if case .replaced(_, _, let restrictions) = opening { #expect(restrictions == 3) }
            #expect(
                try store.decisions().mapValues(\.record) == [
                    .maps: .init(.denied), .init(userID: 1003, client: "y"): .init(nil, accuracy: .reduced),
                ])
            #expect(try store.disabledServices() == [nil: .damage, 1000: .user])
        }
        let (store, _) = try directory.open()
        try store.setServiceEnabled(false, for: nil, origin: .root)
        #expect(try store.disabledServices()[nil] == .root, "an administrator has decided")
        try store.setServiceEnabled(true, for: nil, origin: .root)
        #expect(try store.disabledServices()[nil] == nil)
    }

    @Test("a replacement that is interrupted at any step leaves services off")
    func interruptedReplacement() throws {
        _ = try writeStore()
        try SQLDatabase(path: directory.database).run("UPDATE decision SET permission = 'always'")
        let damaged = try directory.bytes()
        _ = try directory.open()
        let replacement = try directory.bytes()
        // The replacement was being written, and is not whole.
        try directory.write(damaged)
        try Data(replacement.prefix(5000)).write(to: URL(fileURLWithPath: directory.database + ".new"))
        #expect(try directory.open().store.disabledServices()[nil] == .damage)
        // The damaged file had been set aside, and its replacement not put in its place.
        #expect(rename(directory.database, directory.database + ".new") == 0)
        let (store, opening) = try directory.open()
        #expect(opening == .existing)
        #expect(try store.disabledServices()[nil] == .damage)
        #expect(!directory.names.contains { $0.contains(".new") })
    }
}
