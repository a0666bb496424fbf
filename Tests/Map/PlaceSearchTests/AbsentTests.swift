import LocationModel
import PlaceFixtures
import TestSupport
import Testing

@testable import PlaceSearch

@Suite("Categories that are absent, and cuisines", .timeLimit(.minutes(10)))
struct AbsentTests {
    private static let here = Coordinate(latitude: 40.27, longitude: -76.88)
    private static let places = [
        Written.point(
            "n1", -76.881, 40.271, ["name": "Da Mario", "amenity": "restaurant", "cuisine": "italian; Pizza"]),
        Written.point("n2", -76.882, 40.272, ["name": "Pizza Corner", "amenity": "fast_food"]),
        Written.point("n3", -76.883, 40.273, ["name": "Green", "amenity": "cafe", "diet:vegan": "only"]),
        Written.point("n4", -76.884, 40.274, ["name": "Meat", "amenity": "restaurant", "diet:vegan": "no"]),
        Written.point("n5", -76.885, 40.275, ["name": "Station Diner", "amenity": "restaurant"]),
        Written.point("n6", -74.0, 40.27, ["name": "Far Junction", "railway": "station"]),
    ]

    private static func searcher(_ lines: [String] = places) throws -> (TemporaryDirectory, PlaceSearcher) {
        let (directory, path) = try Written.index(of: lines)
        return (directory, try PlaceSearcher(paths: [path, ExtractIndex.world]))
    }

    @Test(
        "a category without a place nearby is reported as absent, and the next one is offered before names with its word"
    )
    func absent() throws {
        let (directory, searcher) = try Self.searcher()
        defer { withExtendedLifetime(directory) {} }
        let answer = try searcher.answer(to: "station", near: Self.here)
        #expect(answer.absent?.name == "train_station")
        #expect(answer.places.map(\.name) == ["Far Junction", "Station Diner"])
        let none = try searcher.answer(to: "laundry", near: Self.here)
        #expect(none.absent?.name == "laundry" && none.places.isEmpty, "nothing in the rest of the world")
        #expect(try searcher.answer(to: "restaurant", near: Self.here).absent == nil)
        // A city may have the name of a category: Essen, "food".
        let city = try searcher.answer(to: "Essen", near: Coordinate(latitude: 51.5, longitude: 6.0))
        #expect(city.absent == nil && city.places.first?.name == "Essen")
    }

    @Test("a cuisine finds the places that serve it, by their tags or their names")
    func cuisines() throws {
        let (directory, searcher) = try Self.searcher()
        defer { withExtendedLifetime(directory) {} }
        #expect(try searcher.search("pizza", near: Self.here).map(\.name) == ["Da Mario", "Pizza Corner"])
        #expect(try searcher.search("Italian", near: Self.here).map(\.name) == ["Da Mario"])
        #expect(try searcher.search("vegan", near: Self.here).map(\.name) == ["Green"])
        #expect(try searcher.search("vegan", near: Self.here).first?.category == "cafe")
        #expect(try searcher.suggestions(for: "piz", near: Self.here).first?.category == "pizza")
        let absent = try searcher.answer(to: "sushi", near: Self.here)
        #expect(absent.absent?.name == "sushi" && absent.places.isEmpty)
    }

    @Test("English plurals mean the category")
    func plurals() {
        for (word, name) in [("playgrounds", "playground"), ("bakeries", "bakery"), ("libraries", "library")] {
            #expect(PlaceCategory.meant(by: word).first?.name == name, "\(word)")
        }
        #expect(PlaceCategory.meant(by: "gas").first?.name == "fuel" && PlaceCategory.meant(by: "ss").isEmpty)
        // "Lago" is a lake, and "tour" a tower.
        #expect(PlaceCategory.meant(by: "lagos").isEmpty && PlaceCategory.meant(by: "tours").isEmpty)
    }
}
