import LocationModel
import PlaceFixtures
import Testing

@testable import PlaceSearch

@Suite("Search of real data", .timeLimit(.minutes(10)))
struct QualityTests {
    private static let vaduz = Coordinate(latitude: 47.141, longitude: 9.5215)
    private static let helsinki = Coordinate(latitude: 60.1699, longitude: 24.945)

    @Test("the expected place is first for 95 % of the queries, and among five for 97 %")
    func table() async throws {
        let score = try QueryTable.run(try QueryTable.read(), try await RealPlaces.shared.searcher())
        #expect(score.queries >= 200)
        #expect(score.shareFirst >= 0.95, "\(score.misses)")
        #expect(score.shareAmongFive >= 0.97, "\(score.misses)")
    }

    @Test(
        "in towns the expected place is first for 97 %, among five for 99 %, and at the third and fifth letter for 90 %"
    )
    func nearby() async throws {
        let rows = try QueryTable.read(QueryTable.nearby)
        let score = try QueryTable.run(rows, try await RealPlaces.shared.searcher(), isOnMap: true)
        #expect(rows.count >= 300 && 3 * rows.count(where: \.isTyped) >= rows.count)
        #expect(score.shareFirst >= 0.97, "\(score.misses)")
        #expect(score.shareAmongFive >= 0.99, "\(score.misses)")
        #expect(score.shareTyped >= 0.9, "\(score.misses)")
    }

    @Test("nothing more than 500 km away is above anything within 5 km, unless the text names it exactly")
    func farBelowNear() async throws {
        let searcher = try await RealPlaces.shared.searcher()
        for row in try QueryTable.read(QueryTable.nearby) + QueryTable.read() {
            guard let near = row.near, !["coordinate", "regions"].contains(row.group) else { continue }
            for text in row.beginnings + [row.query] {
                let suggested = try searcher.suggestions(for: text, near: near, visible: row.visible, limit: 8)
                for places in [
                    try searcher.search(text, near: near, visible: row.visible, limit: 20),
                    suggested.compactMap(\.place),
                ] {
                    // The ranking measures on a sphere, which differs by up to 0.5 %.
                    let far = places.firstIndex { place in
                        near.distance(to: place.coordinate) > 503_000
                            && ![place.name, place.alternativeName].contains {
                                $0.map { Folding.fold($0) } == Folding.fold(text)
                            }
                    }
                    guard let far else { continue }
                    #expect(
                        !places[far...].contains { near.distance(to: $0.coordinate) < 5000 },
                        "\(text): \(places.map(\.name))")
                }
            }
        }
    }

    @Test("a category alone finds nothing else, near what is visible even if the user is elsewhere")
    func categoryOnMap() async throws {
        let searcher = try await RealPlaces.shared.searcher()
        let visible = try #require(PlaceBounds(west: 9.50, south: 47.13, east: 9.54, north: 47.15))
        for near in [nil, Self.vaduz, Self.helsinki] {
            let places = try searcher.search("Apotheke", near: near, visible: visible)
            #expect(places.count == 4 && places.allSatisfy { $0.category == "pharmacy" })
            #expect(places[0].name == "Schloss Apotheke")
            #expect(
                try #require(places[0].distance) < 1000, "measured from the middle of the map if the user is far away")
            #expect(try searcher.places(of: "pharmacy", near: near, visible: visible, limit: 20) == places)
        }
    }

    @Test("every suggestion contains what was typed, in its name or in the other one shown beside it")
    func suggestionsShowTheMatch() async throws {
        let searcher = try await RealPlaces.shared.searcher()
        for text in ["apo", "cof", "lan", "lande", "augus", "aka", "wien"] {
            let places = try searcher.suggestions(for: text, near: Self.vaduz).filter { $0.place != nil }
            #expect(
                !places.isEmpty && places.allSatisfy { !$0.titleHighlights.isEmpty }, "\(text): \(places.map(\.title))")
        }
        #expect(try searcher.suggestions(for: "München").contains { $0.title == "Munich — München" })
        #expect(
            SearchEngine.shown("munchen", typed: "Münc") == "München" && SearchEngine.shown("apo", typed: "ap") == "APO"
        )
    }

    @Test("a postal code is an area, with its town and its extent")
    func postalCode() async throws {
        let searcher = try await RealPlaces.shared.searcher()
        let place = try #require(try searcher.search("9494", limit: 1).first)
        #expect(place.kind == .postalCode && place.name == "9494" && place.bounds != nil)
        #expect(place.address.line(without: place.name) == "Schaan, Wahlkreis Oberland, Liechtenstein")
        // One house of Vaduz has a mistyped code.
        #expect(try searcher.search("94490", limit: 5).allSatisfy { $0.kind != .postalCode || $0.name != "94490" })
    }

    @Test(
        "two streets find their crossing, however they are joined",
        arguments: [
            "Aleksanterinkatu Mikonkatu", "Aleksanterinkatu & Mikonkatu", "aleksanterinkatu/mikonkatu",
            "Mikonkatu ja Aleksanterinkatu", "Ecke Mikonkatu Aleksanterinkatu",
            "corner of Mikonkatu and Aleksanterinkatu",
            "Alexandersgatan och Mikaelsgatan",
        ])
    func crossing(text: String) async throws {
        let searcher = try await RealPlaces.shared.searcher()
        let place = try #require(try searcher.search(text, near: Self.helsinki, limit: 1).first, "\(text)")
        #expect(place.kind == .intersection && place.name.contains(" & "))
        #expect(place.coordinate.distance(to: Coordinate(latitude: 60.1689, longitude: 24.9455)) < 60)
        #expect(place.address.locality == "Helsinki" && place.address.thoroughfare == nil)
        #expect(
            try searcher.search("Aleksanterinkatu Bulevardi", near: Self.helsinki).allSatisfy {
                $0.kind != .intersection
            })
    }

    @Test("near me alone finds everyday places, and suggests the categories")
    func nearMe() async throws {
        let searcher = try await RealPlaces.shared.searcher()
        let places = try searcher.search("near me", near: Self.helsinki)
        #expect(places.count >= 8 && Set(places.map(\.category)).count == places.count)
        #expect(places.compactMap(\.distance) == places.compactMap(\.distance).sorted())
        let suggestions = try searcher.suggestions(for: "in der Nähe", near: Self.helsinki)
        #expect(suggestions.count == 8 && suggestions.allSatisfy { $0.category != nil && $0.place == nil })
        let elsewhere = try #require(PlaceBounds(west: 9.50, south: 47.13, east: 9.54, north: 47.15))
        #expect(try searcher.search("near me", near: Self.helsinki, visible: elsewhere) == places, "near the user")
        #expect(try searcher.search("near me").isEmpty, "nowhere is near without a position")
    }

    @Test(
        "a city is found by its name with one wrong letter",
        arguments: [
            ("Prto", "Porto"), ("Lisbn", "Lisbon"), ("Berln", "Berlin"), ("Amstrdam", "Amsterdam"),
            ("Stuttgrat", "Stuttgart"), ("Helsnki", "Helsinki"), ("Barcelna", "Barcelona"), ("Marseile", "Marseille"),
            ("Kopenhagn", "Copenhagen"), ("New Yrok", "New York City"), ("Torronto", "Toronto"), ("Sidney", "Sydney"),
            ("Porot", "Porto"), ("Gotebrg", "Gothenburg"), ("Zürch", "Zürich"), ("Rotterdm", "Rotterdam"),
            ("Edinburh", "Edinburgh"),
        ])
    func oneWrongLetter(text: String, city: String) async throws {
        let searcher = try await RealPlaces.shared.searcher()
        #expect(try searcher.search(text, limit: 3).first?.name == city)
    }

    @Test("another name counts only whole, and is given with the place")
    func alternativeName() async throws {
        let searcher = try await RealPlaces.shared.searcher()
        let places = try searcher.search("São Paulo", limit: 5)
        #expect(places.first?.name == "São Paulo" && places.first?.alternativeName == nil)
        #expect(!places.contains { $0.name == "Luanda" })
        let prague = try #require(try searcher.search("Praha", limit: 1).first)
        #expect(prague.name == "Prague" && prague.alternativeName == "Praha")
    }

    @Test("without a position a category is searched in all regions")
    func categoryFromNowhere() async throws {
        let searcher = try await RealPlaces.shared.searcher()
        let places = try searcher.search("pharmacy", limit: 20)
        #expect(!places.isEmpty && places.allSatisfy { $0.category == "pharmacy" && $0.distance == nil })
    }

    @Test("the right street is named for 95 % of the positions")
    func reverse() async throws {
        let searcher = try await RealPlaces.shared.searcher()
        let rows = try ReverseTable.read()
        #expect(rows.count >= 200)
        let right = try rows.filter { try $0.streets.contains(searcher.address(at: $0.position).thoroughfare ?? "") }
        #expect(Double(right.count) >= 0.95 * Double(rows.count))
    }

    @Test("a position is named from the street to the time zone")
    func address() async throws {
        let searcher = try await RealPlaces.shared.searcher()
        let address = try searcher.address(at: Coordinate(latitude: 47.16233, longitude: 9.50592))
        #expect(address.streetLine == "Gapetschstrasse 29")
        #expect(address.locality == "Schaan" && address.postalCode == "9494")
        #expect(address.isoCountryCode == "LI" && address.country == "Liechtenstein")
        #expect(address.timeZone == "Europe/Vaduz")
        // Without any extract the gazetteer knows the town.
        let far = try searcher.address(at: Coordinate(latitude: 35.68, longitude: 139.76))
        #expect(far.isoCountryCode == "JP" && far.timeZone == "Asia/Tokyo" && far.thoroughfare == nil)
        // On the sea, too.
        #expect(try searcher.address(at: Coordinate(latitude: -60, longitude: -120)).thoroughfare == nil)
    }

    @Test("a place in two regions is given once")
    func overlap() async throws {
        let paths = try await RealPlaces.shared.paths()
        let single = try PlaceSearcher(paths: paths)
        let double = try PlaceSearcher(paths: [paths[0]] + paths)
        for query in ["vaduz", "landstrasse", "apotheke", "Gapetschstrasse 29", "liechtenstein"] {
            let once = try single.search(query, near: Self.vaduz, limit: 10).map(\.id)
            let twice = try double.search(query, near: Self.vaduz, limit: 10).map(\.id)
            #expect(once == twice, "\(query)")
            #expect(Set(once).count == once.count)
        }
    }

    @Test("suggestions mix categories and places, and mark the text that was typed")
    func suggestions() async throws {
        let searcher = try await RealPlaces.shared.searcher()
        let coffee = try searcher.suggestions(for: "coff", near: Self.helsinki)
        #expect(coffee.first?.category == "cafe" && coffee.first?.subtitle == "Search nearby")
        #expect(coffee.count == 8 && coffee.contains { $0.place != nil })
        let strasse = try #require(try searcher.suggestions(for: "jaapuiston kah", near: Self.helsinki).first)
        #expect(strasse.title == "Jääpuiston kahvila")
        #expect(strasse.titleHighlights.map(\.start) == [0, 11])
        #expect(strasse.titleHighlights.map(\.length) == [10, 3])
        // Choosing one finds it.
        let chosen = try searcher.search(strasse.query, near: Self.helsinki, limit: 3)
        #expect(chosen.contains { $0.name == strasse.title })
    }

    @Test("places of a category come by distance, from all regions")
    func categories() async throws {
        let searcher = try await RealPlaces.shared.searcher()
        let places = try searcher.places(of: "pharmacy", near: Self.vaduz)
        #expect(places.count >= 3)
        let distances: [Double] = places.compactMap(\.distance)
        #expect(distances.count == places.count && distances == distances.sorted())
        #expect(places.allSatisfy { $0.category == "pharmacy" })
        #expect(try searcher.places(of: "pharmacy", near: Coordinate(latitude: 0, longitude: 0)).isEmpty)
        #expect(try searcher.places(of: "no such category", near: Self.vaduz).isEmpty)
    }

    @Test("only the requested kinds are given")
    func kinds() async throws {
        let searcher = try await RealPlaces.shared.searcher()
        let streets = try searcher.search("landstrasse", near: Self.vaduz, kinds: [.street])
        #expect(!streets.isEmpty && streets.allSatisfy { $0.kind == .street })
        let shops = try searcher.search("vaduz", near: Self.vaduz, kinds: [.pointOfInterest])
        #expect(shops.allSatisfy { $0.kind == .pointOfInterest })
    }
}
