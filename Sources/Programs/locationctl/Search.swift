import CommandLineSupport
import ArgumentParser
import LocationClient
import LocationModel
import MapTiles
import PlaceSearch

struct Search: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Find places, streets and addresses, offline.",
        discussion: """
            Takes names in many languages, kinds of places ("coffee", "Apotheke"), what is served ("pizza", \
            "vegan"), "atm near the station", "bakery open now", addresses, postal codes, crossings ("High Street & Mill \
            Lane"), coordinates and plus codes, and corrects misspelt words, lost and added spaces. If none of a kind is \
            within 50 km, the next ones are listed. No search leaves the machine or is recorded.

            Places near --near come first, and distances are from there; without it from your location, if this program \
            is already allowed to use it. The exit status is 1 if nothing is found.
            """)

    @OptionGroup var service: ServiceOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: ArgumentHelp("The text to search for.", valueName: "query"))
    var query: [String]

    // Unconditional: half of the world's latitudes begin with a minus sign.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The centre of the search: a place, or a position such as 47.14,9.52; none for no centre.",
            valueName: "place"))
    var near: String?

    @Option(help: ArgumentHelp("The largest number of results, up to 100.", valueName: "number"))
    var limit = 10

    @Flag(help: "The same as --format json.")
    var json = false

    @OptionGroup var display: DisplayOptions

    func validate() throws {
        guard (1...100).contains(limit) else { throw ValidationError("--limit takes 1 to 100.") }
    }

    func run() async throws {
        var output = output
        if json { output.format = .json }
        do {
            let installed = try InstalledPlaces()
            let searcher = try PlaceSearcher(paths: installed.paths)
            let center = try await self.center(searcher)
            let answer = try searcher.answer(to: query.joined(separator: " "), near: center, limit: limit)
            let places = Array(answer.places.prefix(limit))
            if answer.isAboutOpenNow, !places.isEmpty {
                Terminal.complain(
                    "These have known opening hours, and may be closed at present: compare their hours with the time there."
                )
            }
            if let absent = answer.absent {
                Terminal.complain("\(absent.title): none nearby\(places.isEmpty ? "" : ". The next").")
            }
            guard places.isEmpty else {
                return try output.say(places) { Self.lines(places, display.style) }
            }
            if output.format == .json { try output.say(places) { [] } }
            Terminal.complain(nothingFound(in: installed, near: center))
            throw Exit.failure
        } catch {
            throw InstalledPlaces.report(error)
        }
    }

    private func nothingFound(in installed: InstalledPlaces, near center: Coordinate?) -> String {
        if center == nil, PlaceSearcher.isAboutSurroundings(query.joined(separator: " ")) {
            return "Your location is not known. To search near a place, run: locationctl search restaurant --near PLACE"
        }
        if installed.isWorldOnly {
            return
                "Nothing found: only the towns of the world are installed. To add the streets and shops of a region, "
                + "run: locationctl map add REGION.osm.pbf"
        }
        guard center == nil else { return "Nothing found." }
        return
            "Nothing found. To search near a place, run: locationctl search \(TypedPlace(query, command: "").typed) --near PLACE"
    }

    /// The position that the search starts from. An undecided user is not prompted for the sake of the order of results, and
    /// without a fix the search has no position.
    private func center(_ searcher: PlaceSearcher) async throws -> Coordinate? {
        if let near {
            if near == "none" { return nil }
            if let position = CoordinateText.coordinate(near) { return position }
            guard let place = try searcher.search(near, limit: 1).first else {
                Terminal.complain(
                    "--near: nothing is called “\(near.shown())”. It takes a place, a position such as 47.14,9.52, or none."
                )
                throw Exit.failure
            }
            let line = [place.name, place.address.line(without: place.name)].filter { !$0.isEmpty }
            Terminal.complain("Near \(line.joined(separator: ", ").shown()).")
            return place.coordinate
        }
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
    static func lines(_ places: [FoundPlace], _ style: DisplayStyle) -> [String] {
        let number = "\(places.count)".count
        return places.enumerated().flatMap { index, place -> [String] in
            let rank = String(repeating: " ", count: number - "\(index + 1)".count) + "\(index + 1)"
            let kind = place.category.flatMap { PlaceCategory.named($0)?.title }.flatMap { $0 == place.name ? nil : $0 }
            let distance = place.distance.map { Quantity.distance($0, style.units) }
            let alias = place.alternativeName.map { "also called \($0)" }
            let first = [place.name, alias, kind, distance].compactMap { $0 }.joined(separator: " · ")
            // Decimal degrees in a form that --near accepts.
            let position =
                style.coordinates == .decimal
                ? "\(TextFormat.number(place.latitude, 5)), \(TextFormat.number(place.longitude, 5))"
                : style.coordinates.position(place.coordinate)
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
