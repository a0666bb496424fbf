import LocationModel
import LocationTracks
import Testing

@Suite("Reading GeoJSON", .timeLimit(.minutes(10)))
struct GeoJSONReadingTests {
    private let feature =
        #"{"type":"Feature","geometry":{"type":"Point","coordinates":[11.25,48.5,564.5]},"properties":"#
        + #"{"altitude":519.5,"latitude":48.5,"longitude":11.25,"speed":1.5,"timestamp":"2023-11-14T22:13:20.000Z"}}"#

    private func expected() throws -> Location {
        var location = try location(0, 48.5, 11.25)
        location.altitude = 519.5
        location.ellipsoidalAltitude = 564.5
        location.speed = 1.5
        return location
    }

    @Test("reads a feature, one feature a line, and a collection whose type comes last")
    func forms() throws {
        #expect(try read(feature, .geoJSON).locations == [[try expected()]])
        let lines = try read("\u{feff}\(feature)\n\(feature)\r\n", .geoJSON)
        #expect(lines.locations == [[try expected(), try expected()]])
        #expect(lines.segments[0].points.map(\.line) == [1, 2])
        let collection = #"{"bbox":[1,2,3,4],"features":[\#(feature),\#n\#(feature)],"type":"FeatureCollection"}"#
        #expect(try read(collection, .geoJSON).pointCount == 2)
        #expect(try read(#"{"type":"FeatureCollection","features":[]}"#, .geoJSON).segments.isEmpty)
    }

    @Test("reads lines with their times, null times and geometries, and leaves out areas")
    func lines() throws {
        let track = try read(
            """
            {"type":"FeatureCollection","features":[
            {"type":"Feature","geometry":null,"properties":null},
            {"type":"Feature","geometry":{"type":"Polygon","coordinates":[[[0,0],[1,1],[0,1],[0,0]]]},"properties":{}},
            {"type":"Feature","geometry":{"type":"LineString","coordinates":[[11,48],
            [12,48]]},"properties":{"name":"W\\u00e4lk \\ud83d\\ude00","coordTimes":["2023-11-14T22:13:20Z",null]}}]}
            """, .geoJSON)
        #expect(track.name == "Wälk 😀")
        #expect(track.segments.map(\.points.count) == [2])
        #expect(track.segments[0].points.map(\.time) == [time(0), nil])
        #expect(track.segments[0].points.map(\.line) == [4, 5])
        #expect(track.omissions.phrase == "1 value or point (in line 3: an area is no track)")
    }

    @Test(
        "an error names its line",
        arguments: [
            ("", 1, "empty"), ("\u{1}\u{2}", 1, "not JSON"), ("{\n\"type\":", 2, "cut short"),
            ("{\"type\":\"Feat", 1, "cut short"), ("{\"type\":\"Feature\",\n\"a\":\"\\ud800\"}", 2, "not JSON"),
            ("{\"type\":\"Feature\",\n\"a\":+1}", 2, "not JSON"),
            ("{\"a\":\(String(repeating: "[", count: 600))", 1, "within one another"),
            ("{}", 1, "no GeoJSON feature"), (#"{"type":"Topology","features":[]}"#, 1, "no GeoJSON feature"),
            ("\n{\"type\":\"FeatureCollection\",\"features\":[\n{\"type\":\"Point\"}]}", 3, "missing or no number"),
            (#"{"type":"Polygon","coordinates":[[[0,0],[1,1],[0,1],[0,0]]]}"#, 1, "an area is no track"),
            (point("[11.25]"), 2, "missing or no number"), (point("[11.25,98.765]"), 2, "−90 to 90"),
            (point("[\"a\",48.5]"), 2, "missing or no number"),
        ] as [(String, Int, String)])
    func refused(text: String, line: Int, words: String) {
        let error = #expect(throws: TrackError.self) { try read(text, .geoJSON) }
        #expect(error?.line == line)
        #expect(error?.reason.contains(words) == true, "\(error?.reason ?? "")")
        #expect(error?.description.contains("765") == false)
    }

    @Test(
        "an unknown or invalid value is left out alone, and its line is named",
        arguments: [
            (point("[11,48,1e99]"), "above the ellipsoid"), (point("[11,48,\"\"]"), "above the ellipsoid"),
            (point("[11,48]", #"{"speed":"fast"}"#), "the speed of this point"),
            (point("[11,48]", #"{"speed":-1}"#), "the speed of this point"),
            (point("[11,48]", #"{"timestamp":"2023"}"#), "the time of this point"),
            (point("[11,48]", #"{"timestamp":5}"#), "the time of this point"),
            (
                "\n"
                    + #"{"type":"Feature","geometry":{"type":"LineString","coordinates":[[1,2]]},"properties":{"coordTimes":[]}}"#,
                "1 positions but 0 times"
            ),
        ] as [(String, String)])
    func leftOut(text: String, words: String) throws {
        let track = try read(text, .geoJSON)
        #expect(track.pointCount == 1)
        #expect(track.omissions.line == 2 || words.contains("times"))
        #expect(track.omissions.reason.contains(words), "\(track.omissions.reason)")
        let point = try #require(track.points.first { _ in true })
        #expect(point.speed == nil && point.time == nil && point.ellipsoidalAltitude == nil)
    }

    @Test("geometries and times are read as programs write them", arguments: GeoJSONFile.files)
    private func programs(file: GeoJSONFile) throws {
        let track = try read(file.text, .geoJSON)
        #expect(track.segments.map(\.points.count) == file.points)
        #expect(track.points.map(\.time) == file.times.map { $0.map(time) })
        if file.testDescription.contains("Overland") {
            #expect(track.locations[0].map(\.horizontalAccuracy) == [12, 12])
            #expect(track.omissions.count == 2)
        }
        // A height that is null or no number is unknown.
        if file.testDescription == "a bare line" { #expect(track.omissions.count == 0) }
    }

    @Test("a line and a place keep their names, descriptions and colours, and points without times are not a line")
    func texts() throws {
        let track = try read(
            #"{"type":"FeatureCollection","features":["# + Self.point("[5,60]")
                + ##",{"type":"Feature","properties":{"title":"Fence","description":"High","stroke":"#123456"},"##
                + #""geometry":{"type":"LineString","coordinates":[[5,60],[5,61]]}},"#
                + Self.point("[5,62]", ##"{"name":"Gate","desc":"Shut","marker-color":"#654321"}"##) + ","
                + Self.point("[5,63]") + "," + Self.point("[5,64]") + "]}", .geoJSON)
        #expect(track.segments.map(\.isLine) == [false, true, false])
        #expect(track.segments.map(\.points.count) == [1, 2, 2])
        let fence = track.segments[1]
        #expect(fence.name == "Fence" && fence.details == "High" && fence.color == "#123456")
        let gate = try #require(track.waypoints.first)
        #expect(gate.name == "Gate" && gate.details == "Shut" && gate.color == "#654321")
    }

    private static func point(_ coordinates: String, _ properties: String = "{}") -> String {
        "\n"
            + #"{"type":"Feature","geometry":{"type":"Point","coordinates":\#(coordinates)},"properties":\#(properties)}"#
    }
}

/// A file, the numbers of points in its segments, and the seconds of its times since the first one.
private struct GeoJSONFile: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var text: String
    var points: [Int]
    var times: [Double?]

    static let files = [
        GeoJSONFile(
            testDescription: "a bare line",
            text: #"{"type":"LineString","coordinates":[[5,60],[5,61,null],[5,62,NaN]]}"#,
            points: [3], times: [nil, nil, nil]),
        GeoJSONFile(
            testDescription: "a list of features with numbers as text",
            text:
                #"[{"type":"Feature","properties":{},"geometry":{"type":"LineString","coordinates":[["5","60"],["5","61"]]}}]"#,
            points: [2], times: [nil, nil]),
        GeoJSONFile(
            testDescription: "a sequence of features (RFC 8142)",
            text: "\u{1e}" + #"{"type":"Point","coordinates":[5,60]}"# + "\n\u{1e}"
                + #"{"type":"Point","coordinates":[5,61]}"#, points: [2], times: [nil, nil]),
        GeoJSONFile(
            testDescription: "Google's location history",
            text:
                #"{"locations":[{"latitudeE7":600000000,"longitudeE7":50000000,"timestampMs":"1700000000000","accuracy":9},"#
                + #"{"latitudeE7":600100000,"longitudeE7":50000000,"timestamp":"2023-11-14T22:13:30Z","velocity":null}]}"#,
            points: [2], times: [0, 10]),
        GeoJSONFile(
            testDescription: "points at once", text: #"{"type":"MultiPoint","coordinates":[[5,60],[5,61]]}"#,
            points: [2],
            times: [nil, nil]),
        GeoJSONFile(
            testDescription: "a collection of geometries",
            text: #"{"type":"GeometryCollection","geometries":[{"type":"LineString","coordinates":[[5,60],[5,61]]},"#
                + #"{"type":"Point","coordinates":[5,62]}]}"#, points: [2, 1], times: [nil, nil, nil]),
        GeoJSONFile(
            testDescription: "lines cut at 180°, with a list of times each",
            text: lines(
                #""coordTimes":[["2023-11-14T22:13:20Z","2023-11-14T22:13:30Z"],["2023-11-14T22:13:40Z",null]]"#),
            points: [2, 2], times: [0, 10, 20, nil]),
        GeoJSONFile(
            testDescription: "lines with one list of times",
            text: lines(#""coordTimes":["2023-11-14T22:13:20Z","2023-11-14T22:13:30Z","2023-11-14T22:13:40Z",null]"#),
            points: [2, 2], times: [0, 10, 20, nil]),
        GeoJSONFile(
            testDescription: "times as properties of coordinates",
            text: lines(#""coordinateProperties":{"times":[[1700000000,1700000010],[1700000020000,"1700000030"]]}"#),
            points: [2, 2], times: [0, 10, 20, 30]),
        GeoJSONFile(
            testDescription: "seconds as a fourth coordinate",
            text: #"{"type":"LineString","coordinates":[[5,60,0,1700000000],[5,61,0,1700000010.5],[5,62,0,3]]}"#,
            points: [3], times: [0, 10.5, nil]),
        GeoJSONFile(
            testDescription: "a message of Overland",
            text: #"{"locations":[\#(overland(1_700_000_000)),\#(overland(1_700_000_005))],"trip":{}}"#, points: [2],
            times: [0, 5]),
        GeoJSONFile(
            testDescription: "null bytes at the end", text: overland(1_700_000_000) + "\0\0\0", points: [1], times: [0]),
    ]

    private static func lines(_ properties: String) -> String {
        #"{"type":"Feature","geometry":{"type":"MultiLineString","coordinates":[[[179,60],[180,60]],[[-180,60],[-179,60]]]},"#
            + #""properties":{\#(properties)}}"#
    }

    private static func overland(_ time: Int) -> String {
        #"{"type":"Feature","geometry":{"type":"Point","coordinates":[5,60]},"#
            + #""properties":{"timestamp":\#(time),"speed":-1,"horizontal_accuracy":12,"motion":["walking"]}}"#
    }
}
