import LocationModel
import Testing

@testable import PlaceSearch

/// The published test data of Open Location Code (<https://github.com/google/open-location-code/tree/main/test_data>, Apache 2.0).
@Suite("Plus codes", .timeLimit(.minutes(10)))
struct PlusCodeTests {
    @Test(
        "a code is the area that it is published to be",
        arguments: [
            ("7FG49Q00+", 20.35, 2.75, 20.4, 2.8), ("7FG49QCJ+2V", 20.37, 2.782125, 20.370125, 2.78225),
            ("7FG49QCJ+2VX", 20.3701, 2.78221875, 20.370125, 2.78225),
            ("7FG49QCJ+2VXGJ", 20.370113, 2.782234375, 20.370114, 2.78223632813),
            ("8FVC2222+22", 47.0, 8.0, 47.000125, 8.000125),
            ("4VCPPQGP+Q9", -41.273125, 174.785875, -41.273, 174.786), ("62G20000+", 0.0, -180.0, 1, -179),
            ("22220000+", -90, -180, -89, -179), ("22222222+22", -90.0, -180.0, -89.999875, -179.999875),
            ("6VGX0000+", 0, 179, 1, 180), ("6FH32222+222", 1, 1, 1.000025, 1.00003125),
            ("CFX30000+", 89, 1, 90, 2), ("CFX3X2X2+X2", 89.999875, 1, 90, 1.000125),
            ("84000000+", 30, -140, 50, -120), ("6FH56C22+22", 1.2, 3.4, 1.200125, 3.400125),
            ("849VGJQF+VX7QR3J", 37.53966912, -122.3750698242, 37.53966916, -122.3750697021),
            ("849VGJQF+VX7QR3J7QR3J", 37.53966912, -122.3750698242, 37.53966916, -122.3750697021),
        ])
    func decoding(code: String, south: Double, west: Double, north: Double, east: Double) throws {
        let area = try #require(PlusCode(code)?.area)
        let (found, expected) = ([area.south, area.west, area.north, area.east], [south, west, north, east])
        for (one, other) in zip(found, expected) { #expect(abs(one - other) < 1e-10, "\(found)") }
    }

    @Test(
        "a position has the published code",
        arguments: [
            ("7FG49Q00+", 6, 20.375, 2.775), ("7FG49QCJ+2V", 10, 20.3700625, 2.7821875),
            ("8FVC2222+22", 10, 47.0000625, 8.0000625), ("4VCPPQGP+Q9", 10, -41.2730625, 174.7859375),
            ("62G20000+", 4, 0.5, -179.5), ("22220000+", 4, -89.5, -179.5),
            ("22222222+22", 10, -89.9999375, -179.9999375), ("CFX30000+", 4, 90, 1), ("62H20000+", 4, 1, 180),
            ("CFX3X2X2+X2", 10, 90, 1),
        ])
    func encoding(code: String, digits: Int, latitude: Double, longitude: Double) throws {
        let position = Coordinate(clampingLatitude: latitude, wrappingLongitude: longitude)
        #expect(PlusCode(position, digits: digits).text == code)
        #expect(PlusCode(code)?.text == code)
    }

    @Test(
        "a short code near a place is the published full code",
        arguments: [
            ("9C3W9QCJ+2VX", 51.3701125, -1.217765625, "+2VX"), ("9C3W9QCJ+2VX", 51.3708675, -1.217765625, "CJ+2VX"),
            ("9C3W9QCJ+2VX", 51.3693575, -1.217765625, "CJ+2VX"), ("9C3W9QCJ+2VX", 51.3701125, -1.218520625, "CJ+2VX"),
            ("9C3W9QCJ+2VX", 51.3701125, -1.217010625, "CJ+2VX"),
            ("9C3W9QCJ+2VX", 51.3852125, -1.217765625, "9QCJ+2VX"),
            ("9C3W9QCJ+2VX", 51.3550125, -1.217765625, "9QCJ+2VX"),
            ("9C3W9QCJ+2VX", 51.3701125, -1.232865625, "9QCJ+2VX"),
            ("9C3W9QCJ+2VX", 51.3701125, -1.202665625, "9QCJ+2VX"), ("8FJFW222+", 42.899, 9.012, "22+"),
            ("796RXG22+", 14.95125, -23.5001, "22+"), ("8FRCXGRF+PM", 47.00, 8.55, "XGRF+PM"),
            ("CFX22222+22", 89.6, 0.0, "2222+22"), ("2CXXXXXX+XX", -81.0, 0.0, "XXXXXX+XX"),
            // Beyond a pole nothing is nearer.
            ("CFX22222+22", 89.99, 0.5, "2222+22"), ("CFX22222+22", 90.0, 0.5, "2222+22"),
            ("2F22X2X2+X2", -89.99, 0.5, "X2X2+X2"), ("2F22X2X2+X2", -90.0, 0.5, "X2X2+X2"),
            ("CF222222+22", 81.0, 0.5, "222222+22"),
        ])
    func recovery(full: String, latitude: Double, longitude: Double, short: String) throws {
        let position = try #require(Coordinate(latitude: latitude, longitude: longitude))
        let code = try #require(PlusCode(short))
        #expect(!code.isFull)
        #expect(code.full(near: position).text == full)
    }

    @Test("texts are codes, short or full, as published")
    func validity() {
        let full = ["8FWC2345+G6", "8FWC2345+G6G", "8fwc2345+", "8FWCX400+", "849VGJQF+VX7QR3J", "849VGJQF+VX7QR3JW"]
        let short = ["WC2345+G6g", "2345+G6", "45+G6", "+G6"]
        let none = [
            "G+", "+", "8FWC2345+G", "8FWC2_45+G6", "8FWC2η45+G6", "8FWC2345+G6+", "8FWC2345G6+", "8FWC2300+G6",
            "WC2300+G6g", "WC2345+G", "WC2300+", "849VGJQF+VX7QR3U", "849VGJQF+VX7QR3JU", "", "0FWC2345+", "+49123",
        ]
        for text in full { #expect(PlusCode(text)?.isFull == true, "\(text)") }
        for text in short { #expect(PlusCode(text)?.isFull == false, "\(text)") }
        for text in none { #expect(PlusCode(text) == nil, "\(text)") }
    }

    @Test("a code is found beside other words, and a telephone number is not one")
    func words() throws {
        let found = try #require(PlusCode.first(in: "9G8F+6X, Zürich"))
        #expect(!found.code.isFull && found.rest == "Zürich")
        #expect(PlusCode.first(in: "Vaduz 4GRC+CJ")?.rest == "Vaduz")
        for text in ["+49 30 123", "C++", "4GRC+", "a+b", "5 + 3"] {
            #expect(PlusCode.first(in: text) == nil, "\(text)")
        }
        let full = CoordinateText.coordinate("8FVC9G8F+6X")
        let there = Coordinate(latitude: 47.36559, longitude: 8.524997)
        #expect(full.map { $0.distance(to: there) < 15 } == true)
        #expect(MapLink("https://plus.codes/8FVC9G8F+6X")?.coordinate == full)
    }

    @Test("a search finds a full code, and a short one near the place beside it or near where one is")
    func searching() async throws {
        let searcher = try await RealPlaces.shared.searcher()
        func found(_ text: String, near: Coordinate? = nil) throws -> FoundPlace? {
            try searcher.search(text, near: near).first
        }
        for text in ["8FVF4GQC+CJ", "8fvf4gqc+cj", "4GQC+CJ Vaduz", "Vaduz, 4GQC+CJ"] {
            let place = try found(text)
            #expect(place?.name == "8FVF4GQC+CJ" && place?.kind == .coordinate, "\(text)")
            #expect(place?.address.locality == "Vaduz")
        }
        #expect(try found("4GQC+CJ", near: Coordinate(latitude: 47.2, longitude: 9.6))?.name == "8FVF4GQC+CJ")
        #expect(try found("4GQC+CJ") == nil, "near nothing")
        #expect(try searcher.suggestions(for: "4GQC+CJ Vaduz").first?.place?.name == "8FVF4GQC+CJ")
        #expect(try found("8FVF0000+")?.bounds == [9, 47, 10, 48])
    }
}
