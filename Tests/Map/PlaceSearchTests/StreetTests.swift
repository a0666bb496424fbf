import LocationModel
import PlaceFixtures
import TestSupport
import Testing

@testable import PlaceSearch

@Suite("Crossings, long streets and codes of airports", .timeLimit(.minutes(10)))
struct StreetTests {
    private static let here = Coordinate(latitude: 39.284, longitude: -76.593)

    /// A part of Baltimore, a street of Brussels, and one of 14 kilometres.
    private static let town = Task { () throws -> (TemporaryDirectory, PlaceSearcher) in
        func street(_ number: Int, _ name: String, _ points: [(Double, Double)], _ more: [String: String] = [:])
            -> String
        {
            Written.line(
                "w\(number)", points, ["highway": "residential", "name": name].merging(more) { _, more in more })
        }
        let course: [(Double, Double)] = stride(from: 0.0, through: 0.12, by: 0.012).map {
            (part: Double) -> (Double, Double) in (part - 76.70, 39.25 + part / 1.5)
        }
        let written = try Written.index(of: [
            Written.point("n1", -76.61, 39.29, ["place": "city", "name": "Baltimore", "population": "600000"]),
            street(
                1, "South Broadway", [(-76.594, 39.290), (-76.5937, 39.2860), (-76.5935, 39.2846), (-76.593, 39.281)]),
            street(2, "Fleet Street", [(-76.600, 39.2846), (-76.5935, 39.2846), (-76.580, 39.2846)]),
            street(3, "Eastern Avenue", [(-76.600, 39.2860), (-76.5937, 39.2860), (-76.580, 39.2860)]),
            street(4, "South Broadway Alley", [(-76.594, 39.288), (-76.592, 39.288)]),
            street(5, "East 33rd Street", [(-76.600, 39.300), (-76.596, 39.300), (-76.590, 39.300)]),
            street(6, "Saint Paul Street", [(-76.596, 39.310), (-76.596, 39.300), (-76.596, 39.295)]),
            street(7, "Rue de la Loi - Wetstraat", [(-76.70, 39.20), (-76.69, 39.20), (-76.68, 39.20)]),
            street(8, "Rue Royale/Koningsstraat", [(-76.69, 39.21), (-76.69, 39.20), (-76.69, 39.19)]),
            street(
                9, "Via Portici", [(-76.66, 39.20), (-76.655, 39.20), (-76.65, 39.20)],
                ["name:de": "Laubengasse"]),
            street(10, "Via Roma", [(-76.655, 39.21), (-76.655, 39.20)]),
            // From the south-west corner to the north-east one: the middle is 7 km from either end.
            street(11, "Old Post Road", course),
            street(12, "Old Post Road", [(-76.62, 39.33), (-76.619, 39.331)], ["addr:city": "Towson"]),
            Written.point(
                "n2", -76.668, 39.175,
                ["aeroway": "aerodrome", "name": "Thurgood Marshall Airport", "iata": "BWI", "icao": "KBWI"]),
            Written.point("n3", -76.60, 39.28, ["natural": "peak", "name": "Federal Hill"]),
            Written.point("n4", -76.61, 39.31, ["natural": "water", "name": "Lake Montebello"]),
        ])
        return (written.directory, try PlaceSearcher(paths: [written.path, ExtractIndex.world]))
    }

    @Test(
        "two streets find their crossing without their types and directions, with short forms, and by either of two names",
        arguments: [
            ("Broadway and Fleet", -76.5935, 39.2846), ("Fleet St & S Broadway", -76.5935, 39.2846),
            ("corner of Broadway and Eastern", -76.5937, 39.2860), ("Eastern Ave at Broadway", -76.5937, 39.2860),
            ("broadway x eastern", -76.5937, 39.2860), ("intersection of Fleet and Broadway", -76.5935, 39.2846),
            ("33rd and St Paul", -76.596, 39.300), ("E 33rd St and Saint Paul St", -76.596, 39.300),
            ("Rue de la Loi and Rue Royale", -76.69, 39.20), ("Wetstraat en Koningsstraat", -76.69, 39.20),
            ("Laubengasse und Via Roma", -76.655, 39.20), ("esquina Via Roma y Via Portici", -76.655, 39.20),
        ])
    func crossings(typed: String, longitude: Double, latitude: Double) async throws {
        let searcher = try await Self.town.value.1
        let found = try searcher.search(typed, near: Self.here)
        let first = try #require(found.first)
        #expect(first.kind == .intersection, "\(found.map(\.name))")
        #expect(
            first.coordinate.distance(to: Coordinate(clampingLatitude: latitude, wrappingLongitude: longitude)) < 30,
            "\(first)")
    }

    @Test(
        "a word that is not in the name of a street makes no crossing",
        arguments: ["Street and Avenue", "Broadway and Nowhere", "Alley and Fleet", "South and East"])
    func noCrossings(typed: String) async throws {
        let searcher = try await Self.town.value.1
        #expect(try !searcher.search(typed, near: Self.here).contains { $0.kind == .intersection })
    }

    @Test("a long street is shown where it is nearest, and comes before a short one of its name that is farther away")
    func longStreet() async throws {
        let searcher = try await Self.town.value.1
        for (longitude, latitude) in [(-76.70, 39.251), (-76.581, 39.33), (-76.64, 39.291)] {
            let here = Coordinate(clampingLatitude: latitude, wrappingLongitude: longitude)
            let place = try #require(try searcher.search("Old Post Road", near: here).first)
            #expect(place.coordinate.distance(to: here) < 200, "\(place.coordinate) from \(here)")
            #expect(place.distance.map { $0 < 200 } == true)
        }
        // The box of the long one is around this place, and its course is 4 km away.
        let beside = Coordinate(clampingLatitude: 39.329, wrappingLongitude: -76.62)
        let place = try #require(try searcher.search("Old Post Road", near: beside).first)
        #expect(place.address.locality == "Towson", "\(place)")
    }

    @Test(
        "airports are found by their codes, peaks and lakes by their names",
        arguments: [
            ("BWI", "Thurgood Marshall Airport"), ("kbwi", "Thurgood Marshall Airport"),
            ("Federal Hill", "Federal Hill"),
            ("Lake Montebello", "Lake Montebello"), ("airport BWI", "Thurgood Marshall Airport"),
        ])
    func codes(typed: String, name: String) async throws {
        let searcher = try await Self.town.value.1
        let found = try searcher.search(typed, near: Self.here)
        #expect(found.first?.name == name, "\(found.map(\.name))")
    }
}
