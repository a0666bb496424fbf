import ArgumentParser
import CommandLineSupport
import LocationInterface
import LocationModel
import LocationPolicy
import LocationServiceManagement

struct Places: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Name places of your own, for rules.",
        discussion: "For the position of a machine that does not move, see: locationctl sources fixed",
        subcommands: [List.self, Add.self, Remove.self],
        defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List your places (default).")

        @OptionGroup var service: ServiceOptions
        @OptionGroup var whose: UserOptions
        @OptionGroup var output: OutputOptions
        @OptionGroup var display: DisplayOptions

        func run() async throws {
            let places = try await LocationServiceManager(socketPath: service.socket).places(user: whose.user?.id)
            try output.say(places) { text(places) }
        }

        private func text(_ places: [ManagerInterface.Place]) -> [String] {
            guard !places.isEmpty else {
                return ["You have no places. To add one where you are, run: locationctl places add home --here"]
            }
            return Table.lines(
                ["name", "centre", "radius"],
                places.map { [$0.name, $0.position(display.style), $0.size(display.style)] })
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a place.",
            discussion: """
                Takes a position in degrees (52.52 13.405) or in any other notation that search takes, the name of a place that \
                is looked up in the installed data, or with --here the location that you have now. The service keeps your \
                places, and tells no program of them.
                """)

        @Argument(help: ArgumentHelp("The name for rules, such as home.", valueName: "name"))
        var name: String

        @Argument(help: ArgumentHelp("Latitude and longitude, or the name of a place.", valueName: "place"))
        var words: [String] = []

        @Flag(help: "Take the location that you have now.")
        var here = false

        @Option(help: ArgumentHelp("The radius, 50 to 50000.", valueName: "metres"))
        var radius = 200.0

        @Flag(
            help: """
                Put it in place of one of its name. A program that has seen where its locations stop at both can tell more about \
                the centre.
                """)
        var replace = false

        @OptionGroup var service: ServiceOptions
        @OptionGroup var whose: UserOptions
        @OptionGroup var output: OutputOptions
        @OptionGroup var display: DisplayOptions

        func validate() throws {
            guard here != !words.isEmpty else {
                throw ValidationError(
                    "Give a position, as in: places add home 52.52 13.405, or the name of a place, or --here.")
            }
            try Range.check(radius, "--radius", "50 to 50000 metres", NamedPlace.radii.contains)
        }

        func run() async throws {
            let coordinate =
                here
                ? try await current()
                : try TypedPlace(words, command: "locationctl places add \(name.shellWord)").location(
                    hasRadius: true
                )
                .coordinate
            let place = ManagerInterface.Place(
                name: name, latitude: coordinate.latitude, longitude: coordinate.longitude, radius: radius)
            try await LocationServiceManager(socketPath: service.socket).addPlace(
                place, replaces: replace, user: whose.user?.id)
            try output.say(place) {
                [
                    "\(name.shown()): \(place.position(display.style)), radius \(place.size(display.style))",
                    "So that no program receives your location there, run: locationctl rules add --inside \(name.shellWord) "
                        + "--deny",
                ]
            }
        }

        private func current() async throws -> Coordinate {
            let location = try await LocationHere.find(socket: service.socket)
            guard location.isExact else {
                let known = location.horizontalAccuracy.map {
                    "Your location is known to \(Quantity.distance($0, display.style.units)) only"
                }
                Terminal.complain(
                    "\(known ?? "The receiver does not say how accurate your location is"), and nothing was changed. To give "
                        + "the position, run: locationctl places add \(name.shellWord) LATITUDE LONGITUDE")
                throw Exit.temporary
            }
            return location.coordinate
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Remove a place that no rule of yours names.")

        @Argument(help: ArgumentHelp("The name.", valueName: "name"), completion: .places)
        var name: String

        @OptionGroup var service: ServiceOptions
        @OptionGroup var whose: UserOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await LocationServiceManager(socketPath: service.socket).removePlace(name, user: whose.user?.id)
            try output.say(["name": name]) { ["\(name.shown()) is removed."] }
        }
    }
}

extension ManagerInterface.Place {
    /// The position of the centre, for people.
    func position(_ style: DisplayStyle) -> String {
        guard let center = Coordinate(latitude: latitude, longitude: longitude) else { return "" }
        return style.coordinates.position(center)
    }

    /// The radius, for people.
    func size(_ style: DisplayStyle) -> String { Quantity.distance(radius, style.units) }
}
