import ArgumentParser
import CommandLineSupport
import LocationClient
import LocationDiagnosis
import LocationModel

struct Monitor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Watch geofences: circles that you enter or leave.",
        discussion: """
            For scripts. The service keeps geofences over restarts, and watches them even \
            while locationctl is not running if it is allowed always, otherwise while it is in use. What changed meanwhile is \
            printed by the next watch, once. To be allowed, run: locationctl allow --always org.locationd.locationctl

            A geofence can start a unit of yours whenever you enter it: see locationctl help monitor add
            """,
        subcommands: [List.self, Add.self, Remove.self, Watch.self], defaultSubcommand: List.self)

    /// The geofences of locationctl, for one user.
    fileprivate static func places(_ service: ServiceOptions) -> LocationMonitor {
        LocationMonitor("locationctl", socketPath: service.socket)
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List them (default).")

        @OptionGroup var service: ServiceOptions
        @OptionGroup var output: OutputOptions
        @OptionGroup var time: ClockOptions

        private static let asleep =
            "No unit is started now, because \(GeofenceUnits.watch) does not run. To start it, run: "
            + "systemctl --user restart \(GeofenceUnits.watch)"

        func run() async throws {
            let events = try await Monitor.places(service).lastEvents
            let rows = zip(events, try GeofenceUnits.units(of: events.map(\.identifier))).map(Row.init)
            try output.say(rows) {
                guard !rows.isEmpty else {
                    return [
                        "No geofence is watched. To add one, run: locationctl monitor add NAME LATITUDE LONGITUDE"
                    ]
                }
                let hasUnits = rows.contains { $0.units?.isEmpty == false }
                let isAsleep = hasUnits && GeofenceUnits.watchState?.isActive == false
                return Table.lines(
                    ["geofence", "you are", "since"] + (hasUnits ? ["starts"] : []),
                    rows.map { row in
                        [row.place, row.words, row.time(time.clock)]
                            + (hasUnits ? [(row.units ?? []).joined(separator: ", ")] : [])
                    }) + (isAsleep ? [Self.asleep] : [])
            }
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Watch a geofence, instead of the one with the same name.",
            discussion: """
                With --start, a unit of yours is started whenever you enter the geofence, by locationd-geofences.service, \
                which this enables for you. A unit with PartOf=locationd-geofence@NAME.target is stopped when you leave. While \
                you are not logged in, your units run only after: sudo loginctl enable-linger USER
                """)

        @OptionGroup var service: ServiceOptions
        @OptionGroup var output: OutputOptions

        @Argument(help: ArgumentHelp("What to call it.", valueName: "name"))
        var place: String

        @Argument(help: ArgumentHelp("Latitude and longitude, or the name of a place.", valueName: "position"))
        var words: [String] = []

        @Flag(help: "Take your location now.")
        var here = false

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("The radius, 1 to 10000000 (default: 100).", valueName: "metres"))
        var radius: TypedNumber?

        @Option(help: ArgumentHelp("Start this unit of yours whenever you enter.", valueName: "unit"))
        var start: String?

        func validate() throws {
            guard here != !words.isEmpty else {
                throw ValidationError(
                    "Give a position, as in: monitor add home 52.52 13.405, or the name of a place, or --here.")
            }
            try Range.check(
                radius?.value, "--radius", "1 to 10000000 metres", CircularGeographicCondition.radii.contains)
        }

        /// A watch that runs as a unit is never in use.
        private static let hint = "So that units are started, run: locationctl allow --always org.locationd.locationctl"

        func run() async throws {
            let center =
                if here {
                    try await WithholdingRule.naming(socket: service.socket) {
                        try await LocationManager(socketPath: service.socket).requestLocation().coordinate
                    }
                } else {
                    try TypedPlace(words, command: "locationctl monitor add \(place.shellWord)").location(
                        hasRadius: true
                    ).coordinate
                }
            let (monitor, units) = (Monitor.places(service), GeofenceUnits.monitor(socketPath: service.socket))
            let circle = try CircularGeographicCondition(center: center, radius: radius?.value ?? 100)
            try GeofenceUnits.set(start, for: place)
            try await monitor.add(circle, identifier: place)
            if start == nil {
                try await units.remove(place)
            } else {
                // Being inside already is no entering.
                try await units.add(circle, identifier: place, assuming: .satisfied)
            }
            let row = try await monitor.record(for: place).map {
                Row($0.lastEvent, units: start.map { [$0] } ?? [])
            }
            let isAllowedAlways =
                try await LocationManager(socketPath: service.socket).authorizationStatus == .authorizedAlways
            try output.say(row) {
                guard let start else {
                    return [
                        "\(place.shown()) is watched. To see when you enter or leave it, run: locationctl monitor watch"
                    ]
                }
                let said = "\(place.shown()) is watched, and \(start.shown()) is started whenever you enter it."
                return [said] + (isAllowedAlways ? [] : [Self.hint])
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Stop watching a geofence.")

        @OptionGroup var service: ServiceOptions
        @OptionGroup var output: OutputOptions

        @Argument(help: ArgumentHelp("What it is called.", valueName: "name"), completion: .geofences)
        var place: String

        func run() async throws {
            let monitor = Monitor.places(service)
            guard try await monitor.record(for: place) != nil else {
                throw LocationError.refused(
                    message:
                        "No geofence called \(place.shown()) is watched. To list those that are, run: locationctl monitor"
                )
            }
            try await monitor.remove(place)
            try await GeofenceUnits.monitor(socketPath: service.socket).remove(place)
            try GeofenceUnits.remove(from: place)
            try output.say(["place": place]) { ["\(place.shown()) is no longer watched."] }
        }
    }

    struct Watch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a line whenever you enter or leave a geofence: first what changed since the last time.",
            discussion: "Ends with Ctrl-C (exit status 130), or after --count lines.")

        @OptionGroup var service: ServiceOptions
        @OptionGroup var output: OutputOptions
        @OptionGroup var time: ClockOptions

        @Option(help: ArgumentHelp("End after this number of lines.", valueName: "number"))
        var count: Int?

        /// True if run by locationd-geofences.service.
        @Flag(help: .hidden)
        var units = false

        func validate() throws {
            if let count, count < 1 { throw ValidationError("--count takes a number above 0.") }
        }

        func run() async throws {
            var left = count ?? .max
            let monitor =
                units ? GeofenceUnits.monitor(socketPath: service.socket) : Monitor.places(service)
            for try await event in monitor.events {
                guard event.date != nil else {
                    if let sentence = event.sentence { Terminal.complain(sentence.shown(limit: 4096)) }
                    continue
                }
                if units { start(event) }
                let row = Row(event)
                try output.say(row) { ["\(row.time(time.clock))  \(row.words)  \(row.place.shown())"] }
                left -= 1
                if left == 0 { return }
            }
        }

        private func start(_ event: LocationMonitor.Event) {
            do throws(LocationError) {
                try GeofenceUnits.receive(event)
            } catch {
                Terminal.complain("\(event.identifier.shown()): \(error.description.shown(limit: 1024))")
            }
        }
    }

    /// A geofence with its state, or a change of it.
    fileprivate struct Row: Encodable {
        var place: String
        var state: String
        var date: Timestamp?
        /// The units that entering it starts; `nil` for a change.
        var units: [String]?

        init(_ event: LocationMonitor.Event, units: [String]? = nil) {
            self.units = units
            (place, date) = (event.identifier, event.date)
            state =
                switch event.state {
                case .satisfied: "satisfied"
                case .unsatisfied: "unsatisfied"
                case .unknown: "unknown"
                }
        }

        var words: String { state == "satisfied" ? "inside" : state == "unsatisfied" ? "outside" : "not known" }
        func time(_ clock: Clock) -> String { date.map { clock.text($0) } ?? "" }
    }
}

extension CompletionKind {
    /// The names of locationctl's geofences, from the service; none if it does not answer.
    static let geofences = words { socket in
        try await LocationMonitor("locationctl", socketPath: socket).lastEvents.map(\.identifier)
    }
}
