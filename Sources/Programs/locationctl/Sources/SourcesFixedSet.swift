import ArgumentParser
import CommandLineSupport
import LocationConfiguration
import LocationModel
import PlaceSearch

struct SourcesFixedSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Set the position of this machine (only as root).",
        discussion: """
            Takes a position in degrees (52.52 13.405) or in any other notation that search takes, a name (Berlin) that is \
            looked up in the installed places, or with --here the location that a receiver has now. The position is kept in a \
            file that only root and the service can read.
            """)

    @Argument(help: ArgumentHelp("Latitude and longitude, or a name.", valueName: "place"))
    var words: [String] = []

    @Flag(help: "Take the location that the service has now.")
    var here = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The radius around the position (default: 50, that of the fix, or the size of the place).",
            valueName: "metres"))
    var accuracy: TypedNumber?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("The height above sea level.", valueName: "metres"))
    var altitude: TypedNumber?

    @OptionGroup var settings: ServiceSettings
    @OptionGroup var output: OutputOptions
    @OptionGroup var display: DisplayOptions

    func validate() throws {
        guard here != !words.isEmpty else {
            throw ValidationError("Give a position, as in: sources fixed set 52.52 13.405, or a name, or --here.")
        }
        try Range.check(
            accuracy?.value, "--accuracy", "0.01 to 1000000 metres", FixedLocation.accuracies.contains)
        try Range.check(
            altitude?.value, "--altitude", "-11000 to 100000 metres", FixedLocation.altitudes.contains)
    }

    func run() async throws {
        try settings.requireRoot(for: "sources fixed set " + (here ? "--here" : TypedPlace(words, command: "").typed))
        var location =
            here
            ? try await current()
            : try TypedPlace(words, command: "sudo locationctl sources fixed set").location(
                hasRadius: accuracy != nil)
        if let accuracy { location.horizontalAccuracy = accuracy.value }
        if let altitude { location.altitude = altitude.value }
        let before = try? FixedPlace.inForce(configurationFile: settings.file)
        let message = ["This machine is at \(location.line(display.style))."]
        guard
            let change = try SettingChange.setting(
                FixedPlace.key, to: location.value, in: settings.file, isPrivate: true)
        else {
            return try SettingReport.unchanged(message).say(output)
        }
        var steps = try await settings.perform([change])
        if let before, before.file == GeolocationFile.path {
            steps.append(ServiceSettings.row("ignored", "\(GeolocationFile.path), while this is set"))
        }
        // A trial does not answer in GeoClue's name.
        if settings.config == nil {
            let advice = GeoClueSwitch.advice(
                isOn: GeoClueSwitch.isOn, isGeoClueInstalled: GeoClueAlias.isGeoClueInstalled)
            steps += [advice].compactMap(\.self)
        }
        let undo =
            before.flatMap { $0.file == GeolocationFile.path ? nil : $0.location.command } ?? "sources fixed clear"
        try SettingReport(isChanged: true, message: message, steps: steps, undo: "sudo locationctl \(undo)").say(
            output)
    }

    private func current() async throws -> FixedLocation {
        let location = try await LocationHere.find(socket: settings.service.socket)
        guard location.sourceInformation?.kind != .fixed else {
            Terminal.complain("The only location is the position that is set already, and nothing was changed.")
            throw Exit.temporary
        }
        guard location.isExact || accuracy != nil else {
            let known = location.horizontalAccuracy.map { radius in
                "The location is known to \(Quantity.distance(radius, display.style.units)) only"
            }
            Terminal.complain(
                "\(known ?? "The receiver does not say how accurate the location is"), and nothing was changed. To take it "
                    + "nevertheless, add --accuracy METRES.")
            throw Exit.temporary
        }
        let radius = max(location.horizontalAccuracy ?? 0, 5)
        return FixedLocation(
            coordinate: location.coordinate, altitude: location.altitude.map { ($0 * 10).rounded() / 10 },
            horizontalAccuracy: (radius * 10).rounded() / 10)
    }
}

/// The place that is taken among those of a name.
struct PlaceChoice {
    let place: FoundPlace
    /// The others of the same name.
    let others: [FoundPlace]

    /// The first of the places; `nil` without one.
    init?(_ places: [FoundPlace]) {
        guard let first = places.first else { return nil }
        place = first
        var seen = [Self.title(first)]
        others = places.dropFirst().filter { other in
            guard other.name == first.name, other.kind == first.kind, !seen.contains(Self.title(other)) else {
                return false
            }
            seen.append(Self.title(other))
            return true
        }
    }

    var title: String { Self.title(place) }

    /// The radius in which the whole place lies, in metres, as far as it is known; `nil` for a country or state.
    var radius: Double? {
        switch place.kind {
        case .country, .region: nil
        case .settlement, .postalCode: extent ?? 3000
        case .suburb: extent ?? 1000
        case .street: extent ?? 200
        case .address, .pointOfInterest, .coordinate, .intersection: max(extent ?? 0, FixedLocation.defaultAccuracy)
        }
    }

    /// The place that was taken, and the commands that take another one.
    func lines(_ command: String) -> [String] {
        guard !others.isEmpty else { return ["Taken: \(title)"] }
        return ["Taken: \(title). To take another place of this name, run:"]
            + others.prefix(5).map {
                "  \(command) \(Self.degrees($0.latitude)) \(Self.degrees($0.longitude))   # "
                    + Self.title($0)
            }
    }

    /// Degrees as they are typed, to 11 m.
    private static func degrees(_ value: Double) -> String { TextFormat.asTyped((value * 1e4).rounded() / 1e4) }

    private static func title(_ place: FoundPlace) -> String {
        [place.name, place.address.line(without: place.name)].filter { !$0.isEmpty }.joined(separator: ", ")
    }

    /// The distance from the centre to the farthest corner, rounded up to 10 m.
    private var extent: Double? {
        guard let bounds = place.bounds, bounds.count == 4 else { return nil }
        let corners = [(bounds[1], bounds[0]), (bounds[3], bounds[2])].compactMap { latitude, longitude in
            Coordinate(latitude: latitude, longitude: longitude)
        }
        let farthest = corners.map { place.coordinate.distance(to: $0) }.max()
        return farthest.map { max(($0 / 10).rounded(.up) * 10, FixedLocation.defaultAccuracy) }
    }
}
