import PlaceSearch
import MapTiles
import FoundationEssentials
import LocationModel
import MapModel
import PlaceFixtures
import TestSupport
import Testing

@testable import LocationMap

@Suite("Local search and the geocoder, with a real extract", .timeLimit(.minutes(10)))
@MainActor
struct LocalSearchTests {
    /// Installs Liechtenstein as the only region.
    private func install(in directory: TemporaryDirectory) async throws -> PlaceIndexCache {
        let region = directory.path + "/liechtenstein"
        try FileManager.default.createDirectory(atPath: region, withIntermediateDirectories: false)
        try await ExtractIndex.write(.liechtenstein, to: region + "/places.sqlite")
        try FileManager.default.createSymbolicLink(
            atPath: region + "/tiles.mbtiles",
            withDestinationPath: FileManager.default.currentDirectoryPath + "/.build/map/world.mbtiles")
        let information = RegionInformation(
            name: "liechtenstein", bounds: [9.47, 47.05, 9.64, 47.27], source: "liechtenstein.osm.pbf", sourceSize: 1,
            dataDate: nil, added: "2026-11-22T00:00:00Z", tilesSize: 1, placesSize: 1, places: 1, attribution: "OSM")
        try JSONEncoder().encode(information).write(to: URL(filePath: region + "/region.json"))
        return PlaceIndexCache(regions: MapRegions(userDirectory: directory.path, systemDirectory: "/nonexistent")) {
            report in
            Issue.record("\(report)")
        }
    }

    private let vaduz = CoordinateRegion(
        center: Coordinate(clampingLatitude: 47.14, wrappingLongitude: 9.52),
        span: CoordinateSpan(latitudeDelta: 0.04, longitudeDelta: 0.04))

    @Test("the program's own places have the properties of found ones")
    func ownPlaces() {
        var address = PlaceAddress()
        (address.thoroughfare, address.subThoroughfare, address.locality) = ("Städtle", "5", "Vaduz")
        let placemark = Placemark(coordinate: Coordinate(latitude: 47.14, longitude: 9.52), address: address)
        let item = MapItem(placemark: placemark, pointOfInterestCategory: .cafe, openingHours: "Mo-Fr 08:00-18:00")
        #expect(item.name == placemark.title && item.address?.shortAddress == "Städtle 5")
        #expect(item.openingTimes?.lines.count == 1)
        let response = LocalSearch.Response(mapItems: [item])
        #expect(response.mapItems.map(\.coordinate) == [placemark.coordinate] && response.boundingRegion == nil)
    }

    @Test("a place is kept as JSON, and described by its name and address")
    func kept() throws {
        var address = PlaceAddress()
        (address.thoroughfare, address.subThoroughfare, address.locality) = ("Städtle", "5", "Vaduz")
        let placemark = Placemark(coordinate: Coordinate(latitude: 47.14, longitude: 9.52), address: address)
        let item = MapItem(
            placemark: placemark, name: "Café Amann", id: "n1", pointOfInterestCategory: .cafe,
            url: URL(string: "https://example.org/"), openingHours: "Mo-Fr 08:00-18:00",
            region: CoordinateRegion(center: placemark.coordinate, latitudinalMeters: 90, longitudinalMeters: 90))
        #expect(try JSONDecoder().decode(MapItem.self, from: JSONEncoder().encode(item)) == item)
        #expect("\(item)" == "Café Amann, Städtle 5, Vaduz")
        #expect("\(MapItem(placemark: placemark))" == "Städtle 5, Vaduz")
    }

    @Test("each category of the places has one kind at most, and wider ones have none")
    func kinds() {
        for (category, kind) in [
            ("cafe", .cafe), ("fast_food", .restaurant), ("tram_stop", .publicTransport), ("attraction", nil),
            ("swimming_pool", nil), ("sports_centre", nil), ("pond", nil),
        ] as [(String, PointOfInterestCategory?)] {
            #expect(PointOfInterestCategory(placeCategory: category) == kind, "\(category)")
        }
    }

    @Test("a search finds a town, types narrow it, and the region holds what was found")
    func search() async throws {
        let directory = try TemporaryDirectory()
        let indexes = try await install(in: directory)
        let response = try await LocalSearch(
            request: .init(naturalLanguageQuery: "Vaduz", region: vaduz), indexes: indexes
        ).start()
        let first = try #require(response.mapItems.first)
        #expect(first.name == "Vaduz")
        #expect(abs(first.placemark.coordinate.latitude - 47.14) < 0.03)
        let region = try #require(response.boundingRegion)
        #expect(region.contains(first.placemark.coordinate))

        var cafes = LocalSearch.Request(naturalLanguageQuery: "coffee", region: vaduz)
        cafes.resultTypes = .pointOfInterest
        cafes.limit = 3
        let found = try await LocalSearch(request: cafes, indexes: indexes).start().mapItems
        #expect((1...3).contains(found.count))
        #expect(found.allSatisfy { $0.pointOfInterestCategory == .cafe && $0.dataCategory == "cafe" })
        cafes.pointOfInterestFilter = PointOfInterestFilter(excluding: [.cafe])
        #expect(try await LocalSearch(request: cafes, indexes: indexes).start().mapItems.isEmpty)
        cafes.pointOfInterestFilter = PointOfInterestFilter(including: [.cafe])
        #expect(try await LocalSearch(request: cafes, indexes: indexes).start().mapItems == found)
    }

    @Test("a required region leaves out what lies beside it")
    func regionPriority() async throws {
        let directory = try TemporaryDirectory()
        let indexes = try await install(in: directory)
        var request = LocalSearch.Request(naturalLanguageQuery: "Schaan", region: vaduz)
        request.region?.span = CoordinateSpan(latitudeDelta: 0.01, longitudeDelta: 0.01)
        #expect(try await !LocalSearch(request: request, indexes: indexes).start().mapItems.isEmpty)
        request.regionPriority = .required
        let inside = try await LocalSearch(request: request, indexes: indexes).start().mapItems
        #expect(inside.allSatisfy { request.region?.contains($0.coordinate) == true })
        #expect(!inside.contains { $0.name == "Schaan" && $0.pointOfInterestCategory == nil })
    }

    @Test(
        "a region of the map is searched as the box that it shows, also across the 180th meridian",
        arguments: [
            ((47, 9, 2, 4), (7, 46, 11, 48)), ((0, 179, 10, 6), (176, -5, -178, 5)),
            ((0, 0, 180, 360), (-180, -90, 180, 90)),
            ((89, 10, 4, 400), (-180, 87, 180, 90)),
        ] as [((Double, Double, Double, Double), (Double, Double, Double, Double))])
    func boxes(
        region: (latitude: Double, longitude: Double, height: Double, width: Double),
        box: (west: Double, south: Double, east: Double, north: Double)
    ) throws {
        let center = try #require(Coordinate(latitude: region.latitude, longitude: region.longitude))
        let bounds = PlaceBounds(
            CoordinateRegion(
                center: center, span: CoordinateSpan(latitudeDelta: region.height, longitudeDelta: region.width)))
        #expect(bounds == PlaceBounds(west: box.west, south: box.south, east: box.east, north: box.north))
    }

    @Test("a completer reports the results of the newest fragment only")
    func completer() async throws {
        let directory = try TemporaryDirectory()
        let completer = LocalSearchCompleter(indexes: try await install(in: directory))
        let (updates, continuation) = AsyncStream.makeStream(of: [String].self)
        let delegate = Delegate(continuation)
        completer.delegate = delegate
        completer.region = vaduz
        completer.queryFragment = "b"
        completer.queryFragment = "balz"
        var iterator = updates.makeAsyncIterator()
        let titles = try #require(await iterator.next())
        #expect(titles.first == "Balzers")
        let first = try #require(completer.results.first)
        #expect(first.titleHighlightRanges.map { first.title[$0] } == ["Balz"])
        #expect(!completer.isSearching)
    }

    @Test("a completer suggests only what its types, its filter and its required region include")
    func narrowedCompleter() async throws {
        let directory = try TemporaryDirectory()
        let completer = LocalSearchCompleter(indexes: try await install(in: directory))
        let (updates, continuation) = AsyncStream.makeStream(of: [String].self)
        let delegate = Delegate(continuation)
        completer.delegate = delegate
        completer.region = vaduz
        func results(for fragment: String, _ change: (LocalSearchCompleter) -> Void) async -> [LocalSearchCompletion] {
            change(completer)
            completer.queryFragment = ""
            completer.cancel()
            completer.queryFragment = fragment
            for await _ in updates { break }
            return completer.results
        }
        let all = await results(for: "cafe") { _ in }
        #expect(all.contains { $0.mapItem == nil } && all.contains { $0.mapItem?.pointOfInterestCategory == .cafe })
        let addresses = await results(for: "cafe") { $0.resultTypes = .address }
        #expect(!addresses.contains { $0.mapItem == nil || $0.mapItem?.pointOfInterestCategory != nil })
        let towns = await results(for: "balz") { _ in }
        #expect(towns.first?.title == "Balzers")
        let points = await results(for: "balz") { $0.resultTypes = .pointOfInterest }
        #expect(!points.contains { $0.title == "Balzers" })
        let others = await results(for: "cafe") { $0.pointOfInterestFilter = PointOfInterestFilter(excluding: [.cafe]) }
        #expect(!others.contains { $0.title == "Café" || $0.mapItem?.pointOfInterestCategory == .cafe })
        let inside = await results(for: "balz") {
            ($0.resultTypes, $0.pointOfInterestFilter, $0.regionPriority) = (.all, nil, .required)
            $0.region?.span = CoordinateSpan(latitudeDelta: 0.01, longitudeDelta: 0.01)
        }
        #expect(!inside.contains { $0.title == "Balzers" })
    }

    @Test("the geocoder names a street, a town and a country, and finds the street again")
    func geocoder() async throws {
        let directory = try TemporaryDirectory()
        let geocoder = Geocoder(indexes: try await install(in: directory))
        let place = Coordinate(latitude: 47.1393, longitude: 9.5221)
        let placemark = try await geocoder.reverseGeocode(place)
        let street = try #require(placemark.thoroughfare)
        #expect(placemark.locality == "Vaduz")
        let again = try await geocoder.geocodeAddressString("\(street), Vaduz", in: vaduz)
        #expect(again.contains { $0.thoroughfare == street || $0.name == street || $0.title.contains(street) })
    }

    @Test("points of interest around a coordinate are those of the filter, the nearest first, within the radius")
    func pointsOfInterest() async throws {
        let directory = try TemporaryDirectory()
        let indexes = try await install(in: directory)
        var request = LocalPointsOfInterestRequest(center: vaduz.center, radius: 1500)
        request.pointOfInterestFilter = PointOfInterestFilter(including: [.cafe, .restaurant])
        request.limit = 10
        let items = try await LocalSearch(request: request, indexes: indexes).start().mapItems
        #expect((5...10).contains(items.count))
        let categories = items.map(\.pointOfInterestCategory)
        #expect(categories.allSatisfy { [.cafe, .restaurant].contains($0) }, "\(categories)")
        let distances = items.map { $0.coordinate.distance(to: request.coordinate) }
        #expect(distances == distances.sorted() && distances.allSatisfy { $0 <= 1500 })

        request.pointOfInterestFilter = .excludingAll
        #expect(try await LocalSearch(request: request, indexes: indexes).start().mapItems.isEmpty)
        let region = LocalPointsOfInterestRequest(coordinateRegion: vaduz)
        #expect(try await !LocalSearch(request: region, indexes: indexes).start().mapItems.isEmpty)
        #expect(LocalPointsOfInterestRequest(center: vaduz.center, radius: .nan).radius == 0)
    }

    @Test("each category of MapKit has categories of the installed places")
    func categories() {
        for category in PointOfInterestCategory.allCases {
            #expect(!category.placeCategories.isEmpty)
            for name in category.placeCategories { #expect(PlaceCategory.named(name) != nil, "\(name)") }
        }
    }

    @Test("an address is found and a location has one, in the forms that programs show")
    func requests() async throws {
        let directory = try TemporaryDirectory()
        let indexes = try await install(in: directory)
        let place = Location(latitude: 47.1393, longitude: 9.5221)
        let item = try #require(try await ReverseGeocodingRequest(location: place, indexes: indexes).mapItems.first)
        #expect(item.coordinate.distance(to: place.coordinate) < 1)
        let street = try #require(item.address?.shortAddress)
        let forms = try #require(item.addressRepresentations)
        #expect(forms.cityName == "Vaduz" && forms.regionName == "Liechtenstein")
        #expect(forms.cityWithContext?.hasPrefix("Vaduz, ") == true)
        let lines = try #require(forms.fullAddress(includingRegion: false, singleLine: false)).split(separator: "\n")
        #expect(lines.first.map(String.init) == street && !lines.contains("Liechtenstein"))
        #expect(forms.fullAddress(includingRegion: true, singleLine: true) == item.address?.fullAddress)

        var request = try #require(GeocodingRequest(addressString: "\(street), Vaduz", indexes: indexes))
        request.region = vaduz
        let found = try await request.mapItems
        #expect(found.contains { $0.coordinate.distance(to: place.coordinate) < 500 }, "\(found.map(\.name))")
        #expect(GeocodingRequest(addressString: " \n", indexes: indexes) == nil)
    }

    /// Passes the titles of results on.
    private final class Delegate: LocalSearchCompleterDelegate {
        private let updates: AsyncStream<[String]>.Continuation

        init(_ updates: AsyncStream<[String]>.Continuation) { self.updates = updates }

        func completerDidUpdateResults(_ completer: LocalSearchCompleter) {
            updates.yield(completer.results.map(\.title))
        }

        func completer(_ completer: LocalSearchCompleter, didFailWithError error: any Error) {
            Issue.record(error)
            updates.yield([])
        }
    }
}
