import CommandLineSupport
import LocationClient
import LocationModel
import MapTiles
import PlaceSearch

/// A position on the command line: in degrees, in another notation, or the name of a place.
struct TypedPlace {
    /// The words with the usual minus sign.
    let text: String
    /// The same words, as they are typed into a shell.
    let typed: String
    /// The command line up to the words, for remedies.
    let command: String

    init(_ words: [String], command: String) {
        let words = words.map { $0.replacing(TypedNumber.minus, with: "-") }
        text = words.joined(separator: " ")
        typed = words.map(\.shellWord).joined(separator: " ")
        self.command = command
    }

    /// The position. Ends the program with a message if there is none.
    ///
    /// - Parameter hasRadius: true if the radius is given otherwise, so that the place may be of any size.
    func location(hasRadius: Bool) throws -> FixedLocation {
        let link = MapLink(text)
        let readings = link?.coordinate.map { [$0] } ?? CoordinateText.readings(of: text)
        if readings.count == 1 { return FixedLocation(coordinate: readings[0]) }
        let subject = "“\(text.shown(limit: 256))”"
        guard readings.isEmpty else {
            let lines = readings.map { coordinate in
                "  \(command) \(TextFormat.asTyped(coordinate))   # \(CoordinateNotation.decimal.position(coordinate))"
            }
            Terminal.complain(["\(subject) has more than one meaning. To choose one, run:"] + lines)
            throw Exit.failure
        }
        guard link != nil || !MapLink.isLink(text) else {
            Terminal.complain(
                "\(subject) is a link without a position in it. To give the position, run: \(command) LATITUDE LONGITUDE"
            )
            throw Exit.failure
        }
        let name = link?.name ?? text
        guard name.contains(where: \.isLetter) else {
            Terminal.complain(
                "\(subject) is not a position: give a latitude from -90 to 90 and a longitude from -180 to 180, as in: "
                    + "\(command) 52.52 13.405")
            throw Exit.failure
        }
        do {
            let places = try PlaceSearcher(paths: try InstalledPlaces().paths).search(name, limit: 20)
            guard let choice = PlaceChoice(places) else {
                Terminal.complain(
                    "Nothing is called “\(name.shown())”. To search, run: locationctl search \(name.shellWord)")
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
    /// Asks the service, which may ask the user first.
    static func find(socket: String?) async throws -> Location {
        try await promptingHere(socket, timeout: .seconds(30)) {
            try await WithholdingRule.naming(socket: socket) {
                try await LocationManager(socketPath: socket).requestLocation(
                    timeout: .seconds(30), waitsForAgent: true)
            }
        }
    }
}
