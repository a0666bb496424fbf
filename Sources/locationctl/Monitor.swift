import ArgumentParser
import CommandLineSupport
import LocationClient
import LocationModel

struct Monitor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Have the service watch places, and print when you enter or leave them.",
        discussion: """
            For scripts. The places belong to locationctl for you. The service keeps them over restarts, and watches them even \
            while locationctl is not running if it is allowed always, otherwise while it is in use. What changed meanwhile is \
            printed by the next watch, once. To be allowed, run: locationctl allow --always org.locationd.locationctl
            """,
        subcommands: [List.self, Add.self, Remove.self, Watch.self], defaultSubcommand: List.self)

    /// The places of locationctl, for one user.
    fileprivate static func places(_ service: ServiceOptions) -> LocationMonitor {
        LocationMonitor("locationctl", socketPath: service.socket)
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List them (default).")

        @OptionGroup var service: ServiceOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await reportingErrors {
                let rows = try await Monitor.places(service).lastEvents.map(Row.init)
                try output.say(rows) {
                    rows.isEmpty
                        ? ["No place is watched. To add one, run: locationctl monitor add NAME LATITUDE LONGITUDE"]
                        : Table.lines(["place", "you are", "since"], rows.map { [$0.place, $0.words, $0.time] })
                }
            }
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Watch a place, instead of the one with the same name.")

        @OptionGroup var service: ServiceOptions
        @OptionGroup var output: OutputOptions

        @Argument(help: ArgumentHelp("What to call it.", valueName: "name"))
        var place: String

        @Argument(help: ArgumentHelp("Degrees north; with --here, none.", valueName: "latitude"))
        var latitude: TypedNumber?

        @Argument(help: ArgumentHelp("Degrees east.", valueName: "longitude"))
        var longitude: TypedNumber?

        @Flag(help: "Take your location now.")
        var here = false

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("The radius, 1 to 10000000 (default: 100).", valueName: "metres"))
        var radius: TypedNumber?

        func validate() throws {
            guard (latitude != nil && longitude != nil) != here, here == (latitude == nil) else {
                throw ValidationError("Give a position, as in: monitor add home 52.52 13.405, or --here.")
            }
            try Range.check(latitude?.value, "The latitude", "-90 to 90 degrees") { (-90...90).contains($0) }
            try Range.check(longitude?.value, "The longitude", "-180 to 180 degrees") { (-180...180).contains($0) }
            try Range.check(
                radius?.value, "--radius", "1 to 10000000 metres", CircularGeographicCondition.radii.contains)
        }

        func run() async throws {
            try await reportingErrors {
                let center =
                    if let latitude, let longitude {
                        Coordinate(latitude: latitude.value, longitude: longitude.value)
                    } else {
                        try await LocationManager(socketPath: service.socket).requestLocation().coordinate
                            as Coordinate?
                    }
                guard let center else { throw Exit.failure }
                let monitor = Monitor.places(service)
                try await monitor.add(
                    try CircularGeographicCondition(center: center, radius: radius?.value ?? 100), identifier: place)
                let row = try await monitor.record(for: place).map { Row($0.lastEvent) }
                try output.say(row) {
                    ["\(place.shown()) is watched. To see when you enter or leave it, run: locationctl monitor watch"]
                }
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Stop watching a place.")

        @OptionGroup var service: ServiceOptions
        @OptionGroup var output: OutputOptions

        @Argument(help: ArgumentHelp("What it is called.", valueName: "name"))
        var place: String

        func run() async throws {
            try await reportingErrors {
                let monitor = Monitor.places(service)
                guard try await monitor.record(for: place) != nil else {
                    throw LocationError.refused(
                        message:
                            "No place called \(place.shown()) is watched. To list those that are, run: locationctl monitor"
                    )
                }
                try await monitor.remove(place)
                try output.say(["place": place]) { ["\(place.shown()) is no longer watched."] }
            }
        }
    }

    struct Watch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a line whenever you enter or leave a place: first what changed since the last time.",
            discussion: "Ends with Ctrl-C (exit status 130), or after --count lines.")

        @OptionGroup var service: ServiceOptions
        @OptionGroup var output: OutputOptions

        @Option(help: ArgumentHelp("End after this number of lines.", valueName: "number"))
        var count: Int?

        func validate() throws {
            if let count, count < 1 { throw ValidationError("--count takes a number above 0.") }
        }

        func run() async throws {
            try await reportingErrors {
                var left = count ?? .max
                for try await event in Monitor.places(service).events {
                    guard event.date != nil else {
                        if let sentence = event.sentence { Terminal.complain(sentence.shown(limit: 4096)) }
                        continue
                    }
                    let row = Row(event)
                    try output.say(row) { ["\(row.time)  \(row.words)  \(row.place.shown())"] }
                    left -= 1
                    if left == 0 { return }
                }
            }
        }
    }

    /// A place with its state.
    fileprivate struct Row: Encodable {
        var place: String
        var state: String
        var date: Timestamp?

        init(_ event: LocationMonitor.Event) {
            (place, date) = (event.identifier, event.date)
            state =
                switch event.state {
                case .satisfied: "satisfied"
                case .unsatisfied: "unsatisfied"
                case .unknown: "unknown"
                }
        }

        var words: String { state == "satisfied" ? "inside" : state == "unsatisfied" ? "outside" : "not known" }
        var time: String { date.map { Clock.text($0) } ?? "" }
    }
}
