import FoundationEssentials
import LocationModel
import SQLite
import TestSupport
import Testing

@testable import PlaceSearch

@Suite("Parts of search", .timeLimit(.minutes(10)))
struct PartsTests {
    @Test("names and queries fold to the same form")
    func folding() {
        for (text, folded) in [
            ("Zürich", "zurich"), ("Łódź", "lodz"), ("L'Aquila", "laquila"), ("Straße", "strasse"),
            ("Bahnhofstr. 5", "bahnhofstrasse 5"),
            ("Ærø", "aero"), ("Ёлка", "елка"), ("Αθήνα", "αθηνα"), ("東京", "東京"), ("ＡＢＣ１２", "abc12"), ("٣", "3"),
            ("a-b/c", "a b c"), ("  ", ""), ("e\u{301}", "e"), ("İstanbul", "istanbul"), ("str", "str"),
        ] { #expect(Folding.fold(text) == folded, "\(text)") }
    }

    @Test("cells around a position hold what is near, across the 180th meridian and at the poles")
    func grid() {
        for (latitude, longitude) in [(47.0, 9.5), (0, 179.9999), (0, -180), (89.999, 10), (-90, 0), (60, 24.9)] {
            let center = Coordinate(latitude: latitude, longitude: longitude)!
            for radius in [100.0, 5000, 200_000] {
                let ranges = PlaceGrid.ranges(around: center, radius: radius)
                #expect(ranges.count <= 25)
                for bearing in stride(from: 0.0, to: 360, by: 30) {
                    let near = center.destination(distance: radius * 0.9, bearing: bearing)
                    let cell = PlaceGrid.cell(latitude: near.latitude, longitude: near.longitude)
                    #expect(
                        ranges.contains { $0.contains(cell) } || abs(latitude) > 85, "\(center) \(radius) \(bearing)")
                }
            }
        }
    }

    @Test("squares beside the 180th meridian neighbour those beyond it, and no others")
    func squares() {
        for side in [0.1, 1, 45] {
            let squares = PlaceSquares(side: side)
            func neighbours(_ longitude: Double) -> [String] {
                squares.words(around: Coordinate(clampingLatitude: 10, wrappingLongitude: longitude))
            }
            let (east, west) = (180 - side / 2, -180 + side / 2)
            let columns = [east, west].map { squares.word(latitude: 10, longitude: $0) }
            #expect(columns.allSatisfy { neighbours(east).contains($0) && neighbours(west).contains($0) }, "\(side)")
            #expect(Set(neighbours(east)).count == 9 && Set(neighbours(west)).count == 9)
            let (beyond, before) = (
                squares.word(latitude: 10, longitude: west + side), squares.word(latitude: 10, longitude: east - side)
            )
            #expect(!neighbours(east).contains(beyond) && neighbours(west).contains(beyond))
            #expect(!neighbours(west).contains(before) && neighbours(east).contains(before))
        }
    }

    @Test("shapes come back from their bytes, and damaged bytes are refused")
    func shapes() throws {
        let shape = PlaceShape(parts: [
            [(9.5, 47.1), (9.6, 47.1), (9.6, 47.2), (9.5, 47.1)], [(-179.9, -89.9), (179.9, 89.9)],
        ])
        let read = try #require(PlaceShape(bytes: shape.bytes))
        #expect(read.parts.map(\.count) == [4, 2])
        #expect(read.parts[1][1].longitude == 179.9)
        #expect(PlaceShape(parts: [shape.parts[0]]).contains(latitude: 47.12, longitude: 9.58))
        #expect(!PlaceShape(parts: [shape.parts[0]]).contains(latitude: 47.18, longitude: 9.52))
        for length in 0..<shape.bytes.count { #expect(PlaceShape(bytes: Array(shape.bytes[..<length])) == nil) }
        #expect(PlaceShape(bytes: [UInt8](repeating: 0xFF, count: 40)) == nil)
    }

    @Test("every category has words, tags and a name of its own")
    func categories() {
        #expect(PlaceCategory.all.count > 100)
        #expect(Set(PlaceCategory.all.map(\.name)).count == PlaceCategory.all.count)
        #expect(PlaceCategory.all.allSatisfy { !$0.words.isEmpty && !$0.tags.isEmpty && !$0.title.isEmpty })
        for (word, name) in [
            ("coffee", "cafe"), ("fuel", "fuel"), ("atm", "atm"), ("apotheke", "pharmacy"), ("кафе", "cafe"),
            ("駅", "train_station"),
        ] { #expect(PlaceCategory.meant(by: word).first?.name == name, "\(word)") }
        #expect(PlaceCategory.of(["amenity": "cafe", "building": "yes"])?.category.name == "cafe")
        #expect(PlaceCategory.of(["shop": "guns"])?.isSpecific == false)
        #expect(PlaceCategory.of(["natural": "no"]) == nil)
    }

    @Test("ways of a name are one street in a town and two in two towns")
    func streets() throws {
        let (directory, path) = try Written.index(of: [
            Written.point("n1", 9.0, 47.0, ["place": "town", "name": "Here"]),
            Written.point("n2", 9.2, 47.0, ["place": "town", "name": "There"]),
            Written.line("w1", [(9.0, 47.0), (9.001, 47.0)], ["highway": "residential", "name": "Long Road"]),
            Written.line("w2", [(9.001, 47.0), (9.002, 47.0)], ["highway": "residential", "name": "Long Road"]),
            Written.line("w3", [(9.2, 47.0), (9.201, 47.0)], ["highway": "residential", "name": "Long Road"]),
            Written.point(
                "n3", 9.0015, 47.0001, ["addr:street": "Long Road", "addr:housenumber": "7;9", "addr:city": "Here"]),
        ])
        let searcher = try PlaceSearcher(paths: [path])
        withExtendedLifetime(directory) {}
        let streets = try searcher.search("long road", kinds: [.street])
        #expect(Set(streets.map(\.address.locality)) == ["Here", "There"] && streets.count == 2)
        #expect(try searcher.search("9 Long Road, Here").first?.name == "Long Road 9")
        let address = try searcher.address(at: Coordinate(latitude: 47.0001, longitude: 9.0014))
        #expect(address.streetLine == "Long Road 7" && address.locality == "Here")
    }

    @Test("a suburb named like its town is left out of an address")
    func suburb() throws {
        let (directory, path) = try Written.index(of: [
            Written.point("n1", 9.0, 47.0, ["place": "town", "name": "Here", "population": "20000"]),
            Written.point("n2", 9.001, 47.0, ["place": "suburb", "name": "Here", "population": "5000"]),
            Written.point("n3", 9.1, 47.0, ["place": "town", "name": "There", "population": "20000"]),
            Written.point("n4", 9.101, 47.0, ["place": "suburb", "name": "Old Town", "population": "5000"]),
        ])
        let searcher = try PlaceSearcher(paths: [path])
        withExtendedLifetime(directory) {}
        let here = try searcher.address(at: Coordinate(latitude: 47, longitude: 9.0005))
        #expect(here.locality == "Here" && here.subLocality == nil)
        let there = try searcher.address(at: Coordinate(latitude: 47, longitude: 9.1005))
        #expect(there.locality == "There" && there.subLocality == "Old Town")
    }

    @Test("the street of an address is that of a house within 25 m, unless another street is nearer")
    func nearerStreet() throws {
        let (directory, path) = try Written.index(of: [
            Written.point("n1", 9.0, 47.0, ["place": "town", "name": "Here"]),
            Written.line("w1", [(9.0, 47.0), (9.01, 47.0)], ["highway": "residential", "name": "Long Road"]),
            Written.line("w2", [(9.0, 47.0006), (9.01, 47.0006)], ["highway": "residential", "name": "High Street"]),
            // 22 m north of Long Road, 44 m south of its own street.
            Written.point(
                "n2", 9.005, 47.0002, ["addr:street": "High Street", "addr:housenumber": "7", "addr:city": "Here"]),
        ])
        let searcher = try PlaceSearcher(paths: [path])
        withExtendedLifetime(directory) {}
        func street(_ latitude: Double) throws -> String? {
            try searcher.address(at: Coordinate(clampingLatitude: latitude, wrappingLongitude: 9.005)).streetLine
        }
        #expect(try street(47.00005) == "Long Road", "5 m from the street, 17 m from the house")
        #expect(try street(47.00015) == "High Street 7", "17 m from the street, 5 m from the house")
        #expect(try street(47.0001 - 0.0004) == "Long Road")
    }

    @Test("the namer searches again only once the user has moved")
    func namer() throws {
        let (directory, path) = try Written.index(of: [
            Written.point("n1", 9.0, 47.0, ["place": "town", "name": "Here"]),
            Written.line("w1", [(9.0, 47.0), (9.002, 47.0)], ["highway": "residential", "name": "First"]),
            Written.line("w2", [(9.0, 47.001), (9.002, 47.001)], ["highway": "residential", "name": "Second"]),
        ])
        var namer = PlaceNamer(try PlaceSearcher(paths: [path]))
        withExtendedLifetime(directory) {}
        #expect(try namer.name(at: Coordinate(latitude: 47, longitude: 9), accuracy: 5).line == "First, Here")
        #expect(try namer.name(at: Coordinate(latitude: 47.001, longitude: 9), accuracy: 5).line == "Second, Here")
        // Within 5 km nobody can tell a street.
        #expect(try namer.name(at: Coordinate(latitude: 47.2, longitude: 9), accuracy: 5000).street == nil)
    }

    @Test("of two places that are alike and equally far, the one in sight comes first")
    func visibleFirst() throws {
        let (directory, path) = try Written.index(of: [
            Written.point("n1", 9.0, 47.01, ["amenity": "pub", "name": "The Swan"]),
            Written.point("n2", 9.0, 46.99, ["amenity": "pub", "name": "The Swan"]),
        ])
        let searcher = try PlaceSearcher(paths: [path])
        withExtendedLifetime(directory) {}
        let center = Coordinate(latitude: 47, longitude: 9)
        let (north, south) = (
            PlaceBounds(west: 8.9, south: 47.005, east: 9.1, north: 47.02)!,
            PlaceBounds(west: 8.9, south: 46.98, east: 9.1, north: 46.995)!
        )
        for (region, first) in [(north, ["n1", "n2"]), (south, ["n2", "n1"])] {
            #expect(try searcher.search("the swan", near: center, visible: region).map(\.id) == first)
            #expect(
                try searcher.suggestions(for: "the sw", near: center, visible: region).compactMap(\.place?.id) == first)
        }
    }

    @Test("a place says if it is accessible to wheelchairs, and uses no space for it")
    func wheelchair() throws {
        func index(_ values: [String?]) throws -> (TemporaryDirectory, String, size: Int) {
            let (directory, path) = try Written.index(
                of: values.enumerated().map { number, value in
                    var tags = ["amenity": "cafe", "name": "Place \(number)"]
                    tags["wheelchair"] = value
                    return Written.point("n\(number + 1)", 9 + Double(number) / 1000, 47, tags)
                })
            return (directory, path, try Data(contentsOf: URL(filePath: path)).count)
        }
        let values = ["yes", "limited", "no", "designated", "unknown", nil]
        let (directory, path, size) = try index(Array(repeating: values, count: 500).flatMap(\.self))
        let searcher = try PlaceSearcher(paths: [path])
        let found = try (0..<6).map { try searcher.search("place \($0)").first?.wheelchair }
        #expect(found == [.yes, .limited, .no, .yes, nil, nil])
        let (other, _, plain) = try index(Array(repeating: nil, count: 3000))
        #expect(size == plain)
        // An index of an earlier release.
        try SQLDatabase<PlaceIndexError>(path: path).run("PRAGMA user_version = 2")
        #expect(try PlaceSearcher(paths: [path]).search("cafe").isEmpty == false)
        withExtendedLifetime((directory, other)) {}
    }

    @Test("a place in two indexes is given once, with the region's details and the world's importance")
    func detailsOfTheRegion() throws {
        let directory = try TemporaryDirectory()
        let (region, world) = (directory.path + "/region.places", directory.path + "/world.places")
        try Written.write(
            [
                Written.point(
                    "n1", 9.0, 47.0, ["place": "village", "name": "Here", "website": "https://here.example"]),
                Written.point(
                    "n2", 9.1, 47.0,
                    ["tourism": "museum", "name": "Museum", "phone": "+1", "opening_hours": "Mo 10:00-12:00"]),
            ], to: region, in: directory)
        try Written.write(
            [
                Written.point("n7", 9.001, 47.0, ["place": "city", "name": "Here", "population": "3000000"]),
                Written.point("n8", 9.1001, 47.0, ["tourism": "museum", "name": "Museum"]),
                Written.point("n9", 0, 0, ["place": "town", "name": "Hereford", "population": "90000"]),
            ], to: world, in: directory)
        let searcher = try PlaceSearcher(paths: [region, world])
        let museums = try searcher.search("museum", near: Coordinate(latitude: 47, longitude: 9.1))
        #expect(museums.map(\.id) == ["n2"] && museums.first?.phone == "+1" && museums.first?.openingHours != nil)
        // Without the world's importance the village would come last.
        let towns = try searcher.search("here")
        #expect(towns.first?.id == "n1" && !towns.contains { $0.id == "n7" })
    }
}
