import FoundationEssentials
import Glibc
import LocationModel
import LocationSharing
import TestSupport
import Testing

@testable import SharingProgram

@Suite("The file of a queue", .timeLimit(.minutes(10)))
struct PositionQueueTests {
    private static let start = Timestamp(secondsSince1970: 1_800_000_000)
    private let directory: TemporaryDirectory
    private var file: String { directory.path + "/home.queue" }

    init() throws { directory = try TemporaryDirectory() }

    private static func record(_ sequence: Int64, age: Double = 0) -> ShareRecord {
        var location = Location(
            coordinate: Coordinate(latitude: 47.1412346, longitude: -9.5)!,
            timestamp: start.advanced(by: .seconds(-age) + .microseconds(123_456)))
        (location.horizontalAccuracy, location.verticalAccuracy, location.altitude) = (3.25, 7.5, -450.4)
        (location.speed, location.course) = (12.5, 359.9)
        return ShareRecord(location, sequence: sequence)
    }

    @Test("a position is read as it was written, by its number, and is gone when it is removed")
    func positions() throws {
        let queue = try PositionQueue(file, start: Self.start)
        var bare = Self.record(2)
        bare.location = Location(coordinate: bare.location.coordinate, timestamp: bare.location.timestamp)
        for record in [Self.record(1), bare, Self.record(3)] { #expect(try queue.append(record, now: Self.start) == 0) }
        #expect(try queue.first(2, now: Self.start).records == [Self.record(1), bare])
        try queue.remove([1, 2, 7])
        #expect(try queue.first(9, now: Self.start).records == [Self.record(3)])
        #expect(try queue.lastSequence() == 3)
    }

    @Test("the files are the user's own, another queue is empty, and the same one continues")
    func opening() throws {
        var queue: PositionQueue? = try PositionQueue(file, start: Self.start)
        _ = try queue?.append(Self.record(1), now: Self.start)
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
            var status = stat()
            #expect(stat(directory.path + "/" + name, &status) == 0 && status.st_mode & 0o777 == 0o600, "\(name)")
        }
        #expect(try PositionQueue.count(file) == 1)
        queue = nil
        queue = try PositionQueue(file, start: Self.start)
        #expect(try queue?.lastSequence() == 1)
        queue = nil
        queue = try PositionQueue(file, start: Self.start.advanced(by: .seconds(1)))
        #expect(try queue?.lastSequence() == 0)
    }

    @Test("a file that others may read, or that is damaged, is refused")
    func unusable() throws {
        try "This is not a database, but it is long enough to be one.".write(
            toFile: file, atomically: true, encoding: .utf8)
        #expect(chmod(file, 0o640) == 0)
        #expect(throws: PositionQueueError.self) { _ = try PositionQueue(file, start: Self.start) }
        #expect(chmod(file, 0o600) == 0)
        let error = #expect(throws: PositionQueueError.self) { _ = try PositionQueue(file, start: Self.start) }
        #expect(error?.isDamaged == true)
    }

    @Test("a position is kept for a week")
    func age() throws {
        let queue = try PositionQueue(file, start: Self.start)
        for (index, days) in [7.5, 7.1, 6.9].enumerated() {
            _ = try queue.append(
                Self.record(Int64(index + 1), age: days * 86_400), now: Self.start.advanced(by: .seconds(-86_400)))
        }
        #expect(try queue.first(9, now: Self.start).records.compactMap(\.sequence) == [3])
    }

    @Test("a day at one position a second takes less than 4 MB")
    func size() throws {
        let queue = try PositionQueue(file, start: Self.start)
        // A tenth of a day.
        for sequence in 1...Int64(8640) { _ = try queue.append(Self.record(sequence), now: Self.start) }
        var status = stat()
        #expect(stat(file, &status) == 0 && status.st_size < 400_000, "\(status.st_size)")
    }

    @Test("of too many positions the oldest are removed, and counted")
    func capacity() throws {
        let queue = try PositionQueue(file, start: Self.start)
        for sequence in [1, 2, 101] as [Int64] { _ = try queue.append(Self.record(sequence), now: Self.start) }
        let last = PositionQueue.capacity + 100
        #expect(try queue.append(Self.record(last), now: Self.start) == 2)
        #expect(try queue.first(9, now: Self.start).records.compactMap(\.sequence) == [101, last])
    }

    private static let damage = [
        "time = 9223372036854775807", "time = NULL", "time = 'now'", "latitude = 900000001", "longitude = 'x'",
        "latitude = NULL", "accuracy = -1", "vertical_accuracy = x'00'", "altitude = 9223372036854775807", "speed = -9",
        "course = 36001", "course = 1e9", "sequence = 9223372036854775807", "sequence = -9223372036854775808",
        "sequence = 0",
    ]

    @Test(
        "a damaged row is left out and counted, the others are read, and the next number is not taken",
        arguments: damage)
    func damagedRow(change: String) async throws {
        var queue: PositionQueue? = try PositionQueue(file, start: Self.start)
        for sequence in [1, 2, 3] as [Int64] { _ = try queue?.append(Self.record(sequence), now: Self.start) }
        queue = nil
        // Even a value that the table does not take.
        let script = """
            import sqlite3, sys
            base = sqlite3.connect(sys.argv[1])
            base.execute("CREATE TABLE other AS SELECT * FROM position")
            base.execute("DROP TABLE position")
            base.execute("CREATE TABLE position (sequence INTEGER PRIMARY KEY, time, latitude, longitude, accuracy, "
                         "vertical_accuracy, altitude, speed, course)")
            base.execute("INSERT INTO position SELECT * FROM other")
            base.execute("DROP TABLE other")
            base.execute("UPDATE position SET " + sys.argv[2] + " WHERE sequence = 2")
            base.commit()
            """
        let result = try await ChildProcess.run(["/usr/bin/env", "python3", "-c", script, file, change])
        #expect(result.code == 0, "\(result.errors)")
        let next = try PositionQueue(file, start: Self.start)
        #expect(try next.lastSequence() == 3)
        let (records, damaged) = try next.first(3, now: Self.start)
        #expect(records == [Self.record(1), Self.record(3)] && damaged == 1)
        #expect(try next.first(9, now: Self.start).damaged == 0)
    }

    /// True if a file of the queue has these bytes.
    private func hasBytes(_ bytes: [UInt8]) throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: directory.path).contains { name in
            let content = [UInt8](try Data(contentsOf: URL(filePath: directory.path + "/" + name)))
            return content.indices.contains { content[$0...].starts(with: bytes) }
        }
    }

    @Test("the bytes of a removed position are in no file of the queue after it is erased, or opened again")
    func removedBytes() throws {
        let queue = try PositionQueue(file, start: Self.start)
        // The latitude as the file has it.
        let bytes = withUnsafeBytes(of: Int32(471_412_346).bigEndian) { [UInt8]($0) }
        for sequences in [[1], [2, 3, 4]] as [[Int64]] {
            for sequence in sequences { _ = try queue.append(Self.record(sequence), now: Self.start) }
            #expect(try hasBytes(bytes))
            try queue.remove(sequences)
            try queue.erase()
            #expect(try !hasBytes(bytes))
        }
        _ = try queue.append(Self.record(5), now: Self.start)
        try queue.remove([5])
        #expect(try hasBytes(bytes))
        // As after a kill: the other one has not closed the file.
        _ = try PositionQueue(file, start: Self.start)
        #expect(try !hasBytes(bytes))
    }
}
