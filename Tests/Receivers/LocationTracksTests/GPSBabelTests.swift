import FoundationEssentials
import LocationModel
import LocationTracks
import TestSupport
import Testing

/// Interoperability of recorded files with GPSBabel, the common converter.
@Suite(
    "gpsbabel", .timeLimit(.minutes(5)), .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/gpsbabel"))
)
struct GPSBabelTests {
    @Test("reads every point of a recorded GPX file, open or finished, and its output is read here")
    func recorded() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.path + "/track.gpx"
        let recorder = try TrackRecorder(creating: file)
        var recorded: [[Location]] = [[], []]
        for number in 0..<300 {
            var location = try location(Double(number), 48.137555 + Double(number) * 1.1e-5, -11.5)
            location.altitude = 500 + Double(number)
            location.speed = 1.25
            location.course = 90
            location.horizontalAccuracy = 4
            if number == 200 { try recorder.endSegment() }
            try recorder.append(location)
            recorded[number < 200 ? 0 : 1].append(location)
        }
        try await check(file, recorded, in: directory)
        try recorder.finish()
        try await check(file, recorded, in: directory)
    }

    private func check(_ file: String, _ recorded: [[Location]], in directory: TemporaryDirectory) async throws {
        let table = try await ChildProcess.run(["gpsbabel", "-t", "-i", "gpx", "-f", file, "-o", "unicsv", "-F", "-"])
        #expect(table.code == 0)
        #expect(table.errors == "")
        let lines = table.output.split(whereSeparator: \.isNewline).map { $0.split(separator: ",").map(String.init) }
        let header = try #require(lines.first)
        let locations = recorded.flatMap(\.self)
        #expect(lines.count == locations.count + 1)
        let columns = try ["Latitude", "Longitude", "Altitude"].map { try #require(header.firstIndex(of: $0)) }
        for (line, location) in zip(lines.dropFirst(), locations) {
            let values = columns.compactMap { Double(line[$0]) }
            let expected = [location.coordinate.latitude, location.coordinate.longitude, location.altitude ?? 0]
            #expect(values.count == 3)
            #expect(zip(values, expected).allSatisfy { abs($0 - $1) < 1e-5 })
        }

        let copy = directory.path + "/copy.gpx"
        let conversion = try await ChildProcess.run([
            "gpsbabel", "-t", "-i", "gpx", "-f", file, "-o", "gpx", "-F", copy,
        ])
        #expect(conversion.code == 0)
        // It keeps the extensions, too.
        #expect(try Track(contentsOfFile: copy).locations == Track(contentsOfFile: file).locations)
    }
}
