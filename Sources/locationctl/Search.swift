import CommandLineSupport
import ArgumentParser
import LocationClient
import LocationModel
import MapTiles
import PlaceSearch

struct Search: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Find places, streets and addresses, without any network.",
        discussion: """
            Takes names in many languages, kinds of places ("coffee", "Apotheke"), "atm near the station", addresses, \
            coordinates and plus codes, and forgives mistakes. Nothing that is searched leaves the machine or is kept.

            Distances are from --near, else from where you are if this program may know that; it does not ask for it.
            """)

    @OptionGroup var service: ServiceOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: ArgumentHelp("The text to search for.", valueName: "query"))
    var query: [String]

    // Unconditional: half of the world's latitudes begin with a minus sign.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The centre of the search, such as 47.14,9.52, or none.", valueName: "position"))
    var near: String?

    @Option(help: ArgumentHelp("The largest number of results, up to 100.", valueName: "number"))
    var limit = 10

    @Flag(help: "The same as --format json.")
    var json = false

    func validate() throws {
        if let near, near != "none", CoordinateText.coordinate(near) == nil {
            throw ValidationError("--near takes a position such as 47.14,9.52, or none.")
        }
        guard (1...100).contains(limit) else { throw ValidationError("--limit takes 1 to 100.") }
    }

    func run() async throws {
        var output = output
        if json { output.format = .json }
        do {
            let searcher = try PlaceSearcher(paths: try InstalledPlaces().paths)
            let center = await self.center()
            let text = query.joined(separator: " ")
            let places = try searcher.search(text, near: center, limit: limit)
            try output.say(places) { places.isEmpty ? ["Nothing found."] : Self.lines(places) }
        } catch let error as InstalledPlaces.Missing {
            Terminal.complain(error.description.shown(limit: 4096))
            throw Exit.failure
        } catch let error as PlaceIndexError {
            Terminal.complain(error.description.shown(limit: 4096))
            throw Exit.failure
        }
    }

    /// The position that the search starts from. An undecided user is not asked for the sake of the order of results,
    /// and without a fix the search has no position.
    private func center() async -> Coordinate? {
        if let near { return CoordinateText.coordinate(near) }
        let manager = LocationManager(socketPath: service.socket)
        do {
            switch try await manager.authorizationStatus {
            case .authorizedWhenInUse, .authorizedAlways:
                return try await manager.requestLocation(timeout: .seconds(2)).coordinate
            case .notDetermined, .restricted, .denied: return nil
            }
        } catch {
            return nil
        }
    }

    /// One line with the name and distance of each place, and one with its address.
    static func lines(_ places: [FoundPlace]) -> [String] {
        let number = "\(places.count)".count
        return places.enumerated().flatMap { index, place -> [String] in
            let rank = String(repeating: " ", count: number - "\(index + 1)".count) + "\(index + 1)"
            let kind = place.category.flatMap { PlaceCategory.named($0)?.title }.flatMap { $0 == place.name ? nil : $0 }
            let distance = place.distance.map { Quantity.distance($0) }
            let first = [place.name, kind, distance].compactMap { $0 }.joined(separator: " · ")
            let position = "\(TextFormat.number(place.latitude, 5)), \(TextFormat.number(place.longitude, 5))"
            let indentation = String(repeating: " ", count: number + 2)
            let address = place.address.line(without: place.name)
            let hours = place.openingTimes?.lines.joined(separator: "; ") ?? place.openingHours
            let contact = [hours.map { "open \($0)" }, place.phone, place.url].compactMap { $0 }
            return ["\(rank)  \(first.shown())"]
                + [address, contact.joined(separator: " · ")].filter { !$0.isEmpty }.map { indentation + $0.shown() }
                + [indentation + position]
        }
    }
}
