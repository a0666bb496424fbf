import CommandLineSupport
import FoundationEssentials
import LocationClient
import LocationModel
import LocationTracks
import TestSupport
import Testing

@Suite("Recording a view", .timeLimit(.minutes(10)))
struct RecordingTests {
    /// A fix, `metres` to the north of the first one.
    private func fix(_ second: Double, metres: Double) -> LocationUpdate {
        var location = Location(
            coordinate: Coordinate(clampingLatitude: 52 + metres / 111_195, wrappingLongitude: 13),
            timestamp: Timestamp(nanosecondsSince1970: 1_700_000_000_000_000_000 + Int64(second * 1e9)))
        location.horizontalAccuracy = 5
        return LocationUpdate(location: location)
    }

    /// Records what a service sends. Returns the number of points of each segment, and the closing sentence without the path.
    private func record(_ updates: [LocationUpdate]) async throws -> (segments: [Int], sentence: String) {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/track.gpx"
        var standIn = LocationStandIn()
        standIn.updates = { updates.indices.contains($0) ? updates[$0] : nil }
        let recording = try TrackRecording(creating: path)
        try await recording.run(LocationManager(standIn: standIn))
        let sentence = try await recording.finish()
        return (
            try Track(contentsOfFile: path).segments.map(\.points.count), sentence.replacing(" into \(path)", with: "")
        )
    }

    @Test("an impossible jump begins a segment, and a fast ride does not")
    func jump() async throws {
        let ride = (0..<3).map { fix(Double($0), metres: 40 * Double($0)) }
        let elsewhere = (3..<5).map { fix(Double($0), metres: 2_000_000 + 40 * Double($0)) }
        let result = try await record(ride + elsewhere)
        #expect(result.segments == [3, 2])
        #expect(result.sentence == "5 fixes recorded.")
    }

    @Test("a clock that steps back, and a time without a fix, begin a segment")
    func gaps() async throws {
        let result = try await record([
            fix(100, metres: 0), fix(101, metres: 1), fix(71, metres: 2), fix(72, metres: 3),
            LocationUpdate(diagnostic: .locationUnavailable), fix(75, metres: 4), fix(76, metres: 5),
        ])
        #expect(result.segments == [2, 2, 2])
        #expect(result.sentence == "6 fixes recorded.")
    }

    @Test("repeated times are counted in the closing sentence")
    func repeated() async throws {
        let once = try await record([fix(0, metres: 0), fix(0, metres: 1)])
        #expect(once.sentence == "1 fix recorded. 1 fix with the time of the one before left out.")
        let often = try await record([
            fix(0, metres: 0), fix(0, metres: 0), fix(1, metres: 1), fix(1, metres: 1), fix(1, metres: 1),
        ])
        #expect(often.segments == [2])
        #expect(often.sentence == "2 fixes recorded. 3 fixes with the time of the one before left out.")
    }
}
