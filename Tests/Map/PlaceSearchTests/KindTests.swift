import LocationModel
import PlaceFixtures
import TestSupport
import Testing

@testable import PlaceSearch

@Suite("Kinds beside names, and the nearest of a kind", .timeLimit(.minutes(10)))
struct KindTests {
    private static let here = Coordinate(latitude: 48.41, longitude: 15.61)

    private static let town = Task {
        func spot(_ number: Int, _ tags: [String: String]) -> String {
            Written.point("n\(number)", 15.61 + 0.001 * Double(number), 48.41 + 0.0005 * Double(number), tags)
        }
        let written = try Written.index(of: [
            Written.point("n90", 15.615, 48.412, ["place": "town", "name": "Kremsdorf", "population": "20000"]),
            spot(1, ["tourism": "hotel", "name": "Klinglhuber"]),
            spot(2, ["amenity": "fuel", "name": "Shell"]),
            spot(3, ["shop": "supermarket", "name": "Spar"]),
            spot(4, ["amenity": "place_of_worship", "name": "Pfarrkirche St. Veit"]),
            spot(5, ["amenity": "restaurant", "name": "Da Luigi", "cuisine": "italian"]),
            spot(6, ["amenity": "restaurant", "name": "Lotus", "cuisine": "chinese"]),
            spot(7, ["amenity": "pharmacy", "name": "Zum Mohren"]),
            spot(8, ["shop": "chemist", "name": "Glanz"]),
            spot(9, ["amenity": "atm", "name": "Volksbank"]),
            spot(10, ["railway": "station", "name": "Kremsdorf"]),
            spot(11, ["tourism": "museum", "name": "Hotel Museum"]),
            spot(12, ["amenity": "fuel", "name": "Turmöl"]),
            Written.line(
                "w1", [(15.6120, 48.4115), (15.6140, 48.4115)], ["highway": "residential", "name": "Ringstraße"]),
            spot(13, ["amenity": "cafe", "name": "Starbucks"]),
            Written.line("w2", [(15.70, 48.50), (15.71, 48.50)], ["highway": "residential", "name": "Bostonstraße"]),
            Written.point("n91", 15.7003, 48.5001, ["amenity": "cafe", "name": "Starbucks"]),
            spot(14, ["leisure": "swimming_pool", "name": "Parkbad"]),
        ])
        return (written.directory, try PlaceSearcher(paths: [written.path, ExtractIndex.world]))
    }

    @Test(
        "a word for a kind beside a name narrows it, in any order, and hides no name",
        arguments: [
            ("hotel Klinglhuber", "Klinglhuber"), ("Klinglhuber hotel", "Klinglhuber"),
            ("shell tankstelle", "Shell"), ("petrol station shell", "Shell"), ("spar supermarkt", "Spar"),
            ("Kirche St Veit", "Pfarrkirche St. Veit"), ("church st veit", "Pfarrkirche St. Veit"),
            ("Hotel Museum", "Hotel Museum"), ("restaurant lotus", "Lotus"),
        ])
    func kindAndName(query: String, name: String) async throws {
        let searcher = try await Self.town.value.1
        #expect(try searcher.search(query, near: Self.here).first?.name == name)
        #expect(try searcher.suggestions(for: query, near: Self.here).contains { $0.place?.name == name })
    }

    @Test("a name beside a street is the place there, and not the nearer one of that name")
    func nameAndStreet() async throws {
        let searcher = try await Self.town.value.1
        for query in ["Starbucks Bostonstraße", "Starbucks auf der Bostonstraße", "Bostonstr. Starbucks"] {
            let place = try #require(try searcher.search(query, near: Self.here).first, "\(query)")
            #expect(place.name == "Starbucks" && place.longitude > 15.69, "\(query)")
        }
        let near = try #require(try searcher.search("Starbucks", near: Self.here).first)
        #expect(near.longitude < 15.69)
    }

    @Test(
        "the nearest of a kind is requested in many words",
        arguments: [
            ("nearest petrol station", "Shell"), ("closest atm", "Volksbank"), ("nächste Tankstelle", "Shell"),
            ("where is the nearest pharmacy", "Zum Mohren"), ("la pharmacie la plus proche", "Zum Mohren"),
            ("farmacia más cercana", "Zum Mohren"), ("ближайшая аптека", "Zum Mohren"),
            ("la stazione più vicina", "Kremsdorf"), ("hbf", "Kremsdorf"), ("piscina", "Parkbad"),
        ])
    func nearest(query: String, name: String) async throws {
        let searcher = try await Self.town.value.1
        #expect(try searcher.search(query, near: Self.here).first?.name == name)
    }

    @Test(
        "cuisines are understood in the order and with the endings of the languages",
        arguments: [
            ("restaurant italien", "Da Luigi"), ("italienisches Restaurant", "Da Luigi"),
            ("ristorante italiano", "Da Luigi"), ("chinesisches Restaurant", "Lotus"),
            ("restaurante chino", "Lotus"), ("restaurant chinois", "Lotus"), ("中華料理", "Lotus"),
            ("مطعم صيني", "Lotus"), ("китайский ресторан", "Lotus"),
        ])
    func cuisines(query: String, name: String) async throws {
        let searcher = try await Self.town.value.1
        #expect(try searcher.search(query, near: Self.here).map(\.name) == [name])
    }

    @Test("a drugstore is not a pharmacy, and the user's own place is a query of its own")
    func drugstores() async throws {
        let searcher = try await Self.town.value.1
        #expect(try searcher.search("Apotheke", near: Self.here).map(\.name) == ["Zum Mohren"])
        #expect(try searcher.search("Drogerie", near: Self.here).map(\.name) == ["Glanz"])
        for question in ["where am I", "Wo bin ich?", "¿Dónde estoy?"] {
            let place = try #require(try searcher.search(question, near: Self.here).first, "\(question)")
            #expect(place.kind == .coordinate && place.distance == 0)
        }
    }

    @Test(
        "Enter means the first suggestion, and kinds come before places in other countries",
        arguments: [("rest", "restaurant"), ("phar", "pharmacy"), ("super", "supermarket"), ("cof", "cafe")])
    func enter(text: String, category: String) async throws {
        let searcher = try await Self.town.value.1
        #expect(try searcher.suggestions(for: text, near: Self.here).first?.category == category)
        #expect(try searcher.search(text, near: Self.here).first?.category == category)
        // A place of the neighbourhood that begins with it comes first in both.
        let name = try searcher.suggestions(for: "ring", near: Self.here).first?.place?.name
        #expect(name == "Ringstraße")
        #expect(try searcher.search("ring", near: Self.here).first?.name == name)
    }
}
