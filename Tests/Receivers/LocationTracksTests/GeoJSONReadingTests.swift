import LocationModel
import LocationTracks
import Testing

@Suite("Reading GeoJSON", .timeLimit(.minutes(5)))
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

    @Test("reads lines with their times, null times and geometries, and ignores other geometries")
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
    }

    @Test(
        "an error names its line",
        arguments: [
            ("", 1, "empty"), ("\u{1}\u{2}", 1, "not JSON"), ("[]", 1, "not JSON"), ("{\n\"type\":", 2, "cut short"),
            ("{\"type\":\"Feat", 1, "cut short"), ("{\"type\":\"Feature\",\n\"a\":\"\\ud800\"}", 2, "not JSON"),
            ("{\"type\":\"Feature\",\n\"a\":+1}", 2, "not JSON"),
            ("{\"type\":\"Feature\",\n\"a\":NaN}", 2, "not JSON"),
            ("{\"a\":\(String(repeating: "[", count: 600))", 1, "within one another"),
            ("{}", 1, "no GeoJSON feature"), (#"{"type":"Topology","features":[]}"#, 1, "no GeoJSON feature"),
            ("\n{\"type\":\"FeatureCollection\",\"features\":[\n{\"type\":\"Point\"}]}", 3, "no GeoJSON feature"),
            (point("[11.25]"), 2, "missing or no number"), (point("[11.25,98.765]"), 2, "−90 to 90"),
            (point("[\"a\",48.5]"), 2, "missing or no number"), (point("[11,48,1e99]"), 2, "above the ellipsoid"),
            (point("[11,48]", #"{"speed":"fast"}"#), 2, "the speed of this point"),
            (point("[11,48]", #"{"timestamp":"2023"}"#), 2, "the time of this point"),
            (point("[11,48]", #"{"timestamp":5}"#), 2, "the time of this point"),
            (
                #"{"type":"Feature","geometry":{"type":"LineString","coordinates":[[1,2]]},"properties":{"coordTimes":[]}}"#,
                1, "coordTimes"
            ),
        ] as [(String, Int, String)])
    func refused(text: String, line: Int, words: String) {
        let error = #expect(throws: TrackError.self) { try read(text, .geoJSON) }
        #expect(error?.line == line)
        #expect(error?.reason.contains(words) == true, "\(error?.reason ?? "")")
        #expect(error?.description.contains("765") == false)
    }

    private static func point(_ coordinates: String, _ properties: String = "{}") -> String {
        "\n"
            + #"{"type":"Feature","geometry":{"type":"Point","coordinates":\#(coordinates)},"properties":\#(properties)}"#
    }
}
