import FoundationEssentials
import Glibc
import LocationInterface
import TestSupport
import Testing

@Suite("A store that is damaged while it is used", .timeLimit(.minutes(10)))
struct DamageTests {
    @Test("is set aside at its next use; the service continues without it, and is off until an administrator decides")
    func damage() async throws {
        let site = try DaemonSite()
        let database = site.directory.path + "/locationd.db"
        try await site.start().stop()
        let filling = try await ChildProcess.run(["python3", "-c", Self.fill, database])
        #expect(filling.code == 0, "\(filling.errors)")

        let daemon = try await site.start()
        let damaging = try await ChildProcess.run(["python3", "-c", Self.overwrite, database])
        #expect(damaging.code == 0, "\(damaging.errors)")
        let history = try await site.locationctl("history")
        #expect(history.code != 0)
        #expect(history.errors.contains("was moved or replaced"), "\(history.errors)")
        _ = try await daemon.log(containing: "The decisions could not be read")
        let names = try FileManager.default.contentsOfDirectory(atPath: site.directory.path)
        #expect(names.contains { $0.hasPrefix("locationd.db.damaged-") }, "\(names)")
        #expect(try await site.locationctl("history").code == 0)
        #expect(try await site.status().isOffAfterDamage == true)
        try await daemon.stop()
    }

    /// More history than SQLite keeps in memory (2 MB), of users whose share is not yet used up.
    private static let fill = """
        import sqlite3, sys, time
        database = sqlite3.connect(sys.argv[1])
        now = time.time_ns()
        database.executemany("INSERT INTO access (user_id, client, started_at, ended_at, locations, accuracy) "
                             "VALUES (?, ?, ?, ?, 1, 'full')",
                             ((user, "org.example.Weather", now - i, now - i) for user in range(6) for i in range(9000)))
        database.commit()
        """

    /// All but the beginning, without a change of size.
    private static let overwrite = """
        import os, sys
        with open(sys.argv[1], "r+b") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(8192)
            file.write(b"x" * (size - 8192))
        """
}
