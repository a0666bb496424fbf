import FoundationEssentials
import Glibc
import LocationModel
import LocationSharing
import TestSupport
import Testing

@testable import SharingProgram

extension SharingService {
    /// The URL's path and the key of the service in the tests' server.
    fileprivate var access: String {
        switch self {
        case .homeassistant: "/api/webhook/known"
        case .traccar: "/\nvan-0a1b"
        case .dawarich: "/\ntoken"
        case .owntracks: "/pub\nann:pass"
        case .overland: "/api/v1/ingest/overland\ntoken"
        case .mqtt, .nmea, .signalk: ""
        }
    }
}

extension SharingSite {
    fileprivate var queueFile: String { directory.queueFile(of: "home") }

    /// True if a file of the queue exists.
    fileprivate var hasQueue: Bool { ["", "-wal", "-shm"].contains { access(queueFile + $0, F_OK) == 0 } }

    /// True if the write-ahead log of the queue has pages.
    fileprivate var hasLog: Bool {
        var status = stat()
        return stat(queueFile + "-wal", &status) == 0 && status.st_size > 0
    }

    /// True if the queue has positions. A file that is damaged, or still being made, has none.
    fileprivate var keepsPositions: Bool { (try? directory.queueCount(of: "home")) ?? 0 > 0 }

    /// Puts positions into the queue of the share, as if they had been kept in the last hour. Gives their times.
    fileprivate func fillQueue(_ count: Int, _ change: (Int, inout Location) -> Void = { _, _ in }) throws -> [String] {
        try fillQueue(count, of: "home", change).map { "\($0.location.timestamp)" }
    }

    /// Puts positions into the queue of a destination's share, as if they had been kept in the last hour.
    func fillQueue(
        _ count: Int, of name: String, _ change: (Int, inout Location) -> Void = { _, _ in }
    ) throws -> [ShareRecord] {
        let destination = try directory.destinations().first { $0.name == name }
        let queue = try PositionQueue(
            directory.queueFile(of: name), start: try #require(destination?.share?.queue))
        let start = Timestamp.now().advanced(by: .seconds(-3600))
        return try (0..<count).map { index in
            var location = Location(
                coordinate: Coordinate(latitude: 47 + Double(index) / 1e4, longitude: 9.5)!,
                timestamp: start.advanced(by: .seconds(Double(index))))
            change(index, &location)
            let record = ShareRecord(location, sequence: Int64(index + 1))
            _ = try queue.append(record, now: .now())
            return record
        }
    }
}

@Suite("The queue of the program that sends", .timeLimit(.minutes(10)))
struct ShareQueueRunnerTests {
    @Test(
        "a program that is killed twenty times while it empties its queue loses nothing and repeats a message at most each time",
        arguments: [(SharingService.traccar, 15), (.dawarich, 100)])
    func killed(service: SharingService, positionsPerLife: Int) async throws {
        try await SharingSite.with(service, service.access) { site in
            try await site.share("start", "home", "--keep-unsent", "--no-service")
            let kept = Set(try site.fillQueue(22 * positionsPerLife))
            var received: [String: Int] = [:]
            func receive() async throws -> Int {
                let times = try await site.server.request().times.filter(kept.contains)
                for time in times { received[time, default: 0] += 1 }
                return times.count
            }
            for _ in 0..<20 {
                let program = try await site.run()
                var count = 0
                while count < positionsPerLife { count += try await receive() }
                program.signal(SIGKILL)
                _ = try await program.exitCode()
            }
            let program = try await site.run()
            while received.count < kept.count { _ = try await receive() }
            try await site.share("stop", "home")
            #expect(try await program.exitCode() == 0)
            let repeated = received.values.reduce(-received.count, +)
            #expect(repeated <= 20 * service.batchLimit, "\(repeated)")
            #expect(!site.hasQueue)
        }
    }

    @Test(
        "a position at which the service fails is left out and does not keep the others",
        arguments: [SharingService.traccar, .dawarich])
    func bad(service: SharingService) async throws {
        try await SharingSite.with(service, service.access) { site in
            try await site.share("start", "home", "--keep-unsent", "--no-service")
            let times = try site.fillQueue(30) { index, location in if index == 7 { location.altitude = 13_000 } }
            var left = Set(times)
            left.remove(times[7])
            let program = try await site.run()
            while !left.isEmpty { left.subtract(try await site.server.request().times) }
            // It is tried three times, among others that are stored.
            while try site.directory.state(of: "home").leftOut == nil { _ = try await site.server.request() }
            #expect(
                try await site.share("status").contains("Left out, because the service did not take them: 1 position."))
            program.signal(SIGTERM)
            _ = try await program.exitCode()
        }
    }

    @Test("the bytes of positions that were sent shortly after others are soon in no file of the queue")
    func erased() async throws {
        try await SharingSite.with(.traccar, SharingService.traccar.access) { site in
            try await site.share("start", "home", "--keep-unsent", "--no-service")
            _ = try site.fillQueue(30)
            let program = try await site.run()
            _ = try await site.server.request()
            // No position follows whose removal would erase those before it.
            site.daemon.process.signal(SIGSTOP)
            // No event tells of what another process does to its files.
            while try site.directory.queueCount(of: "home") > 0 || site.hasLog { try await pass(.milliseconds(50)) }
            site.daemon.process.signal(SIGCONT)
            program.signal(SIGTERM)
            _ = try await program.exitCode()
        }
    }

    @Test("the queue has mode 0600 and is deleted when the share is denied, off, paused or stopped")
    func deleted() async throws {
        try await SharingSite.with(.traccar, "/\nbusy") { site in
            try await site.share("start", "home", "--keep-unsent", "--no-service")
            let program = try await site.run()
            _ = try await site.server.request()
            var status = stat()
            #expect(stat(site.queueFile, &status) == 0 && status.st_mode & 0o777 == 0o600)
            #expect(try await site.share("status").contains("Kept until they can be sent: "))
            for (end, begin) in [
                (["deny", "org.locationd.share"], ["allow", "--always", "org.locationd.share"]), (["off"], ["on"]),
            ] {
                try await site.control(end)
                try await program.error(containing: "Nothing is sent: ")
                #expect(!site.hasQueue)
                try await site.control(begin)
                // The first message after that comes from a new queue.
                while !site.hasQueue { _ = try await site.server.request() }
            }
            #expect(try await site.share("pause", "home").contains("that could not be sent"))
            #expect(access(site.queueFile, F_OK) != 0)
            try await site.share("resume", "home", "--no-service")
            while !site.hasQueue { _ = try await site.server.request() }
            try await site.share("stop", "home")
            #expect(try await program.exitCode() == 0)
            #expect(!site.hasQueue)
        }
    }

    @Test("no position is on disk unless the user has asked for it, and leftovers of an earlier share are deleted")
    func offByDefault() async throws {
        try await SharingSite.with(.traccar, "/\nbusy") { site in
            try await site.share("start", "home", "--keep-unsent", "--no-service")
            _ = try site.fillQueue(3)
            try site.directory.change { $0[0].share?.queue = nil }
            let program = try await site.run()
            for _ in 0..<2 { _ = try await site.server.request() }
            #expect(!site.hasQueue)
            program.signal(SIGTERM)
            _ = try await program.exitCode()
        }
    }

    @Test("a damaged queue is replaced, at the start and while it is used, and the log says so")
    func damaged() async throws {
        try await SharingSite.with(.traccar, "/\nbusy") { site in
            try await site.share("start", "home", "--keep-unsent", "--no-service")
            try String(repeating: "This is not a database. ", count: 100).write(
                toFile: site.queueFile, atomically: true, encoding: .utf8)
            #expect(chmod(site.queueFile, 0o600) == 0)
            let program = try await site.run()
            try await program.error(containing: "is damaged: ")
            while !site.keepsPositions { _ = try await site.server.request() }
            let drop = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('DROP TABLE position')"
            let result = try await ChildProcess.run(["/usr/bin/env", "python3", "-c", drop, site.queueFile])
            #expect(result.code == 0, "\(result.errors)")
            let line = try await program.error(containing: "is damaged: ")
            #expect(line.contains("What it kept is lost."))
            while !site.keepsPositions { _ = try await site.server.request() }
            #expect(try await site.share("status").contains("Kept until they can be sent: "))
            program.signal(SIGTERM)
            _ = try await program.exitCode()
        }
    }

    @Test("after approximate accuracy nothing is kept, not even the approximate position")
    func approximate() async throws {
        try await SharingSite.with(.traccar, "/\nbusy") { site in
            try await site.share("start", "home", "--keep-unsent", "--no-service")
            let program = try await site.run()
            _ = try await site.server.request()
            #expect(site.hasQueue)
            try await site.control(["accuracy", "org.locationd.share", "approximate"])
            try await program.error(containing: "Nothing is sent: ")
            #expect(!site.hasQueue)
            // The approximate position is tried again and again.
            for _ in 0..<2 { _ = try await site.server.request() }
            #expect(!site.hasQueue)
            program.signal(SIGTERM)
            _ = try await program.exitCode()
        }
    }

    @Test("a damaged position of a queue is left out and counted, and the others are sent")
    func damagedPosition() async throws {
        try await SharingSite.with(.dawarich, "\ntoken") { site in
            try await site.share("start", "home", "--keep-unsent", "--no-service")
            var left = Set(try site.fillQueue(30))
            let damage =
                "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); "
                + "c.execute('UPDATE position SET time = 1 << 62 WHERE sequence = 7'); "
                + "c.execute('UPDATE position SET sequence = 9223372036854775807 WHERE sequence = 8'); c.commit()"
            let result = try await ChildProcess.run(["/usr/bin/env", "python3", "-c", damage, site.queueFile])
            #expect(result.code == 0, "\(result.errors)")
            let program = try await site.run()
            while left.count > 2 { left.subtract(try await site.server.request().times) }
            while try site.directory.state(of: "home").leftOut == nil { _ = try await site.server.request() }
            #expect(
                try await site.share("status").contains("Left out, because the service did not take them: 2 positions.")
            )
            program.signal(SIGTERM)
            _ = try await program.exitCode()
        }
    }

    @Test("another end leaves the queue as it is, another start after the end does not, and Home Assistant has none")
    func options() async throws {
        try await SharingSite.with(.traccar, "/\nbusy") { site in
            try await site.share("start", "home", "--keep-unsent", "--no-service")
            _ = try site.fillQueue(3)
            try await site.share("start", "home", "--keep-unsent", "--for", "3h", "--no-service")
            #expect(try site.directory.queueCount(of: "home") == 3)
            try site.directory.change { $0[0].share?.until = .now() }
            try await site.share("start", "home", "--keep-unsent", "--no-service")
            #expect(!site.hasQueue)
            let reduced = try await site.attempt(
                ["start", "home", "--keep-unsent", "--accuracy", "reduced", "--no-service"])
            #expect(reduced.code == 1 && reduced.errors.contains("full accuracy"))
        }
        try await SharingSite.with { site in
            let refused = try await site.attempt(["start", "home", "--keep-unsent", "--no-service"])
            #expect(refused.code == 1 && refused.errors.contains("Leave out --keep-unsent"))
        }
    }

    @Test("where a rule about a place may withhold the location, a missing one deletes the queue")
    func place() async throws {
        try await SharingSite.with(.traccar, "/\nbusy") { site in
            try await site.share("start", "home", "--keep-unsent", "--no-service")
            let program = try await site.run()
            _ = try await site.server.request()
            #expect(site.hasQueue)
            try await site.control(
                ["places", "add", "yard", "\(DaemonSite.latitude)", "\(DaemonSite.longitude)", "--radius", "5000"])
            try await site.control(["rules", "add", "--inside", "yard", "--deny"])
            try await program.error(containing: "Nothing is sent: ")
            #expect(!site.hasQueue)
            program.signal(SIGTERM)
            _ = try await program.exitCode()
        }
    }
}
