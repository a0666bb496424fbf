import LocationModel
import LocationTracks
import Testing

@Suite("Profile", .timeLimit(.minutes(10)))
struct ProfileTests {
    @Test("counts the distances as the summary does, with a rest and a gap between segments")
    func distances() throws {
        // A walk of 100 s north at 1.1 m/s, a rest of 100 s, and 10 s after a gap of an hour and a degree.
        let walk = (0...100).map { (latitude: 48 + Double($0) * 1e-5, time: $0) }
        let rest = (101...200).map { (latitude: 48 + 100e-5, time: $0) }
        let later = (0...10).map { (latitude: 49 + Double($0) * 1e-5, time: 3800 + $0) }
        let track = try track([walk + rest, later])
        let entries = TrackProfile(of: track).entries
        #expect(entries.count == track.pointCount)
        #expect(entries.first?.distance == 0)
        #expect(zip(entries, entries.dropFirst()).allSatisfy { $0.distance <= $1.distance })
        let length = try #require(entries.last?.distance)
        #expect(abs(length - TrackSummary(of: track).length) < 1e-6)
        #expect(entries[200].distance == entries[201].distance, "the gap has no length")
        #expect(entries[50].speed.map { abs($0 - 1.11) < 0.02 } == true)
        #expect(entries[150].speed == 0)
    }

    @Test("without times there are distances and no speeds")
    func withoutTimes() throws {
        let points = (0...3).map { "<trkpt lat=\"\(48 + Double($0) * 1e-3)\" lon=\"11\"/>" }.joined(separator: "\n")
        let entries = TrackProfile(of: try read(gpx("<trk><trkseg>\(points)</trkseg></trk>"))).entries
        #expect(entries.map { ($0.distance / 10).rounded() } == [0, 11, 22, 33])
        #expect(entries.allSatisfy { $0.speed == nil })
    }

    @Test("a single point, and times that go back, have a profile")
    func oddities() throws {
        #expect(TrackProfile(of: try track([[(48, 0)]])).entries.map(\.distance) == [0])
        let entries = TrackProfile(of: try track([[(48, 10), (48.001, 20), (48.002, 5), (48.003, 15)]])).entries
        // Nothing is measured across the step back.
        #expect(entries.map { ($0.distance / 10).rounded() } == [0, 11, 11, 22])
    }

    private func track(_ segments: [[(latitude: Double, time: Int)]]) throws -> Track {
        let text = segments.map { segment in
            "<trkseg>\n"
                + segment.map { point in
                    "<trkpt lat=\"\(point.latitude)\" lon=\"11\"><time>\(time(Double(point.time)))</time></trkpt>"
                }.joined(separator: "\n") + "</trkseg>"
        }
        return try read(gpx("<trk>\(text.joined())</trk>"))
    }
}
