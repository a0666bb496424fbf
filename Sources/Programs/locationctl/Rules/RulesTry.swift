import ArgumentParser
import CommandLineSupport
import Glibc
import LocationConfiguration
import LocationInterface
import LocationModel
import LocationPolicy
import LocationServiceManagement
import LocationTracks

struct RulesTry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "try",
        abstract: "Play a recorded track against a configuration.",
        discussion: """
            Prints, for each client that is installed, what it would have received, from when to when and how exactly, and which \
            rule decided, as if you had allowed every client at any time. Needs no service, and delivers nothing. Takes the tracks that track \
            takes.

            Without --config it plays against the system's configuration and, if the service runs, your own rules and places. \
            The borders of places are drawn at random, and elsewhere than those of the service.
            """)

    @Option(help: ArgumentHelp("The track.", valueName: "file"), completion: .file())
    var track: String

    @Option(
        help: ArgumentHelp("The property list of the service, if it is not the system's.", valueName: "file"),
        completion: .file())
    var config: String?

    @Option(help: ArgumentHelp("Only this client.", valueName: "client"), completion: .clients)
    var client: String?

    @Option(
        help: ArgumentHelp(
            "When the track begins, in place of its own time: 22:00 (today) or 2026-11-21T21:00:00Z.", valueName: "time"
        ))
    var at: StartTime?

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp("A place for the rules, as NAME=LATITUDE,LONGITUDE,RADIUS; repeatable.", valueName: "place"))
    var place: [TrialPlace] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A further rule of yours, as the options of rules add: \"--inside home --deny\"; repeatable.",
            valueName: "options"))
    var rule: [String] = []

    @Flag(help: "The programs are in use.")
    var inUse = false

    @Flag(
        inversion: .prefixedNo,
        help: "The machine runs on its battery, or not. Otherwise that is in doubt, as all of these.")
    var onBattery: Bool?

    @Flag(inversion: .prefixedNo, help: "Your sessions are locked, or not.")
    var locked: Bool?

    @Flag(help: "Whether someone is at the machine.")
    var presence: TrialPresence?

    @Option(
        help: ArgumentHelp("The accuracy of points that have none.", valueName: "metres"))
    var accuracy = 10.0

    @Option(help: ArgumentHelp("The output format: text, json or geojson.", valueName: "format"))
    var format = LocationFormat.text

    @OptionGroup var service: ServiceOptions

    func validate() throws {
        try Range.check(accuracy, "--accuracy", "above 0 to 1000000 metres") { $0 > 0 && $0 <= 1e6 }
    }

    func run() async throws {
        let locations = try read()
        var rules: [AccessRule.Values] = []
        for words in rule { rules.append(try await TrialRule.values(words)) }
        let setting = try await TrialSetting(configuration(), socket: config == nil ? service.socket ?? "" : nil)
            .adding(places: place.map(\.place), rules: rules)
        let clients = try clients(setting)
        let trials = clients.map { TrialReport($0, setting, play(locations, to: $0, setting)) }
        switch format {
        case .text: Terminal.say(TrialReport.lines(trials, locations).hanging(2))
        case .json: Terminal.say(try JSONLine.encode(trials.map(\.object)))
        case .geojson: Terminal.say(try JSONLine.encode(TrialReport.features(trials)))
        }
    }

    // MARK: What is played

    /// The locations of the track, in order.
    private func read() throws -> [Location] {
        let read = try Track(contentsOfFile: track)
        if let phrase = read.omissions.phrase {
            Terminal.complain("\(track): left out: \(phrase)".shown(limit: 4096))
        }
        let points = Array(read.points)
        let first = points.lazy.compactMap(\.time).first
        guard !points.isEmpty else { throw refused("has no points") }
        guard let begin = at?.timestamp ?? first else {
            throw refused("has no times. To say when it begins, add --at TIME")
        }
        var last: Timestamp?
        var shift = Duration.zero
        return points.enumerated().compactMap { index, point in
            // Points of a track without times come every second.
            let passed = first == nil ? .seconds(index) : first.flatMap { point.time?.duration(since: $0) }
            guard let passed else { return nil }
            var time = begin.advanced(by: passed + shift)
            if let last, time <= last {
                // The service drops its locations, and continues after a clock was set back.
                if time == last { return nil }
                let next = last.advanced(by: .seconds(1))
                shift += next.duration(since: time)
                time = next
            }
            last = time
            var location = point.location(at: time)
            if location.horizontalAccuracy == nil { location.horizontalAccuracy = accuracy }
            return location
        }
    }

    private func refused(_ reason: String) -> ExitCode {
        Terminal.complain("\(track.shown()) \(reason).")
        return Exit.noTrack
    }

    private func configuration() throws -> Configuration {
        do {
            let configuration = try Configuration.load(
                leavingOutUnreadable: config ?? DaemonConfiguration.defaultFile)
            for problem in configuration.problems { Terminal.complain("Refused: \(problem)".shown(limit: 4096)) }
            return configuration
        } catch {
            Terminal.complain(error.problems.map { $0.description.shown(limit: 4096) })
            throw Exit.configuration
        }
    }

    private func clients(_ setting: TrialSetting) throws -> [ClientDeclaration] {
        let declared = setting.configuration.clients.filter { $0.match.users?.contains(getuid()) ?? true }
            .sorted { $0.identifier < $1.identifier }
        if client == nil {
            let installed = declared.filter { $0.match.executable.map { access($0, F_OK) == 0 } ?? true }
            let others = declared.count - installed.count
            if !installed.isEmpty {
                if others > 0 {
                    Terminal.complain(
                        "Left out \(others) declared \(others == 1 ? "program that is" : "programs that are") not installed. To play "
                            + "for one of them, add --client.")
                }
                return installed
            }
        }
        let chosen = declared.filter { client == nil || $0.identifier == client }
        guard chosen.isEmpty else { return chosen }
        Terminal.complain(
            client.map { "No client \($0.shown()) is declared. To list those that are, run: locationctl clients" }
                ?? "No client is declared. To see how to declare one, run: locationctl help clients add")
        throw Exit.failure
    }

    private func play(_ locations: [Location], to client: ClientDeclaration, _ setting: TrialSetting) -> AccessTrial {
        var record = AuthorizationRecord()
        record.grant = .always
        let surroundings = Surroundings(
            isOnBattery: onBattery, isSessionLocked: locked, isAnybodyPresent: presence.map { $0 == .somebodyPresent })
        var trial = AccessTrial(
            ClientAuthorization(
                record: record, circumstances: .init(declaration: client, rules: setting.rules)),
            places: setting.places.values, in: AccessCircumstances(isInUse: inUse, surroundings: surroundings),
            utcOffset: LocalTime.systemOffset)
        for location in locations { trial.receive(location) }
        return trial
    }
}

/// Presence at the machine in a trial: `--nobody-present` or `--somebody-present`.
enum TrialPresence: EnumerableFlag {
    case nobodyPresent, somebodyPresent
}

/// The configuration, rules and places that a trial plays against.
struct TrialSetting {
    let configuration: Configuration
    /// The rules of the machine and of the user.
    private(set) var rules: [AccessRule]
    /// The user's places by name.
    private(set) var places: [String: NamedPlace] = [:]

    /// The configuration, and the user's own rules and places.
    ///
    /// - Parameter socket: the socket of the service that has them, empty for the usual one; `nil` for none. A service that
    ///   does not answer has none.
    init(_ configuration: Configuration, socket: String?) async throws {
        self.configuration = configuration
        rules = configuration.daemon.defaultRules
        guard let socket else { return }
        let manager = LocationServiceManager(socketPath: socket.isEmpty ? nil : socket)
        guard let found = try? await manager.rules(), let known = try? await manager.places() else { return }
        for rule in found {
            guard let number = Int(rule.id) else { continue }
            let values = try RuleCoding.convert(rule.definition, to: AccessRule.Values.self)
            rules.append(AccessRule.read(values, id: .init(.user, number)).rule)
        }
        for place in known {
            let center = Coordinate(latitude: place.latitude, longitude: place.longitude)
            places[place.name] = center.flatMap { NamedPlace(name: place.name, center: $0, radius: place.radius) }
        }
    }

    /// With further places and rules of the user.
    func adding(places added: [NamedPlace], rules values: [AccessRule.Values]) throws -> TrialSetting {
        var setting = self
        for place in added { setting.places[place.name] = place }
        for values in values {
            let last = setting.rules.lazy.filter { $0.id.origin == .user }.map(\.id.number).max() ?? 0
            let (rule, problems) = AccessRule.read(values, id: .init(.user, last + 1))
            if let problem = problems.first { throw ValidationError("--rule: \(problem.message)") }
            setting.rules.append(rule)
        }
        let named = setting.rules.flatMap(\.conditions).compactMap(\.place)
        if let missing = named.first(where: { setting.places[$0] == nil }) {
            Terminal.complain(
                "There is no place \(missing.shown()), so rules about it are in doubt and apply everywhere. To give it, add: "
                    + "--place \(missing.shown())=LATITUDE,LONGITUDE,RADIUS")
        }
        return setting
    }

    /// The rule with an identifier in words, for a client.
    func sentence(of id: AccessRule.ID, _ client: ClientDeclaration) -> String {
        let rule = (client.policy.rules + rules).first { $0.id == id }
        return rule?.sentence { places[$0]?.radius } ?? ""
    }
}

/// The time at which a track begins: today's `22:00` in local time, or a time in ISO 8601.
struct StartTime: ExpressibleByArgument {
    let timestamp: Timestamp

    init?(argument: String) {
        if let timestamp = Timestamp(argument) {
            self.timestamp = timestamp
            return
        }
        let parts = argument.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let hour = parts[0], let minute = parts[1], (0..<24).contains(hour),
            (0..<60).contains(minute)
        else { return nil }
        var local = LocalClock.fields(of: .now())
        (local.tm_hour, local.tm_min, local.tm_sec, local.tm_isdst) = (Int32(hour), Int32(minute), 0, -1)
        timestamp = Timestamp(secondsSince1970: Int64(mktime(&local)))
    }
}

/// A place of a trial: `home=52.52,13.405,300`.
struct TrialPlace: ExpressibleByArgument {
    let place: NamedPlace

    init?(argument: String) {
        guard let equals = argument.firstIndex(of: "=") else { return nil }
        let numbers = argument[argument.index(after: equals)...].split(separator: ",", omittingEmptySubsequences: false)
            .map { Double($0) }
        guard (2...3).contains(numbers.count), let latitude = numbers[0], let longitude = numbers[1],
            let center = Coordinate(latitude: latitude, longitude: longitude),
            let place = NamedPlace(
                name: String(argument[..<equals]), center: center, radius: (numbers.count == 3 ? numbers[2] : 200) ?? 0)
        else { return nil }
        self.place = place
    }
}

/// A rule of a trial, in the options of `rules add`.
private struct TrialRule: AsyncParsableCommand {
    @OptionGroup var rule: RuleOptions

    /// The values of a rule in words.
    static func values(_ words: String) async throws -> AccessRule.Values {
        let words = words.split(separator: " ").map(String.init)
        do {
            // Asynchronous as the commands are, because its completions are.
            guard let parsed = try await asyncParseAsRoot(words) as? TrialRule else { return AccessRule.Values() }
            return parsed.rule.values
        } catch {
            throw ValidationError("--rule: \(message(for: error))")
        }
    }
}
