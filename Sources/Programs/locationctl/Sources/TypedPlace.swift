import CommandLineSupport
import LocationClient
import LocationConfiguration
import LocationModel
import MapTiles
import PlaceSearch

/// A position on the command line: in degrees, in another notation, or the name of a place.
struct TypedPlace {
    /// The words with the usual minus sign.
    let text: String
    /// The command line up to the words, for remedies.
    let command: String

    init(_ words: [String], command: String) {
        text = words.map { $0.replacing(TypedNumber.minus, with: "-") }.joined(separator: " ")
        self.command = command
    }

    /// The position. Ends the program with a message if there is none.
    ///
    /// - Parameter hasRadius: true if the radius is given otherwise, so that the place may be of any size.
    func location(hasRadius: Bool) throws -> FixedLocation {
        let numbers = text.split(whereSeparator: { $0 == " " || $0 == "," }).compactMap { Double($0) }
        let plain = numbers.count == 2 ? Coordinate(latitude: numbers[0], longitude: numbers[1]) : nil
        if let coordinate = plain ?? CoordinateText.coordinate(text) { return FixedLocation(coordinate: coordinate) }
        guard text.contains(where: \.isLetter) else {
            Terminal.complain(
                "“\(text.shown())” is not a position: give a latitude from -90 to 90 and a longitude from -180 to 180, as in: "
                    + "\(command) 52.52 13.405")
            throw Exit.failure
        }
        do {
            let places = try PlaceSearcher(paths: try InstalledPlaces().paths).search(text, limit: 20)
            guard let choice = PlaceChoice(places) else {
                Terminal.complain(
                    "Nothing is called “\(text.shown())”. To search, run: locationctl search \(text.shown())")
                throw Exit.failure
            }
            guard hasRadius || choice.radius != nil else {
                Terminal.complain(
                    "\(choice.title.shown()) is too large for a position: name a town or an address in it, or add --accuracy METRES."
                )
                throw Exit.failure
            }
            Terminal.complain(choice.lines(command).map { $0.shown() })
            return FixedLocation(
                coordinate: choice.place.coordinate,
                horizontalAccuracy: choice.radius ?? FixedLocation.defaultAccuracy)
        } catch {
            throw InstalledPlaces.report(error)
        }
    }
}

/// The location that the user has now.
enum LocationHere {
    private actor Found {
        private(set) var location: Location?

        func set(_ location: Location) { self.location = location }
    }

    /// Asks the service, which may ask the user first.
    static func find(socket: String?) async throws -> Location {
        let found = Found()
        try await promptingHere(socket, timeout: .seconds(30)) {
            let location = try await WithholdingRule.naming(socket: socket) {
                try await LocationManager(socketPath: socket).requestLocation(
                    timeout: .seconds(30), waitsForAgent: true)
            }
            await found.set(location)
        }
        guard let location = await found.location else { throw Exit.noFix }
        return location
    }
}
