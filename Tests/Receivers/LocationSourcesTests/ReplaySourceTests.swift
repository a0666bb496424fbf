import FoundationEssentials
import LocationModel
import LocationTracks
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import TestSupport
import Testing

@testable import LocationSources

private func tpv(_ second: Double, _ latitude: Double, device: String = "/dev/a", mode: Int = 3) -> String {
    let time = Timestamp(nanosecondsSince1970: 1_000_000_000_000_000_000 + Int64(second * 1e9))
    return #"{"class":"TPV","device":"\#(device)","mode":\#(mode),"time":"\#(time)","lat":\#(latitude),"lon":11.5}"#
}

private func track(_ lines: String...) throws -> RecordedTrack {
    try RecordedTrack(name: "test.json", file: "test.json", bytes: Array(lines.joined(separator: "\n").utf8))
}

/// A GPX track through `points`: latitude and second of each.
private func gpx(_ points: (String, Int)...) throws -> RecordedTrack {
    let body = points.map {
        "<trkpt lat='\($0)' lon='11.5'><time>2026-01-01T00:00:\($1 < 10 ? "0" : "")\($1)Z</time></trkpt>"
    }
    return try recorded("<gpx><trk><trkseg>\n\(body.joined(separator: "\n"))</trkseg></trk></gpx>")
}

/// The track of a file with this content.
private func recorded(_ text: String, as name: String = "track.gpx") throws -> RecordedTrack {
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    let file = "\(directory.path)/\(name)"
    try text.write(toFile: file, atomically: true, encoding: .utf8)
    return try RecordedTrack(contentsOfFile: file)
}

/// A replay on a manual clock; the wall clock shows the same seconds.
private final class Player {
    let loop = EmbeddedEventLoop()
    let events = NIOLockedValueBox<[SourceEvent]>([])
    let source: SourceGroup

    init(_ track: RecordedTrack, pace: Double = 1, repeats: Bool = true) {
        source = SourceGroup(eventLoop: loop) { [events] event in events.withLockedValue { $0.append(event) } }
        let replay = SourceDefinition("replay") { [loop] in
            ReplaySource(
                track: track, pace: pace, repeats: repeats,
                context: SourceContext(
                    eventLoop: loop, logger: .silent,
                    wallClock: { Timestamp(nanosecondsSince1970: Int64(loop.now.uptimeNanoseconds)) }, report: $0))
        }
        source.configure([replay])
    }

    /// Advances the clock and returns the published events: `48@1.5` is latitude 48 with the time of 1.5 s.
    func advance(_ seconds: Double) -> [String] {
        loop.advanceTime(by: .nanoseconds(Int64(seconds * 1e9)))
        return events.withLockedValue { events in
            defer { events = [] }
            return events.map { event in
                switch event {
                case .location(let location):
                    "\(Int(location.coordinate.latitude))@\(location.timestamp.secondsSince1970)"
                case .heading(let heading): "heading \(Int(heading.trueHeading))"
                case .unavailable(let reason): reason.rawValue
                }
            }
        }
    }
}

@Suite("Replay", .timeLimit(.minutes(10)))
struct ReplaySourceTests {
    @Test("plays at the track's pace with current times, and starts over")
    func pace() throws {
        let player = Player(try track(tpv(0, 1), tpv(1, 2), tpv(2.5, 3)))
        #expect(player.advance(10).isEmpty)
        player.source.setDemand(.continuous)
        #expect(player.advance(0.3) == ["1@10.0"])
        #expect(player.advance(0.6).isEmpty)
        #expect(player.advance(0.1) == ["2@11.0"])
        #expect(player.advance(1.5) == ["3@12.5"])
        // After the median interval, here the longer of two.
        #expect(player.advance(1.5) == ["1@14.0"])
        #expect(player.advance(1) == ["2@15.0"])
    }

    @Test("at another pace, times and speeds agree with positions", arguments: [0.5, 4, 1000])
    func faster(pace: Double) throws {
        let player = Player(
            try gpx(("48", 0), ("48.001", 10), ("48.002", 20), ("48.004", 30)), pace: pace, repeats: false)
        player.loop.advanceTime(by: .seconds(5))
        player.source.setDemand(.continuous)
        player.loop.advanceTime(by: .nanoseconds(Int64(30e9 / pace + 1e9)))
        let told = player.events.withLockedValue { $0 }.compactMap { event -> Location? in
            if case .location(let location) = event { location } else { nil }
        }
        #expect(told.count == 4)
        for (location, next) in zip(told, told.dropFirst()) {
            let seconds = next.timestamp.duration(since: location.timestamp) / .seconds(1)
            #expect(abs(seconds - 10 / pace) < 1e-6)
        }
        // 0.001° of latitude are 111.2 m there.
        for (location, speed) in zip(told, [11.12, 11.12, 16.68, 22.24]) {
            #expect(try abs(#require(location.speed) - speed * pace) < 0.01 * pace)
            #expect(location.course == 0)
        }
    }

    @Test("at a very slow pace the next report is far in the future, and nothing overflows")
    func snail() throws {
        let player = Player(try track(tpv(0, 1), tpv(1, 2)), pace: 1e-300)
        player.source.setDemand(.continuous)
        #expect(player.advance(0.3) == ["1@0.0"])
        #expect(player.advance(1e6) == ["silent"])
    }

    @Test("after a pause it resumes where it was, even if the clock started after the track")
    func resumesWhenClockIsYoungerThanTrack() throws {
        let player = Player(try track(tpv(0, 1), tpv(1000, 2), tpv(1001, 3)))
        player.source.setDemand(.continuous)
        #expect(player.advance(0.5) == ["1@0.0"])
        player.source.setDemand(.off)
        player.source.setDemand(.continuous)
        #expect(player.advance(0.3) == ["2@0.5"])
        #expect(player.advance(1) == ["3@1.5"])
    }

    @Test("every location is marked as simulated")
    func simulated() throws {
        let player = Player(try track(tpv(0, 1), tpv(1, 2)))
        player.source.setDemand(.continuous)
        player.loop.advanceTime(by: .seconds(5))
        let sources = player.events.withLockedValue { events in
            events.map { event -> Location.SourceInformation? in
                if case .location(let location) = event { location.sourceInformation } else { nil }
            }
        }
        #expect(Set(sources) == [.init(kind: .receiver, isSimulated: true, device: "replay:test.json")])
    }

    @Test("pauses without a timer while it is not needed")
    func pause() throws {
        let player = Player(try track(tpv(0, 1), tpv(1, 2), tpv(2, 3)))
        player.source.setDemand(.continuous)
        _ = player.advance(1)
        player.source.setDemand(.off)
        #expect(player.advance(100).isEmpty)
        player.source.setDemand(.continuous)
        #expect(player.advance(0.3) == ["3@101.0"])
        player.source.shutdown()
        #expect(player.advance(100).isEmpty)
        #expect(player.source.statuses[0].connection == .closed)
    }

    @Test("a track without repetition ends, which is reported once")
    func ends() throws {
        let player = Player(try track(tpv(0, 1), tpv(1, 2)), repeats: false)
        player.source.setDemand(.continuous)
        #expect(player.advance(1) == ["1@0.0", "2@1.0"])
        #expect(player.advance(3.4).isEmpty)
        #expect(player.advance(100) == ["silent"])
    }

    @Test("reports of one epoch are one location, gaps are kept, and headings are played")
    func contents() throws {
        let player = Player(
            try track(
                "# a comment", "", #"{"class":"VERSION","release":"3.22"}"#, tpv(0, 1), tpv(0, 2), tpv(1, 3), tpv(1, 4),
                tpv(0.5, 9), tpv(1, 9, device: "/dev/b"), tpv(2, 0, mode: 1), tpv(11, 5),
                #"{"class":"ATT","device":"/dev/a","heading":90.0}"#))
        player.source.setDemand(.continuous)
        #expect(player.advance(0.5) == ["2@0.0"])
        #expect(player.advance(3.9) == ["4@1.0"])
        #expect(player.advance(0.2) == ["noFix"])
        #expect(player.advance(6.7).sorted() == ["5@11.0", "heading 90"])
    }

    @Test(
        "an invalid recording is refused with its line",
        arguments: [
            (["x"], 1), ([tpv(0, 1), "", "{"], 3), ([tpv(0, 1), #"{"class":"TPV","mode":"3"}"#], 2), ([], nil),
            ([tpv(0, 1, mode: 1)], nil), ([#"{"class":"TPV","mode":3,"lat":1.0,"lon":2.0}"#], nil),
        ] as [([String], Int?)])
    func refused(lines: [String], line: Int?) {
        let error = #expect(throws: TrackError.self) {
            try RecordedTrack(name: "bad.json", file: "bad.json", bytes: Array(lines.joined(separator: "\n").utf8))
        }
        #expect(error?.line == line)
        #expect(error?.description.hasPrefix(line.map { "bad.json:\($0): " } ?? "bad.json: ") == true)
    }

    @Test("times of gpsd that are very far apart are refused")
    func ages() {
        let error = #expect(throws: TrackError.self) { try track(tpv(0, 1), tpv(4e8, 2)) }
        #expect(error?.reason.contains("ten years apart") == true)
    }

    @Test(
        "where the times of a track go back, by years ahead, or are missing, it is played on",
        arguments: [
            // Back by 30 s, by 1,024 weeks, and years ahead.
            ([1000, 1001, 971, 972], ["1@0.0", "2@1.0", "3@2.0", "4@3.0"]),
            ([619_316_200, 619_316_201, 1002, 1003], ["1@0.0", "2@1.0", "3@2.0", "4@3.0"]),
            ([1000, 1001, 599_594_400, 599_594_401], ["1@0.0", "2@1.0", "3@2.0", "4@3.0"]),
            ([1000, 599_594_400, 1002, 1003], ["1@0.0", "2@1.0", "3@2.0", "4@3.0"]),
            ([1000, nil, 1002, 1003], ["1@0.0", "3@2.0", "4@3.0"]),
        ] as [([Int?], [String])])
    func clockSteps(seconds: [Int?], played: [String]) throws {
        let points = seconds.enumerated().map { index, second in
            let time = second.map { "<time>\(Timestamp(secondsSince1970: 1_000_000_000 + Int64($0)))</time>" } ?? ""
            return "<trkpt lat='\(index + 1)' lon='11.5'>\(time)</trkpt>"
        }
        let player = Player(try recorded("<gpx><trk><trkseg>\(points.joined())</trkseg></trk></gpx>"))
        player.source.setDemand(.continuous)
        #expect(player.advance(3.5) == played)
    }

    @Test("a track without times is played at a walk, a location a second, and a long one within a day")
    func withoutTimes() throws {
        func line(_ latitudes: Double...) -> String {
            "<gpx><rte>\(latitudes.map { "<rtept lat='\($0)' lon='11.5'/>" }.joined())</rte></gpx>"
        }
        // 111 m.
        let walk = try recorded(line(48, 48.001))
        #expect(
            (79...81).contains(walk.entries.count) && walk.duration.nanoseconds == walk.entries.count * 1_000_000_000)
        #expect(zip(walk.entries, walk.entries.dropFirst()).allSatisfy { $1.offset - $0.offset == .seconds(1) })
        #expect((85_000...86_402).contains(try recorded(line(10, 60)).entries.count))
    }

    @Test(
        "a track in another program's format is played",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/gpsbabel")))
    func otherFormat() throws {
        let player = Player(
            try recorded(
                """
                <kml xmlns="http://www.opengis.net/kml/2.2"><Placemark><LineString><coordinates>11.5,1.1 11.5,1.10001
                </coordinates></LineString></Placemark></kml>
                """, as: "track.kml"))
        player.source.setDemand(.continuous)
        #expect(player.advance(1.5) == ["1@0.0", "1@1.0"])
    }

    @Test("a missing file is refused")
    func missing() {
        let error = #expect(throws: TrackError.self) {
            try RecordedTrack(contentsOfFile: "/nonexistent/track.json")
        }
        #expect(error?.file == "/nonexistent/track.json")
    }

    @Test("the shipped track plays one location a second")
    func shipped() throws {
        let file = String(#filePath.dropLast("Tests/Receivers/LocationSourcesTests/ReplaySourceTests.swift".count))
        let player = Player(try RecordedTrack(contentsOfFile: file + "Config/demo/track.json"))
        player.source.setDemand(.continuous)
        #expect(player.advance(239.9).count == 240)
        #expect(player.advance(240).count == 240)
        let receiver = try #require(player.source.statuses[0].receivers.first)
        #expect(receiver.mode == .threeDimensional)
        #expect(receiver.satellitesUsed == 9)
        #expect(receiver.epochInterval == .seconds(1))
    }
}
