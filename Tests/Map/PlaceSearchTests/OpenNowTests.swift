import LocationModel
import PlaceFixtures
import TestSupport
import Testing

@testable import PlaceSearch

@Suite("Open now", .timeLimit(.minutes(10)))
struct OpenNowTests {
    private static let here = Coordinate(latitude: 40.27, longitude: -76.88)
    private static func pharmacy(_ number: Int, _ hours: String?) -> String {
        var tags = ["name": "Pharmacy \(number)", "amenity": "pharmacy"]
        tags["opening_hours"] = hours
        return Written.point("n\(number)", -76.88 - Double(number) / 1000, 40.27, tags)
    }

    private static let places = [
        pharmacy(1, nil), pharmacy(2, "Mo-Sa 08:00-18:00; PH off"), pharmacy(3, "sunrise-sunset"), pharmacy(4, "24/7"),
        Written.point("n9", -76.881, 40.271, ["name": "Open Market", "shop": "supermarket"]),
    ]

    @Test(
        "a query for places that are open now finds those whose hours are known",
        arguments: [
            "pharmacy open now", "open pharmacy", "Open now: pharmacy", "Apotheke jetzt geöffnet", "offene Apotheke",
            "pharmacy open now near me",
        ])
    func known(text: String) throws {
        let (directory, path) = try Written.index(of: Self.places)
        defer { withExtendedLifetime(directory) {} }
        let answer = try PlaceSearcher(paths: [path]).answer(to: text, near: Self.here)
        #expect(answer.isAboutOpenNow)
        #expect(answer.places.map(\.name) == ["Pharmacy 2", "Pharmacy 4"])
    }

    @Test("more places are read than shown, because many are closed")
    func many() throws {
        let (directory, path) = try Written.index(of: (1...40).map { Self.pharmacy($0, "Mo-Fr 08:00-18:00") })
        defer { withExtendedLifetime(directory) {} }
        let searcher = try PlaceSearcher(paths: [path])
        #expect(try searcher.answer(to: "pharmacy open now", near: Self.here, limit: 5).places.count == 25)
        #expect(try searcher.search("pharmacy open now", near: Self.here, limit: 5).count == 5)
        // Without a kind of place, what people look for every day.
        #expect(try searcher.answer(to: "open now", near: Self.here).places.map(\.name) == ["Pharmacy 1"])
    }

    @Test("a name with the word is a name", arguments: ["Open Market", "open", "Ouvert"])
    func names(text: String) throws {
        let (directory, path) = try Written.index(of: Self.places)
        defer { withExtendedLifetime(directory) {} }
        let answer = try PlaceSearcher(paths: [path]).answer(to: text, near: Self.here)
        #expect(!answer.isAboutOpenNow)
        if text == "Open Market" { #expect(answer.places.map(\.name) == ["Open Market"]) }
    }
}
