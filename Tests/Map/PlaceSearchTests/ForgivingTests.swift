import LocationModel
import PlaceFixtures
import TestSupport
import Testing

@testable import PlaceSearch

@Suite("Tolerance of typing mistakes", .timeLimit(.minutes(10)))
struct ForgivingTests {
    private static let here = Coordinate(latitude: 40.27, longitude: -76.88)

    /// A town with a few places, and the world.
    private static func town(_ more: [String] = []) throws -> (TemporaryDirectory, PlaceSearcher) {
        let lines =
            [
                Written.point("n1", -76.881, 40.271, ["name": "Ruby Tuesday", "amenity": "restaurant"]),
                Written.point("n2", -76.882, 40.272, ["name": "Whole Foods", "shop": "supermarket"]),
                Written.point("n3", -76.883, 40.273, ["name": "Optikko Arvola", "shop": "optician"]),
                Written.point("n4", -76.884, 40.274, ["name": "Red Robbin", "amenity": "fast_food"]),
                Written.point("n5", -76.885, 40.275, ["name": "Raiffeisenbank", "amenity": "bank"]),
                Written.point("n6", -76.886, 40.276, ["name": "Stockmann", "shop": "mall"]),
                Written.point("n7", -76.887, 40.277, ["name": "Hornbach", "shop": "doityourself"]),
                Written.point("n8", -76.888, 40.278, ["name": "Los Angeles Café", "amenity": "cafe"]),
                Written.line(
                    "w1", [(-76.90, 40.27), (-76.89, 40.28)], ["name": "Robin Road", "highway": "residential"]),
                Written.point("n9", -76.889, 40.279, ["name": "Shell", "amenity": "fuel"]),
                Written.point("n20", -76.871, 40.261, ["name": "La Quinta Inn", "tourism": "hotel"]),
                Written.point("n21", -76.872, 40.262, ["name": "Hampton Inn", "tourism": "hotel"]),
                Written.point("n22", -76.873, 40.263, ["name": "PNC Bank", "amenity": "bank"]),
            ] + more
        let (directory, path) = try Written.index(of: lines)
        return (directory, try PlaceSearcher(paths: [path, ExtractIndex.world]))
    }

    @Test(
        "one typing mistake in a name of several words is tolerated, as are lost and added spaces, in suggestions as after Enter",
        arguments: [
            ("Ruby Tuesdy", "Ruby Tuesday"), ("Rubby Tuesday", "Ruby Tuesday"), ("Whole Fods", "Whole Foods"),
            ("Optiko Arvola", "Optikko Arvola"), ("Red Robin", "Red Robbin"), ("WholeFoods", "Whole Foods"),
            ("rubytuesday", "Ruby Tuesday"), ("Raiffeisen Bank", "Raiffeisenbank"),
            ("Raiffesien Bank", "Raiffeisenbank"), ("horn bach", "Hornbach"), ("whole fo ods", "Whole Foods"),
            ("Re dRobbin", "Red Robbin"), ("RedR obbin", "Red Robbin"), ("L aQuinta Inn", "La Quinta Inn"),
            ("La QuintaI nn", "La Quinta Inn"), ("HamptoneInn", "Hampton Inn"), ("Hampton In", "Hampton Inn"),
            ("PNC Bnk", "PNC Bank"), ("PC Bank", "PNC Bank"), ("Rd Robbin", "Red Robbin"),
        ])
    func slips(typed: String, name: String) throws {
        let (directory, searcher) = try Self.town()
        defer { withExtendedLifetime(directory) {} }
        #expect(try searcher.search(typed, near: Self.here).first?.name == name)
        #expect(try searcher.suggestions(for: typed, near: Self.here).first?.place?.name == name)
    }

    @Test("a misspelt beginning means a name of the town before those of the world")
    func localFirst() throws {
        let (directory, searcher) = try Self.town()
        defer { withExtendedLifetime(directory) {} }
        #expect(try searcher.suggestions(for: "Stokm", near: Self.here).first?.place?.name == "Stockmann")
    }

    @Test("a correct name has no similarly spelt places beside it")
    func correctStays() throws {
        let (directory, searcher) = try Self.town()
        defer { withExtendedLifetime(directory) {} }
        #expect(try searcher.search("Ruby Tuesday", near: Self.here).map(\.name) == ["Ruby Tuesday"])
        #expect(try searcher.search("Robin Road", near: Self.here).map(\.name) == ["Robin Road"])
    }

    @Test("a city of the world without its space is found")
    func worldWithoutSpace() async throws {
        let searcher = try await RealPlaces.shared.searcher()
        #expect(try searcher.search("losangeles", limit: 3).first?.name == "Los Angeles")
        #expect(try searcher.suggestions(for: "losangeles").first?.place?.name == "Los Angeles")
    }
}
