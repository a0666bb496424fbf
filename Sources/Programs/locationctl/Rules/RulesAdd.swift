import ArgumentParser
import CommandLineSupport
import FoundationEssentials
import LocationConfiguration
import LocationInterface
import LocationPolicy
import LocationServiceManagement

/// The conditions and limits of a rule on the command line.
struct RuleOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Local time, such as 22:00-06:00.", valueName: "hours"))
    var hours: String?

    @Option(
        help: ArgumentHelp(
            "Days on which the hours start: mon,tue,… or weekdays or weekends.", valueName: "days"),
        completion: .list(["weekdays", "weekends", "mon", "tue", "wed", "thu", "fri", "sat", "sun"]))
    var days: DayList?

    @Option(
        help: ArgumentHelp(
            "Inside one of your places, and in a margin of up to 6.6 times its radius that hides its centre.",
            valueName: "place"), completion: .places)
    var inside: String?

    @Option(
        help: ArgumentHelp("Outside of one of your places, or in its margin.", valueName: "place"), completion: .places)
    var outside: String?

    @Flag(help: "While the machine runs on its battery.")
    var onBattery = false

    @Flag(help: "While the screens of all your sessions are locked.")
    var locked = false

    @Flag(help: "While nobody is at the machine.")
    var nobodyPresent = false

    @Flag(help: "No location.")
    var deny = false

    @Flag(help: "Only while the program is in use.")
    var whileInUse = false

    @Flag(help: "The approximate location (about 5 km) at most.")
    var reduced = false

    @Option(
        help: ArgumentHelp(
            "At most one location in this many seconds, 1 to 86400.", valueName: "seconds"))
    var every: Int?

    @Option(
        parsing: .singleValue, help: ArgumentHelp("All programs but this one; repeatable.", valueName: "client"),
        completion: .clients)
    var except: [String] = []

    @Option(
        parsing: .singleValue, help: ArgumentHelp("This program only; repeatable.", valueName: "client"),
        completion: .clients)
    var client: [String] = []

    func validate() throws {
        guard deny || whileInUse || reduced || every != nil else {
            throw ValidationError("A rule limits something: add --deny, --while-in-use, --reduced or --every SECONDS.")
        }
        guard !deny || !(whileInUse || reduced || every != nil) else {
            throw ValidationError("--deny takes everything away; leave out --while-in-use, --reduced and --every.")
        }
        guard except.isEmpty || client.isEmpty else { throw ValidationError("Give either --except or --client.") }
        guard inside == nil || inside != outside else {
            throw ValidationError("No location is inside and outside of the same place.")
        }
        try Range.check(every.map(Double.init), "--every", "1 to 86400 seconds") { (1...86_400).contains($0) }
        if let problem = AccessRule.read(values, id: .init(.user, 1)).problems.first {
            throw ValidationError("\(Self.option(problem.keyPath))\(problem.message)")
        }
    }

    /// The option for a key path, with a colon; empty for the whole rule.
    private static func option(_ keyPath: String?) -> String {
        let options = [
            "When.Hours": "--hours", "When.Inside": "--inside", "When.Outside": "--outside", "Except": "--except",
            "Clients": "--client",
        ]
        let key = keyPath?.prefix { $0 != "[" }
        return key.flatMap { options[String($0)] }.map { "\($0): " } ?? ""
    }

    var values: AccessRule.Values {
        var values = AccessRule.Values()
        (values.hours, values.days, values.inside, values.outside) = (hours, days?.names, inside, outside)
        if onBattery { values.onBattery = true }
        if locked { values.sessionLocked = true }
        if nobodyPresent { values.nobodyPresent = true }
        if deny { values.deny = true }
        if whileInUse { values.whileInUse = true }
        if reduced { values.reducedAccuracy = true }
        values.minimumInterval = every
        if !except.isEmpty { values.exceptions = except }
        if !client.isEmpty { values.clients = client }
        return values
    }
}

/// Days of the week as they are typed: `mon,Tuesday`, `weekdays`.
struct DayList: ExpressibleByArgument {
    /// The days, as rules name them.
    let names: [String]

    init?(argument: String) {
        var days: Set<Weekday> = []
        for word in argument.lowercased().split(whereSeparator: { $0 == "," || $0 == " " }) {
            switch word {
            case "weekdays": days.formUnion([.monday, .tuesday, .wednesday, .thursday, .friday])
            case "weekends": days.formUnion([.saturday, .sunday])
            default:
                guard word.count >= 2, let day = Weekday.allCases.first(where: { "\($0)".hasPrefix(word) }) else {
                    return nil
                }
                days.insert(day)
            }
        }
        guard !days.isEmpty else { return nil }
        names = days.sorted().map(\.name)
    }
}

struct RulesAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a rule.",
        discussion: """
            All conditions must hold; without one, the rule always applies. While a condition is in doubt (no location yet), it \
            counts as held.

            For example, so that nobody but one program receives your location at home:
              locationctl places add home --here --radius 300
              locationctl rules add --inside home --deny --except org.example.Doorbell
            """)

    @OptionGroup(title: "Rule") var rule: RuleOptions
    @OptionGroup var service: ServiceOptions
    @OptionGroup var whose: UserOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let manager = LocationServiceManager(socketPath: service.socket)
        let added = try await manager.addRule(
            try RuleCoding.convert(rule.values, to: ManagerInterface.RuleDefinition.self), user: whose.user?.id)
        let name = rule.inside ?? rule.outside
        let places = name == nil || output.format == .json ? [] : try await manager.places(user: whose.user?.id)
        let place = places.first { $0.name == name }
        try output.say(added) {
            let option = whose.user.map { " --user \($0.id)" } ?? ""
            return ["Rule \(added.id): \(added.sentence)".shown(limit: 4096)]
                + (place.map { Self.border(of: $0).wrapped(width: Terminal.width) } ?? [])
                + ["To remove it, run: locationctl rules remove \(added.id)\(option)"]
        }
    }

    /// The sentences about what a client learns from the border of a place.
    private static func border(of place: ManagerInterface.Place) -> String {
        func kilometres(_ radii: Double) -> String { TextFormat.number(place.radius * radii / 1000, 1) }
        let name = place.name.shown()
        return "The border is randomised: locations stop and start again 1.0 to 6.6 radii (\(kilometres(1)) to "
            + "\(kilometres(6.6)) km) from \(name). Journeys that all lead straight there show where they cross; to hide that, "
            + "use a larger radius."
    }
}

/// Rules between the wire and the command line, whose names are the same.
enum RuleCoding {
    static func convert<Result: Decodable>(_ value: some Encodable, to type: Result.Type) throws -> Result {
        try JSONDecoder().decode(type, from: try JSONEncoder().encode(value))
    }
}
