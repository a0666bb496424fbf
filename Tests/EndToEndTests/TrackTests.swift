import FoundationEssentials
import Glibc
import LocationInterface
import LocationModel
import LocationTracks
import TestSupport
import Testing

/// A file that is no track, or not one that can be replayed.
private struct BadTrack: Sendable, CustomTestStringConvertible {
    var what: String
    var name = "track.gpx"
    /// Begins on line 1.
    var text: String
    var line: Int?
    /// Part of the reason.
    var words: String
    /// Whether there is nothing wrong with it but that it cannot be replayed.
    var isSummarised = false

    var testDescription: String { what }

    private static func gpx(_ points: String, namespace: String = "http://www.topografix.com/GPX/1/1") -> String {
        "<gpx version=\"1.1\" creator=\"test\" xmlns=\"\(namespace)\">\n<trk><trkseg>\n\(points)\n</trkseg></trk></gpx>\n"
    }

    private static func point(_ second: Int, latitude: Double = 12.345678) -> String {
        "<trkpt lat=\"\(latitude)\" lon=\"98.765432\"><time>2026-01-01T00:00:0\(second)Z</time></trkpt>"
    }

    private static let laughs = """
        <?xml version="1.0"?>
        <!DOCTYPE gpx [
        <!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">
        <!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;"><!ENTITY e "&d;&d;&d;&d;&d;&d;&d;&d;">]>
        <gpx xmlns="http://www.topografix.com/GPX/1/1"><trk><name>&e;</name></trk></gpx>
        """

    static let all = [
        BadTrack(
            what: "truncated", text: String(gpx(point(1) + "\n" + point(2)).dropLast(40)), line: 4, words: "cut short"),
        BadTrack(what: "no points", text: gpx(""), words: "no fix with a time", isSummarised: true),
        BadTrack(
            what: "foreign namespace", text: gpx(point(1), namespace: "urn:example:other"), line: 1,
            words: "a GPX file begins with"),
        BadTrack(what: "billion laughs", text: laughs, line: 2, words: "DOCTYPE"),
        BadTrack(
            what: "latitude out of range", text: gpx(point(2, latitude: 91.23456)), line: 3,
            words: "this point is nowhere"),
        BadTrack(what: "empty", text: "", line: 1, words: "empty"),
        BadTrack(what: "garbage", text: "\u{1}\u{2}\u{3}\u{0}\u{fffd}", line: 1, words: "not well-formed"),
        BadTrack(
            what: "truncated GeoJSON", name: "track.geojson", text: "{\"type\":\"FeatureCollection\",\n\"features\":[",
            line: 2, words: "cut short"),
        BadTrack(what: "empty GeoJSON", name: "track.geojson", text: "", line: 1, words: "empty"),
        BadTrack(what: "garbage in GeoJSON", name: "track.geojson", text: "\u{1}\u{0}", line: 1, words: "not JSON"),
    ]

    /// Looks at what a program said about the file.
    func check(_ result: ChildProcess.Result, _ file: String, prefix: String = "") {
        #expect(result.code == 66)
        #expect(result.output == "")
        #expect(result.errors.hasPrefix("\(prefix)\(file)\(line.map { ":\($0)" } ?? ""): "), "\(result.errors)")
        #expect(result.errors.contains(words), "\(result.errors)")
        #expect(result.errors.split(separator: "\n").count == 1)
        for digits in ["345678", "765432", "23456"] { #expect(!result.errors.contains(digits)) }
    }
}

@Suite("Tracks", .timeLimit(.minutes(10)))
struct TrackTests {
    /// A drive to the north at 10 m a second, a hundred points a second apart, as it was recorded.
    private func record(in directory: String, _ format: TrackFormat) throws -> String {
        let file = directory + "/drive" + format.suffix
        let recorder = try TrackRecorder(creating: file)
        for second in 0..<100 {
            let coordinate = try #require(
                Coordinate(latitude: DaemonSite.latitude + Double(second) * 9.04e-5, longitude: DaemonSite.longitude))
            var location = Location(
                coordinate: coordinate,
                timestamp: Timestamp(nanosecondsSince1970: 1_700_000_000_000_000_000 + Int64(second) * 1_000_000_000))
            location.altitude = 100 + Double(second)
            location.horizontalAccuracy = 5
            try recorder.append(location)
        }
        try recorder.finish()
        return file
    }

    @Test("a recorded track is replayed, faster", arguments: TrackFormat.allCases)
    func replay(format: TrackFormat) async throws {
        let site = try DaemonSite()
        let file = try record(in: site.directory.path, format)
        let daemon = try await site.start(replay: ["--replay", file, "--speed", "20"])
        let result = try await site.locationctl("watch", "--count", "10", "--format", "json")
        #expect(result.code == 0)
        let locations = try result.output.split(separator: "\n").map { try json(String($0), as: Location.self) }
        #expect(locations.count == 10)
        for (location, next) in zip(locations, locations.dropFirst()) {
            #expect(
                location.sourceInformation
                    == .init(kind: .receiver, isSimulated: true, device: "replay:drive\(format.suffix)"))
            #expect(location.horizontalAccuracy == 5)
            #expect(location.course == 0)
            let speed = try #require(location.speed)
            #expect(abs(speed - 200) < 0.5)
            let seconds = next.timestamp.duration(since: location.timestamp) / .seconds(1)
            #expect(abs(location.coordinate.distance(to: next.coordinate) / seconds - speed) < 0.5)
        }
        #expect(try await daemon.stop().code == 0)
    }

    @Test("a bad file is refused as a whole, with its line and without a coordinate", arguments: BadTrack.all)
    private func refused(bad: BadTrack) async throws {
        let site = try DaemonSite()
        let file = site.directory.path + "/" + bad.name
        try bad.text.write(toFile: file, atomically: true, encoding: .utf8)
        try await checkRefusal(of: file, at: site, bad)
    }

    /// Neither program waits for what may never come, nor believes what it may not read.
    @Test func unreadableFiles() async throws {
        let site = try DaemonSite()
        let file = site.directory.path + "/track.gpx"
        let absent = BadTrack(what: "", text: "", words: "No such file")
        try await checkRefusal(of: file, at: site, absent)
        #expect(mkdir(file, 0o700) == 0)
        try await checkRefusal(of: file, at: site, BadTrack(what: "", text: "", words: "is a directory"))
        #expect(rmdir(file) == 0)
        #expect(mkfifo(file, 0o600) == 0)
        try await checkRefusal(of: file, at: site, BadTrack(what: "", text: "", words: "is no regular file"))
        #expect(unlink(file) == 0)
        close(open(file, O_CREAT | O_WRONLY, 0))
        try await checkRefusal(of: file, at: site, BadTrack(what: "", text: "", words: "Permission denied"))
    }

    private func checkRefusal(of file: String, at site: DaemonSite, _ bad: BadTrack) async throws {
        // Root may read everything, unless it has none of its privileges.
        let plainly = geteuid() == 0 ? ["setpriv", "--bounding-set", "-all"] : []
        let daemon = try await ChildProcess.run(
            plainly + [
                Products.locationd, "--config", site.configuration, "--socket", site.socket, "--state-directory",
                site.directory.path + "/state", "--replay", file,
            ])
        var refusal = daemon
        refusal.errors = daemon.errors.split(separator: "\n", omittingEmptySubsequences: false)
            .filter { !$0.contains("there are no decisions yet") }.joined(separator: "\n")
        bad.check(refusal, file, prefix: "locationd cannot run: ")
        #expect(access(site.socket, F_OK) != 0)
        let summary = try await ChildProcess.run(plainly + [Products.locationctl, "track", file])
        if bad.isSummarised {
            #expect(summary.code == 0)
        } else {
            bad.check(summary, file)
        }
    }

    @Test("without gpsbabel, a file that needs it is refused with the package to install, and is not written either")
    func withoutGPSBabel() async throws {
        let directory = try TemporaryDirectory()
        let drive = try record(in: directory.path, .gpx)
        let file = directory.path + "/drive.kml"
        try "<kml/>".write(toFile: file, atomically: true, encoding: .utf8)
        // A machine without it: a mount namespace with nothing to execute in its place.
        let program = "/usr/bin/gpsbabel"
        let hidden =
            access(program, F_OK) == 0
            ? ["unshare", "-rm", "sh", "-ec", "mount --bind /dev/null \(program); exec \"$@\"", "sh"] : []
        for arguments in [["track", file], ["track", drive, "--export", directory.path + "/copy.kml"]] {
            let result = try await ChildProcess.run(hidden + [Products.locationctl] + arguments)
            #expect(result.code != 0)
            #expect(result.output == "")
            #expect(result.errors.hasPrefix(arguments.last ?? ""), "\(result.errors)")
            #expect(result.errors.contains("takes the program gpsbabel"), "\(result.errors)")
            #expect(result.errors.hasSuffix("run: sudo apt install gpsbabel\n"), "\(result.errors)")
        }
        #expect(access(directory.path + "/copy.kml", F_OK) != 0)
    }

    @Test(
        "an invalid pace is refused",
        arguments: [
            ["--replay", "x", "--speed", "0"], ["--replay", "x", "--speed", "-1"], ["--replay", "x", "--speed=nan"],
            ["--replay", "x", "--speed", "1000.1"], ["--replay", "x", "--speed", "inf"], ["--speed", "2"],
            ["--replay", "x", "--speed", "fast"], ["--gpsd", "localhost", "--speed", "2"],
        ])
    func badSpeed(arguments: [String]) async throws {
        let result = try await ChildProcess.run([Products.locationd] + arguments)
        #expect(result.code == 64)
        #expect(result.errors.contains("--speed"))
    }

    private struct Summary: Decodable {
        var points, segments: Int
        var length: Double
        var duration, movingTime, climb, averageSpeed: Double?
        var start: Timestamp?
    }

    @Test("a summary in each format", arguments: TrackFormat.allCases)
    func summary(format: TrackFormat) async throws {
        let directory = try TemporaryDirectory()
        let file = try record(in: directory.path, format)
        let text = try await ChildProcess.run([Products.locationctl, "track", "--utc", file])
        #expect(text.code == 0)
        #expect(text.isPlain)
        #expect(
            text.output == """
                A track without a name
                  points    100 in 1 segment
                  length    990 m
                  duration  0:01:39
                  moving    0:01:39
                  climb     99 m up, 0 m down
                  speed     36.0 km/h on average while moving, 36.0 km/h at most
                  from      2023-11-14 22:13:20Z
                  to        2023-11-14 22:14:59Z
                  bounds    12.34568° N to 12.35463° N, 98.76543° E to 98.76543° E

                """)
        let object = try await ChildProcess.run([Products.locationctl, "track", file, "--format", "json"])
        #expect(object.code == 0)
        let summary = try json(object.output, as: Summary.self)
        #expect(summary.points == 100)
        #expect(summary.segments == 1)
        #expect(abs(summary.length - 990) < 1)
        #expect(summary.duration == 99)
        #expect(summary.movingTime == 99)
        #expect(summary.climb == 99)
        #expect(summary.averageSpeed.map { abs($0 - 10) < 0.01 } == true)
        #expect(summary.start == Timestamp("2023-11-14T22:13:20Z"))
    }

    @Test("what a summary lacks is reported, and the output of watch can be summarized")
    func lacking() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.path + "/track.gpx"
        let points = "<trkpt lat='1' lon='2'/><trkpt lat='1' lon='2.1'/>"
        try "<gpx><trk><name>A \u{202e}name</name><trkseg>\(points)</trkseg></trk></gpx>"
            .write(toFile: file, atomically: true, encoding: .utf8)
        let result = try await ChildProcess.run([Products.locationctl, "track", file])
        #expect(result.code == 0)
        #expect(result.output.hasPrefix("A \u{fffd}name\n"))
        #expect(result.output.contains("  length    11.13 km\n"))
        #expect(result.output.contains("  missing   the times of the points"))

        try await DaemonSite.run { daemon in
            let watched = try await daemon.site.locationctl("watch", "--count", "3", "--format", "geojson")
            let file = directory.path + "/watched.geojson"
            try watched.output.write(toFile: file, atomically: true, encoding: .utf8)
            let summary = try await ChildProcess.run([Products.locationctl, "track", file, "--format", "json"])
            #expect(try json(summary.output, as: Summary.self).points == 3)
        }
    }
}
