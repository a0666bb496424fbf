import LocationModel
import Testing

@testable import LocationTracks

@Suite("Reading GPX", .timeLimit(.minutes(10)))
struct GPXReadingTests {
    /// A point with the same values in several notations.
    private let point = "<trkpt lat=\"48.5\" lon=\"11.25\"><ele>519.5</ele><time>2023-11-14T22:13:20Z</time></trkpt>"

    private func expected() throws -> Location {
        var location = try location(0, 48.5, 11.25)
        location.altitude = 519.5
        return location
    }

    @Test("reads tracks, segments, names and waypoints, and leaves out routes beside them")
    func structure() throws {
        let track = try read(
            gpx(
                """
                <metadata><name>not this</name></metadata>
                <wpt lat="1" lon="2"><name>nor this</name></wpt>
                <rte><name>Plan</name><cmt>By bus</cmt><rtept lat="3" lon="4"/></rte>
                <trk><name> Walk &amp; talk\n</name><desc>In rain</desc><trkseg>\(point)</trkseg><trkseg/><trkseg>\(point)\(point)</trkseg></trk>
                <trk><name>another</name><trkseg>\(point)</trkseg></trk>
                """))
        #expect(track.name == "Walk & talk")
        #expect(track.segments.map(\.points.count) == [1, 2, 1])
        #expect(track.locations[0] == [try expected()])
        #expect(track.segments[0].points[0].line == 6)
        #expect(track.omissions.phrase == "1 value or point (in line 4: a route beside a track)")
        #expect(track.omissionsBesideRoutes.phrase == nil)
        #expect(track.segments.map(\.name) == ["Walk & talk", "Walk & talk", "another"])
        #expect(track.segments.map(\.details) == ["In rain", "In rain", nil])
        #expect(track.routes.map(\.name) == ["Plan"] && track.routes.map(\.details) == ["By bus"])
        #expect(track.routes[0].points.map(\.coordinate.latitude) == [3])
    }

    @Test("the height of the geoid at one point is not that at the next")
    func geoidHeight() throws {
        let point = "<trkpt lat=\"48.5\" lon=\"11.25\"><ele>519.5</ele>"
        let track = try read(
            gpx("<trk><trkseg>\(point)<geoidheight>45</geoidheight></trkpt>\(point)</trkpt></trkseg></trk>"))
        #expect(track.segments[0].points.map(\.ellipsoidalAltitude) == [564.5, nil])
    }

    @Test("accepts prefixes, a byte-order mark, version 1.0, no namespace and other encodings")
    func spellings() throws {
        let one = [[try expected()]]
        let prefixed =
            "<g:gpx xmlns:g=\"http://www.topografix.com/GPX/1/1\"><g:trk><g:trkseg>\(point)</g:trkseg></g:trk></g:gpx>"
            .replacing("<trkpt", with: "<g:trkpt").replacing("</trkpt", with: "</g:trkpt")
            .replacing("<ele", with: "<g:ele").replacing("</ele", with: "</g:ele")
            .replacing("<time", with: "<g:time").replacing("</time", with: "</g:time")
        #expect(try read(prefixed).locations == one)
        #expect(try read("\u{feff}" + gpx(points: point)).locations == one)
        #expect(try read(gpx("<trk><trkseg>\(point)</trkseg></trk>", namespace: nil)).locations == one)
        let old = try read(
            gpx(
                "<trk><trkseg><trkpt lat='48.5' lon='11.25'><course>360</course><speed>1.5</speed></trkpt></trkseg></trk>",
                namespace: "http://www.topografix.com/GPX/1/0"))
        let location = try #require(old.segments.first?.points.first).location(at: time(0))
        #expect(location.speed == 1.5)
        #expect(location.course == 0)
        let latin =
            Array("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>".utf8)
            + gpx("<trk><name>Caf\u{e9}</name></trk>").unicodeScalars.map { UInt8($0.value) }
        #expect(try Track(bytes: latin, file: "x").name == "Café")
    }

    @Test("ignores unknown namespaces anywhere, whatever their element names")
    func foreignElements() throws {
        let track = try read(
            gpx(
                """
                <o:trk xmlns:o="urn:other"><o:trkseg><o:trkpt lat="1" lon="1"/></o:trkseg></o:trk>
                <trk><extensions><trkseg xmlns="urn:other"><trkpt lat="x"/></trkseg></extensions><trkseg>
                <trkpt lat="48.5" lon="11.25"><ele>519.5</ele><time>2023-11-14T22:13:20Z</time><extensions>
                <ele xmlns="urn:other">high</ele><ele>1</ele><o:speed xmlns:o="urn:other">fast</o:speed>
                <time xmlns="https://locationd.org/gpx/1">never</time></extensions></trkpt></trkseg></trk>
                """))
        #expect(track.locations == [[try expected()]])
    }

    @Test(
        "reads times at any offset with any number of decimals",
        arguments: [
            ("2023-11-14T22:13:20Z", 0), ("2023-11-14T23:13:20+01:00", 0), ("2023-11-14T16:43:20.25-05:30", 0.25),
            ("2023-11-14T22:13:20", 0), ("2023-11-15T00:13:20+0200", 0), ("2023-11-14T20:13:20-02", 0),
            ("2023-11-14 22:13:20", 0), ("2023/11/14 22:13:20Z", 0), ("2023-11-14T22:13:20,5Z", 0.5),
            (" 2023-11-14T22:13:20.123456Z\n", 0.123456), ("2023-11-15T12:13:20+14:00", 0),
        ])
    func times(text: String, seconds: Double) throws {
        let track = try read(gpx(points: "<trkpt lat='1' lon='2'><time>\(text)</time></trkpt>"))
        #expect(track.segments[0].points[0].time == time(seconds))
    }

    @Test(
        "an error names its line",
        arguments: [
            ("", 1, "empty"),
            ("\u{1}\u{2}\u{ff}\u{0}", 1, "not well-formed"),
            (gpx("<trk>\n<trkseg>") + "", 4, "mismatched tag"),
            (String(gpx("<trk>\n<trkseg>").dropLast(8)), 3, "cut short"),
            (gpx(points: "<trkpt lat=\"1\" lon=\"2\"").dropLast(30).description, 3, "cut short"),
            (gpx("", namespace: "urn:other"), 1, "a GPX file begins with <gpx"),
            ("<osm/>", 1, "a GPX file begins with <gpx"),
            (
                "<?xml version=\"1.0\"?>\n<!DOCTYPE lolz [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;\">]>\n<gpx>&b;</gpx>",
                2, "DOCTYPE"
            ),
            ("\n<!DOCTYPE gpx SYSTEM \"http://example.org/gpx.dtd\"><gpx/>", 2, "DOCTYPE"),
            (gpx("&lol;"), 2, "undefined entity"),
            (gpx(points: "<trkpt lat=\"90.001\" lon=\"2\"/>"), 3, "−90 to 90"),
            (gpx(points: "<trkpt lat=\"1\" lon=\"-181\"/>"), 3, "−180 to 180"),
            (gpx(points: "<trkpt lat=\"1\"/>"), 3, "missing or no number"),
            (gpx(points: "<trkpt lat=\"NaN\" lon=\"2\"/>"), 3, "missing or no number"),
            (gpx(points: "<trkpt lat=\"0x1p3\" lon=\"2\"/>"), 3, "missing or no number"),
            (gpx(points: "<trkpt lat=\"inf\" lon=\"2\"/>"), 3, "missing or no number"),
            (gpx(points: "<trkpt lat=\"1e999\" lon=\"2\"/>"), 3, "missing or no number"),
            (gpx(points: "<trkpt lat=\"1,5,1\" lon=\"2\"/>"), 3, "missing or no number"),
            (gpx(String(repeating: "<a>", count: 100)), 2, "within one another"),
        ] as [(String, Int, String)])
    func refused(text: String, line: Int, words: String) {
        let error = #expect(throws: TrackError.self) { try read(text) }
        #expect(error?.line == line)
        #expect(error?.description.hasPrefix("track.gpx:\(line): ") == true)
        #expect(error?.reason.contains(words) == true, "\(error?.reason ?? "")")
    }

    @Test(
        "an unknown or invalid value is left out alone, and its line is named",
        arguments: [
            ("\n<ele>nan</ele>", 4, "the altitude of this point"),
            ("<ele></ele>", 3, "the altitude of this point"), ("<ele/>", 3, "the altitude of this point"),
            ("<ele>\n</ele>", 4, "the altitude of this point"),
            ("\n\n<ele>1e9</ele>", 5, "the altitude of this point"),
            ("<geoidheight>?</geoidheight>", 3, "geoid"),
            ("<speed>-1</speed>", 3, "the speed of this point"), ("<speed>-1.0</speed>", 3, "the speed of this point"),
            ("<course>361</course>", 3, "the course of this point"),
            ("<course>-1</course>", 3, "the course of this point"),
            ("<time/>", 3, "the time of this point"), ("<time> </time>", 3, "the time of this point"),
            ("<time>yesterday</time>", 3, "the time of this point"),
            ("<time>2023-02-30T00:00:00Z</time>", 3, "the time of this point"),
            ("<time>0001-01-01T00:00:00Z</time>", 3, "the time of this point"),
            ("<time>1901-12-13T20:45:52.2Z</time>", 3, "before 1980"),
            ("<time>1970-01-01T00:00:00Z</time>", 3, "before 1980"),
            ("<time>2023-11-14T22:13:20+15:00</time>", 3, "the time of this point"),
            ("<time>2023-11-14</time>", 3, "the time of this point"),
            ("<ele>\(String(repeating: "1", count: 5000))</ele>", 3, "the altitude of this point"),
        ] as [(String, Int, String)])
    func leftOut(inside: String, line: Int, words: String) throws {
        let track = try read(
            gpx(points: "<trkpt lat=\"1\" lon=\"2\">\(inside)</trkpt>\n<trkpt lat=\"1\" lon=\"3\"><ele>7</ele></trkpt>")
        )
        #expect(track.pointCount == 2)
        let points = Array(track.points)
        #expect(points[0].altitude == nil && points[0].speed == nil && points[0].time == nil)
        #expect(points[1].altitude == 7)
        #expect((track.omissions.count, track.omissions.line) == (1, line))
        #expect(track.omissions.reason.contains(words), "\(track.omissions.reason)")
    }

    @Test(
        "a point or a waypoint without a position is left out alone",
        arguments: [
            "<wpt lat=\"\" lon=\"\"><name>Hidden</name></wpt>", "<wpt><name>Hidden</name></wpt>",
            "<trk><trkseg><trkpt lat=\"91\" lon=\"0\"><ele>1</ele></trkpt></trkseg></trk>",
        ])
    func pointWithoutPosition(element: String) throws {
        let track = try read(gpx("\(element)<trk><trkseg>\(point)\(point)</trkseg></trk>"))
        #expect(track.segments.map(\.points.count) == [2])
        #expect(track.waypoints.isEmpty)
        #expect((track.omissions.count, track.omissions.line) == (1, 2))
    }

    @Test("a route is read where there is no track, with Garmin's points between its own")
    func route() throws {
        let route = """
            <rte><name>To the lake</name>
            <rtept lat="47.1" lon="8.1"><name>A</name><extensions>
            <gpxx:RoutePointExtension xmlns:gpxx="http://www.garmin.com/xmlschemas/GpxExtensions/v3">
            <gpxx:rpt lat="47.11" lon="8.11"/><gpxx:rpt lat="47.12" lon="8.12"><gpxx:Subclass>0</gpxx:Subclass></gpxx:rpt>
            </gpxx:RoutePointExtension></extensions></rtept>
            <rtept lat="47.2" lon="8.2"><ele>400</ele></rtept></rte><rte><rtept lat="1" lon="2"/></rte>
            """
        for text in [
            route, route.replacing(" xmlns:gpxx=\"http://www.garmin.com/xmlschemas/GpxExtensions/v3\"", with: ""),
        ] {
            let track = try read(gpx(text))
            #expect(track.name == "To the lake")
            #expect(
                track.segments.map { $0.points.map(\.coordinate.latitude) } == [[47.1, 47.11, 47.12, 47.2], [1]])
            #expect(track.segments[0].points[3].altitude == 400)
            #expect(track.omissions.count == 0)
        }
    }

    @Test("prefixes without a declaration, text around the document and decimal commas are accepted")
    func junk() throws {
        let one = [[try expected()]]
        let body = gpx("<trk><extensions><osmand:color>#f00</osmand:color></extensions><trkseg>\(point)</trkseg></trk>")
        let declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
        for text in [
            body, "\n\(declaration)\n\(body)", "\r\n \(declaration)\(body)", "\n\u{feff}\(declaration)\(body)",
            "\(declaration)\(body)\0\0\0\0", body.replacing("48.5", with: "48,5"),
        ] {
            #expect(try read(text).locations == one)
        }
        #expect(throws: TrackError(file: "track.gpx", line: 5, reason: "this is not well-formed XML: mismatched tag")) {
            try read("\n\n" + gpx("<trk>"))
        }
        let speed =
            "<extensions><gpxtpx:TrackPointExtension><gpxtpx:speed>2.5</gpxtpx:speed></gpxtpx:TrackPointExtension></extensions>"
        let garmin = try read(gpx(points: "<trkpt lat='1' lon='2'>\(speed)</trkpt>"))
        #expect(garmin.segments[0].points[0].speed == 2.5)
    }

    @Test(
        "names are read in the declared encoding, or in the likely one",
        arguments: [
            ("windows-1252", [0x80, 0xdc]), ("ISO-8859-15", [0xa4, 0xdc]), ("UTF-8", [0x80, 0xdc]),
            ("UTF-16", [0xe2, 0x82, 0xac, 0xc3, 0x9c]),
        ] as [(String, [UInt8])])
    func encodings(name: String, bytes: [UInt8]) throws {
        let parts = gpx("<trk><name>#</name><trkseg>\(point)</trkseg></trk>").split(separator: "#")
        let text = Array("<?xml version=\"1.0\" encoding=\"\(name)\"?>\(parts[0])".utf8) + bytes + parts[1].utf8
        #expect(try Track(bytes: text, file: "x.gpx").name == "€Ü")
    }

    @Test("a byte-order mark counts, and not the encoding that is declared")
    func markedEncoding() throws {
        let text =
            "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>"
            + gpx("<trk><name>Zürich</name><trkseg>\(point)</trkseg></trk>")
        #expect(try Track(bytes: [0xef, 0xbb, 0xbf] + Array(text.utf8), file: "x.gpx").name == "Zürich")
    }

    @Test("an unknown multi-byte encoding is refused")
    func unknownEncoding() {
        let error = #expect(throws: TrackError.self) {
            try read("<?xml version=\"1.0\" encoding=\"Shift_JIS\"?>" + gpx(""))
        }
        #expect(error?.reason.contains("unknown encoding") == true, "\(error?.reason ?? "")")
    }

    @Test("times that are all the same count as absent")
    func equalTimes() throws {
        let time = "<time>2019-05-04T00:00:00Z</time>"
        let points = (0..<4).map { "<trkpt lat=\"\(10 + $0)\" lon=\"2\">\(time)</trkpt>" }
        let track = try read(gpx(points: points.joined(separator: "\n")))
        #expect(track.points.allSatisfy { $0.time == nil })
        #expect((track.omissions.count, track.omissions.line) == (4, 3))
        #expect(abs(TrackSummary(of: track).length - 332_000) < 1000)
        #expect(try read(gpx(points: points[0])).points.first { _ in true }?.time != nil)
    }

    @Test("only the end of a long description is lost, not the file", arguments: ["name", "desc"])
    func longText(element: String) throws {
        let text = String(repeating: "é", count: 3000)
        let track = try read(gpx("<wpt lat=\"1\" lon=\"2\"><\(element)>x\(text)</\(element)></wpt>"))
        let waypoint = try #require(track.waypoints.first)
        let kept = try #require(element == "name" ? waypoint.name : waypoint.details)
        #expect(kept == "x" + String(repeating: "é", count: 2047))
    }

    @Test("the number of points is limited")
    func tooManyPoints() throws {
        var draft = TrackDraft()
        let point = Track.Point(Coordinate(latitude: 0, longitude: 0), line: 1)
        for _ in 0..<TrackDraft.maximumPoints { try draft.add(point) }
        #expect(throws: TrackRefusal.self) { try draft.add(point) }
    }

    @Test("messages never contain a position")
    func discretion() {
        for text in [
            gpx(points: "<trkpt lat=\"98.765\" lon=\"12.345\"/>"),
            gpx(points: "<trkpt lat=\"12.345\" lon=\"98.765x\"/>"),
        ] {
            let error = #expect(throws: TrackError.self) { try read(text) }
            #expect(error.map { !$0.description.contains("765") && !$0.description.contains("345") } == true)
        }
    }
}
