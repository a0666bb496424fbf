import FoundationEssentials
import LocationModel
import Testing

@testable import LocationMap

@Suite("GeoJSON", .timeLimit(.minutes(10)))
@MainActor
struct GeoJSONTests {
    private func decode(_ text: String) throws -> [any GeoJSONObject] { try GeoJSONDecoder().decode(Data(text.utf8)) }

    private func features(_ text: String) throws -> [GeoJSONFeature] {
        try decode(text).map { try #require($0 as? GeoJSONFeature) }
    }

    private func feature(_ geometry: String) -> String {
        #"{"type":"Feature","geometry":\#(geometry),"properties":null}"#
    }

    @Test("the collection of RFC 7946, 1.5, is read with its properties")
    func collection() throws {
        let features = try features(
            """
            {"type": "FeatureCollection", "features": [
              {"type": "Feature", "geometry": {"type": "Point", "coordinates": [102.0, 0.5]},
               "properties": {"prop0": "value0"}},
              {"type": "Feature",
               "geometry": {"type": "LineString", "coordinates": [[102.0, 0.0], [103.0, 1.0], [104.0, 0.0], [105.0, 1.0]]},
               "properties": {"prop0": "value0", "prop1": 0.0}, "id": "line"},
              {"type": "Feature", "id": 7, "bbox": [100, 0, 101, 1],
               "geometry": {"type": "Polygon",
                 "coordinates": [[[100.0, 0.0], [101.0, 0.0], [101.0, 1.0], [100.0, 1.0], [100.0, 0.0]]]},
               "properties": {"prop0": "value0", "prop1": {"this": "that"}}}
            ]}
            """)
        #expect(features.map(\.identifier) == [nil, "line", "7"])
        let properties = try features.map { try #require($0.properties) }
        #expect(String(decoding: properties[2], as: UTF8.self) == #"{"prop0": "value0", "prop1": {"this": "that"}}"#)
        #expect(try JSONDecoder().decode([String: String].self, from: properties[0]) == ["prop0": "value0"])
        #expect((features[0].geometry.first as? PointAnnotation)?.coordinate == .at(0.5, 102))
        #expect((features[1].geometry.first as? Polyline)?.pointCount == 4)
        let area = try #require(features[2].geometry.first as? Polygon)
        #expect(area.coordinates == [.at(0, 100), .at(0, 101), .at(1, 101), .at(1, 100)])
    }

    @Test("each geometry of RFC 7946, appendix A, becomes its annotations and overlays")
    func geometries() throws {
        #expect(
            (try decode(#"{"type":"Point","coordinates":[100.0,0.0]}"#).first as? PointAnnotation)?.coordinate
                == .at(0, 100))
        let points = try decode(#"{"coordinates":[[100,0],[101,1]],"type":"MultiPoint"}"#)
        #expect(points.compactMap { ($0 as? PointAnnotation)?.coordinate } == [.at(0, 100), .at(1, 101)])
        let lines = try decode(
            #"{"type":"MultiLineString","coordinates":[[[100,0],[101,1]],[[102,2],[103,3]]]}"#)
        #expect((lines.first as? MultiPolyline)?.polylines.map(\.pointCount) == [2, 2])
        let holed = try decode(
            """
            {"type": "Polygon", "coordinates": [
              [[100.0, 0.0], [101.0, 0.0], [101.0, 1.0], [100.0, 1.0], [100.0, 0.0]],
              [[100.8, 0.8], [100.8, 0.2], [100.2, 0.2], [100.2, 0.8], [100.8, 0.8]]]}
            """)
        let area = try #require(holed.first as? Polygon)
        #expect(area.interiorPolygons.map(\.coordinates.first) == [.at(0.8, 100.8)])
        let areas = try decode(
            """
            {"type": "MultiPolygon", "coordinates": [
              [[[102.0, 2.0], [103.0, 2.0], [103.0, 3.0], [102.0, 3.0], [102.0, 2.0]]],
              [[[100.0, 0.0], [101.0, 0.0], [101.0, 1.0], [100.0, 1.0], [100.0, 0.0]],
               [[100.2, 0.2], [100.2, 0.8], [100.8, 0.8], [100.8, 0.2], [100.2, 0.2]]]]}
            """)
        #expect((areas.first as? MultiPolygon)?.polygons.map(\.interiorPolygons.count) == [0, 1])
        let collection = try decode(
            """
            {"type": "GeometryCollection", "geometries": [
              {"type": "Point", "coordinates": [100.0, 0.0]},
              {"type": "GeometryCollection", "geometries": [
                {"type": "LineString", "coordinates": [[101.0, 0.0], [102.0, 1.0]]}]}]}
            """)
        #expect(collection.count == 2 && collection[0] is PointAnnotation && collection[1] is Polyline)
    }

    @Test("heights, null and empty geometries, a byte order mark and WGS 84 by name are accepted")
    func liberties() throws {
        #expect(
            try
                (features("\u{feff}" + feature(#"{"type":"Point","coordinates":[1,2,3.5,4]}"#)).first?.geometry.first
                as? PointAnnotation)?.coordinate == .at(2, 1))
        for geometry in [
            "null", #"{"type":"Point","coordinates":[]}"#, #"{"type":"LineString","coordinates":[ ]}"#,
            #"{"type":"Polygon","coordinates":[]}"#, #"{"type":"MultiPolygon","coordinates":[[]]}"#,
            #"{"type":"GeometryCollection","geometries":[]}"#,
        ] {
            let feature = try features(feature(geometry)).first
            #expect(feature?.geometry.isEmpty == true && feature?.properties == nil, "\(geometry)")
        }
        let named = #""crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:OGC:1.3:CRS84"}}"#
        #expect(try decode(#"{"type":"FeatureCollection",\#(named),"features":[]}"#).isEmpty)
    }

    @Test("a line and an area across the 180th meridian stay in one piece, cut or not")
    func antimeridian() throws {
        let line = try decode(#"{"type":"LineString","coordinates":[[170,-17],[-170,-17]]}"#).first as? Polyline
        #expect(try abs(#require(line).boundingMapRect.width / MapSize.world.width * 360 - 20) < 1e-6)
        let fiji = try decode(
            #"{"type":"Polygon","coordinates":[[[177,-20],[-178,-20],[-178,-15],[177,-15],[177,-20]]]}"#)
        #expect(try abs(#require(fiji.first as? Polygon).boundingMapRect.width / MapSize.world.width * 360 - 5) < 1e-6)
        let cut = try decode(
            """
            {"type": "MultiPolygon", "coordinates": [
              [[[180.0, 40.0], [180.0, 50.0], [170.0, 50.0], [170.0, 40.0], [180.0, 40.0]]],
              [[[-170.0, 40.0], [-170.0, 50.0], [-180.0, 50.0], [-180.0, 40.0], [-170.0, 40.0]]]]}
            """)
        #expect((cut.first as? MultiPolygon)?.polygons.count == 2)
    }

    @Test(
        "an error names its line, its path and the reason, and no position",
        arguments: [
            ("", 1, "", "cut short"), ("[]", 1, "", "not an object"), ("{}", 1, "", "no type"),
            ("\u{1}", 1, "", "not JSON"),
            ("{\"type\":\n\"Feat", 2, "", "cut short"), ("{\"type\":\"Point\"} x", 1, "", "more text"),
            ("{\"type\":\n\"Feature\",\n\"type\":\"Feature\"}", 3, "", "the member type appears twice"),
            (#"{"type":"Feature"}"#, 1, "", "a feature has a geometry"), (#"{"type":7}"#, 1, "", "no type"),
            (#"{"type":"Topology"}"#, 1, "", "the type is none of"),
            (#"{"type":"Point"}"#, 1, "", "coordinates is missing"),
            (#"{"type":"FeatureCollection"}"#, 1, "", "features is missing"),
            (#"{"type":"FeatureCollection","features":{}}"#, 1, "features", "not an array"),
            (
                "{\"type\":\"FeatureCollection\",\"features\":[\n{\"type\":\"Point\",\"coordinates\":[1,2]}]}", 2,
                "features[0]", "is Feature"
            ),
            (
                "{\"type\":\"FeatureCollection\",\"features\":[\n"
                    + "{\"type\":\"Feature\",\"geometry\":null},\n{\"type\":\"Feature\",\"geometry\":\n"
                    + "{\"type\":\"MultiPoint\",\"coordinates\":[[1,2],\n[1,98.765]]}}]}", 5,
                "features[1].geometry.coordinates[1]", "−90 to 90"
            ),
            (#"{"type":"Point","coordinates":[198.765,2]}"#, 1, "coordinates", "−180 to 180"),
            (#"{"type":"Point","coordinates":[1]}"#, 1, "coordinates", "a longitude and a latitude"),
            (#"{"type":"Point","coordinates":[1,"2"]}"#, 1, "coordinates", "not a number"),
            (#"{"type":"Point","coordinates":[1e999,2]}"#, 1, "coordinates", "too large"),
            (#"{"type":"Point","coordinates":"1,2"}"#, 1, "coordinates", "not an array"),
            (#"{"type":"Point","coordinates":[[1,2]]}"#, 1, "coordinates", "not a number"),
            (#"{"type":"LineString","coordinates":[[1,2]]}"#, 1, "coordinates", "at least two positions"),
            (#"{"type":"Polygon","coordinates":[[[0,0],[1,1],[0,0]]]}"#, 1, "coordinates[0]", "at least four"),
            (#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,1]]]}"#, 1, "coordinates[0]", "where it begins"),
            (#"{"type":"Feature","geometry":null,"properties":7}"#, 1, "properties", "an object or null"),
            (#"{"type":"Feature","geometry":null,"id":{}}"#, 1, "id", "text or a number"),
            (#"{"type":"Feature","geometry":{"type":"Feature","geometry":null}}"#, 1, "geometry", "no place here"),
            (#"{"type":"Point","coordinates":[1,2],"crs":{"properties":{"name":"EPSG:3857"}}}"#, 1, "crs", "WGS 84"),
        ] as [(String, Int, String, String)])
    func refused(text: String, line: Int, path: String, words: String) {
        let error = #expect(throws: GeoJSONError.self) { try decode(text) }
        #expect(error?.line == line)
        #expect(error?.path == path)
        #expect(error?.reason.contains(words) == true, "\(error?.reason ?? "")")
        #expect(error?.description.contains("765") == false && error?.description.hasSuffix(".") == true)
    }

    @Test("a document that is too large or too deep is refused")
    func hostile() throws {
        let large = Data(repeating: UInt8(ascii: " "), count: GeoJSONDecoder.maximumSize + 1)
        #expect(throws: GeoJSONError.self) { try GeoJSONDecoder().decode(large) }
        let deep = #"{"type":"Point","coordinates":"# + String(repeating: "[", count: 100_000)
        #expect(throws: GeoJSONError.self) { try decode(deep) }
        func nested(_ depth: Int) -> String {
            let start = String(repeating: #"{"type":"GeometryCollection","geometries":["#, count: depth)
            return start + String(repeating: "]}", count: depth)
        }
        #expect(try decode(nested(8)).isEmpty)
        let error = #expect(throws: GeoJSONError.self) { try decode(nested(9)) }
        #expect(error?.reason.contains("within one another") == true)
        #expect(error?.path == Array(repeating: "geometries[0]", count: 8).joined(separator: "."))
    }

    @Test("documents with a changed byte are read or refused, and nothing else")
    func mutated() {
        let document = Array(
            feature(#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}"#).utf8)
        for position in document.indices {
            for byte in [0, 0x22, 0x2d, 0x5b, 0x5d, 0x7b, 0x7d, 0x65, 0xff] as [UInt8] {
                var changed = document
                changed[position] = byte
                do { _ = try GeoJSONDecoder().decode(Data(changed)) } catch { #expect(error.line == 1) }
            }
            #expect(throws: GeoJSONError.self) { try GeoJSONDecoder().decode(Data(document[..<position])) }
        }
    }
}
