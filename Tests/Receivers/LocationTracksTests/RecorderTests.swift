import FoundationEssentials
import Glibc
import LocationModel
import LocationTracks
import SeededRandom
import TestSupport
import Testing

@Suite("Recording", .timeLimit(.minutes(10)))
struct RecorderTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func path(_ format: TrackFormat) -> String { directory.path + "/track" + format.suffix }

    @Test("a GPX file has all known values in the order of its schema")
    func gpxText() throws {
        let recorder = try TrackRecorder(creating: path(.gpx))
        try recorder.append(try fullLocation(0))
        try recorder.append(try location(1, 1e-7, 180))
        try recorder.endSegment()
        try recorder.endSegment()
        var low = try location(2, -90, -180)
        low.ellipsoidalAltitude = -0.0001
        low.speed = .infinity
        try recorder.append(low)
        try recorder.finish()
        #expect(
            try content(of: path(.gpx)) == """
                <?xml version="1.0" encoding="UTF-8"?>
                <gpx version="1.1" creator="locationd" xmlns="http://www.topografix.com/GPX/1/1" \
                xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2" \
                xmlns:locationd="https://locationd.org/gpx/1">
                <trk>
                <trkseg>
                <trkpt lat="48.137555" lon="-11.000000001"><ele>519.25</ele><time>2023-11-14T22:13:20.000Z</time>\
                <geoidheight>45.25</geoidheight><src>simulated</src><extensions><gpxtpx:TrackPointExtension>\
                <gpxtpx:speed>1.4</gpxtpx:speed><gpxtpx:course>359.5</gpxtpx:course></gpxtpx:TrackPointExtension>\
                <locationd:horizontalAccuracy>3.125</locationd:horizontalAccuracy>\
                <locationd:verticalAccuracy>5</locationd:verticalAccuracy>\
                <locationd:courseAccuracy>2.5</locationd:courseAccuracy>\
                <locationd:speedAccuracy>0.05</locationd:speedAccuracy></extensions></trkpt>
                <trkpt lat="0.0000001" lon="-180"><time>2023-11-14T22:13:21.000Z</time></trkpt>
                </trkseg>
                <trkseg>
                <trkpt lat="-90" lon="-180"><time>2023-11-14T22:13:22.000Z</time><extensions>\
                <locationd:ellipsoidalAltitude>0</locationd:ellipsoidalAltitude></extensions></trkpt>
                </trkseg>
                </trk>
                </gpx>

                """)
    }

    @Test("recorded points are read back, and the file is complete after every point", arguments: TrackFormat.allCases)
    func roundTrip(format: TrackFormat) throws {
        let recorder = try TrackRecorder(creating: path(format))
        #expect(try Track(contentsOfFile: path(format)).segments.isEmpty)
        var expected: [[Location]] = []
        // More than the initial size of the file.
        for number in 0..<1500 {
            if [0, 150, 300].contains(number) {
                if number > 0, number < 300 { try recorder.endSegment() }
                expected.append([])
            }
            // After point 300, a gap without `endSegment`.
            var location = try fullLocation(Double(number) + (number < 300 ? 0 : 31))
            location.horizontalAccuracy = Double(number)
            if number % 3 == 0 { location.sourceInformation = nil }
            if number % 7 == 0 { (location.altitude, location.speed) = (nil, nil) }
            #expect(try recorder.append(location))
            expected[expected.count - 1].append(location)
            if number % 61 == 0 { #expect(try Track(contentsOfFile: path(format)).locations == expected) }
        }
        #expect(recorder.pointCount == 1500)
        try recorder.finish()
        #expect(try Track(contentsOfFile: path(format)).locations == expected)
        #expect(try content(of: path(format)).hasSuffix(format == .gpx ? "\n</gpx>\n" : "}\n]}\n"))
    }

    /// The possible states after a loss of power: each page in any of its versions since the last flush. Pages are the
    /// units that the disk writes as a whole.
    @Test("any mixture of older and newer pages is a complete document", arguments: TrackFormat.allCases)
    func mixtures(format: TrackFormat) throws {
        let recorder = try TrackRecorder(creating: path(format))
        var states: [[UInt8]] = []
        for number in 0..<60 {
            states.append([UInt8](try Data(contentsOf: URL(filePath: path(format)))))
            if number == 25 { try recorder.endSegment() }
            try recorder.append(try fullLocation(Double(number)))
        }
        #expect(Set(states.map(\.count)).count == 1)
        var generator = SeededGenerator(seed: 1)
        var counts: Set<Int> = []
        for _ in 0..<60 {
            var mixture: [UInt8] = []
            let (first, last) = (Int.random(in: 0..<60, using: &generator), Int.random(in: 0..<60, using: &generator))
            for page in stride(from: 0, to: states[0].count, by: 4096) {
                let state = states[Int.random(in: min(first, last)...max(first, last), using: &generator)]
                mixture += state[page..<min(page + 4096, state.count)]
            }
            counts.insert(try Track(bytes: mixture, file: "mixture\(format.suffix)").pointCount)
        }
        #expect(counts.count > 10)
    }

    @Test("a file that is moved away during recording is not recreated", arguments: TrackFormat.allCases)
    func moved(format: TrackFormat) throws {
        let recorder = try TrackRecorder(creating: path(format))
        try recorder.append(try fullLocation(0))
        #expect(rename(path(format), directory.path + "/moved") == 0)
        try "mine".write(toFile: path(format), atomically: true, encoding: .utf8)
        let error = #expect(throws: TrackError.self) { try recorder.finish() }
        #expect(error?.reason.contains("was moved") == true)
        #expect(try content(of: path(format)) == "mine")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).count == 2)
    }

    @Test(
        "a clock that is set begins a new segment, and a repeated time is left out and counted",
        arguments: [-30, -1.5, -619_315_200, 599_594_400, 3600] as [Double])
    func clockSteps(step: Double) throws {
        let recorder = try TrackRecorder(creating: path(.gpx))
        let (first, second) = ([0.0, 1, 2], [3.0, 4, 5].map { $0 + step })
        for (index, seconds) in (first + second).enumerated() {
            #expect(try recorder.append(try location(seconds, Double(index))))
            #expect(try !recorder.append(try location(seconds, 50)))
        }
        #expect(recorder.pointCount == 6)
        #expect(recorder.repeatedCount == 6)
        try recorder.finish()
        let track = try Track(contentsOfFile: path(.gpx))
        #expect(track.segments.map { $0.points.map(\.time) } == [first.map(time), second.map(time)])
    }

    @Test("only the owner can read the file, and an existing file is never overwritten")
    func privacy() throws {
        _ = try TrackRecorder(creating: path(.gpx))
        var status = stat()
        #expect(stat(path(.gpx), &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(symlink("/nonexistent/target", path(.geoJSON)) == 0)
        for format in TrackFormat.allCases {
            let error = #expect(throws: TrackError.self) { try TrackRecorder(creating: path(format)) }
            #expect(error?.reason.contains("not written over") == true)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).count == 2)
    }

    @Test("an unknown suffix and a missing directory are refused")
    func badNames() {
        for (name, words) in [("track.kml", ".gpx or .geojson"), ("none/track.gpx", "No such file")] {
            let error = #expect(throws: TrackError.self) { try TrackRecorder(creating: directory.path + "/" + name) }
            #expect(error?.file == directory.path + "/" + name)
            #expect(error?.reason.contains(words) == true)
        }
    }

    @Test("a recording of gpsd by gpspipe is a track, too")
    func recordingOfGPSD() throws {
        let file = directory.path + "/recording"
        func report(_ second: Int, _ members: String) -> String {
            #"{"class":"TPV","device":"/dev/a","time":"2026-01-01T00:00:0\#(second).000Z",\#(members)}"#
        }
        let position = #""mode":3,"lat":48.1,"lon":11.5,"altMSL":520.5,"speed":1.5"#
        try """
        # A walk
        {"class":"VERSION","release":"3.22"}
        \(report(1, position))
        \(report(1, position))
        {"class":"TPV","device":"/dev/b","mode":3,"lat":1,"lon":2}
        \(report(2, #""mode":1"#))
        \(report(3, position))
        """.write(toFile: file, atomically: true, encoding: .utf8)
        let track = try Track(contentsOfFile: file)
        #expect(track.segments.map(\.points.count) == [1, 1])
        #expect(track.points.map(\.line) == [3, 7])
        #expect(track.points.allSatisfy { $0.altitude == 520.5 && $0.speed == 1.5 && $0.time != nil })

        try "1,2\n".write(toFile: file, atomically: true, encoding: .utf8)
        let error = #expect(throws: TrackError.self) { try Track(contentsOfFile: file) }
        #expect(error?.reason.contains("nor a recording of gpspipe -w") == true)
    }

    @Test("unreadable files are refused")
    func unreadable() throws {
        let fifo = directory.path + "/fifo.gpx"
        #expect(mkfifo(fifo, 0o600) == 0)
        #expect(mkdir(path(.gpx), 0o700) == 0)
        let large = directory.path + "/large.gpx"
        let descriptor = open(large, O_CREAT | O_WRONLY, 0o600)
        #expect(ftruncate(descriptor, Track.maximumFileSize + 1) == 0)
        close(descriptor)
        for (file, words) in [
            (path(.gpx), "is a directory"), (fifo, "is no regular file"), (large, "is larger than 256 MiB"),
            (directory.path + "/none.gpx", "No such file"), (directory.path + "/track.txt", "No such file"),
        ] {
            let error = #expect(throws: TrackError.self) { try Track(contentsOfFile: file) }
            #expect(error?.description.hasPrefix(file + ": ") == true)
            #expect(error?.reason.contains(words) == true)
        }
    }
}
