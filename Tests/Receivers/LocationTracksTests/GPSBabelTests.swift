import FoundationEssentials
import LocationModel
import LocationTracks
import TestSupport
import Testing

/// Interoperability of recorded files with GPSBabel, the common converter.
@Suite(
    "gpsbabel", .timeLimit(.minutes(10)),
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/gpsbabel"))
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

    @Test(
        "tracks in other programs' formats are read through it",
        arguments: [
            ("kml,track=1", "kml"), ("garmin_fit", "fit"), ("gtrnctr", "tcx"), ("igc", "igc"), ("unicsv", "csv"),
            ("kml,track=1", "other"),
        ])
    func otherFormats(name: String, suffix: String) async throws {
        let directory = try TemporaryDirectory()
        let (file, foreign) = (directory.path + "/walk.gpx", directory.path + "/walk.\(suffix)")
        let locations = try self.walk()
        try write(locations, to: file)
        let made = try await ChildProcess.run(["gpsbabel", "-t", "-i", "gpx", "-f", file, "-o", name, "-F", foreign])
        #expect(made.code == 0)
        let track = try Track(contentsOfFile: foreign)
        #expect(track.segments.map(\.points.count) == [locations.count])
        // As pages send them.
        #expect(try Track(bytes: Array(Data(contentsOf: URL(filePath: foreign))), file: "walk.\(suffix)") == track)
        for (point, location) in zip(track.points, locations) {
            #expect(point.time == location.timestamp)
            #expect(point.coordinate.distance(to: location.coordinate) < 3)
            #expect(try abs(#require(point.altitude) - #require(location.altitude)) < 1)
        }
    }

    @Test(
        "a track that gzip has compressed is read, and one that is compressed twice or damaged is refused",
        arguments: ["gpx", "fit"])
    func gzip(suffix: String) async throws {
        let directory = try TemporaryDirectory()
        let file = directory.path + "/walk." + suffix
        try write(try walk(), to: directory.path + "/walk.gpx")
        if suffix == "fit" {
            let made = try await ChildProcess.run(
                ["gpsbabel", "-t", "-i", "gpx", "-f", directory.path + "/walk.gpx", "-o", "garmin_fit", "-F", file])
            #expect(made.code == 0)
        }
        let track = try Track(contentsOfFile: file)
        #expect(try await ChildProcess.run(["gzip", file]).code == 0)
        #expect(try Track(contentsOfFile: file + ".gz").segments == track.segments)
        let bytes = try Array(Data(contentsOf: URL(filePath: file + ".gz")))
        #expect(try Track(bytes: bytes, file: "walk.\(suffix).gz").segments == track.segments)
        #expect(throws: TrackError.self) { try Track(bytes: bytes.dropLast(9), file: "x.gz") }
        #expect(try await ChildProcess.run(["sh", "-c", "gzip -c \(file).gz > \(file).two"]).code == 0)
        let error = #expect(throws: TrackError.self) { try Track(contentsOfFile: file + ".two") }
        #expect(error?.reason.contains("more than once") == true)
    }

    @Test("KML in an archive is read, and an archive without it, or of more than may be read, is refused")
    func archive() async throws {
        let directory = try TemporaryDirectory()
        func file(_ name: String) -> String { directory.path + "/" + name }
        try write(try walk(), to: file("walk.gpx"))
        let track = try Track(contentsOfFile: file("walk.gpx"))
        try track.write(to: file("doc.kml"))
        try "nothing".write(toFile: file("a.txt"), atomically: true, encoding: .utf8)
        let script = """
            import sys, zipfile
            with zipfile.ZipFile(sys.argv[1] + "/walk.kmz", "w", zipfile.ZIP_DEFLATED) as archive:
                archive.write(sys.argv[1] + "/doc.kml", "doc.kml")
            with zipfile.ZipFile(sys.argv[1] + "/empty.kmz", "w") as archive: archive.writestr("a.txt", "nothing")
            with zipfile.ZipFile(sys.argv[1] + "/bomb.kmz", "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr("doc.kml", "<kml>" + " " * (300 << 20))
            """
        #expect(try await ChildProcess.run(["python3", "-c", script, directory.path]).code == 0)
        #expect(try Track(contentsOfFile: file("walk.kmz")).pointCount == track.pointCount)
        for name in ["empty.kmz", "bomb.kmz"] {
            let error = #expect(throws: TrackError.self) { try Track(contentsOfFile: file(name)) }
            #expect(error?.reason == "this has no KML in it, or more than 256 MiB")
        }
    }

    @Test("a flight is read once, with the heights of its receiver and not those of its barometer")
    func flight() throws {
        let records = (0..<5).map { "B08300\($0)51521\($0)0N01315000EA0020000250" }
        let text = (["AXXX001", "HFDTE211126"] + records).joined(separator: "\r\n") + "\r\n"
        let track = try Track(bytes: Array(text.utf8), file: "flight.igc")
        #expect(track.segments.map(\.points.count) == [5])
        #expect(track.points.map(\.altitude) == [250, 250, 250, 250, 250])
    }

    @Test("tracks are written in each format, and read back", arguments: ["gpx", "geojson", "kml", "fit"])
    func export(suffix: String) throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        try write(try walk(), to: directory.path + "/walk.gpx")
        var track = try Track(contentsOfFile: directory.path + "/walk.gpx")
        track.name = "Up & <down>"
        let copy = directory.path + "/copy." + suffix
        try track.write(to: copy)
        let read = try Track(contentsOfFile: copy)
        #expect(read.segments.map(\.points.count) == track.segments.map(\.points.count))
        #expect(zip(read.points, track.points).allSatisfy { $0.time == $1.time })
        if suffix == "gpx" { #expect(read.name == track.name) }
        let error = #expect(throws: TrackError.self) { try track.write(to: copy) }
        #expect(error?.reason.contains("not written over") == true)
    }

    @Test(
        "files that are not tracks are refused with a reason",
        arguments: ["fit", "kml", "csv", "igc", "tcx", "nmea", "kmz"])
    func garbage(suffix: String) throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let file = directory.path + "/track." + suffix
        let bytes = Data((0..<3000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 3) })
        try bytes.write(to: URL(filePath: file))
        let error = #expect(throws: TrackError.self) { try Track(contentsOfFile: file) }
        #expect(error?.file == file)
        #expect(error?.reason.isEmpty == false)
    }

    private func walk() throws -> [Location] {
        try (0..<40).map { number in
            var location = try location(Double(number) * 10, -33.4 + Double(number) * 1e-4, 150.2)
            location.altitude = 20 + Double(number)
            return location
        }
    }

    private func write(_ locations: [Location], to file: String) throws {
        let recorder = try TrackRecorder(creating: file)
        for location in locations { try recorder.append(location) }
        try recorder.finish()
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
