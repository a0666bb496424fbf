import CommandLineSupport
import ArgumentParser
import Glibc
import LocationClient
import LocationInterface
import LocationModel
import LocationServiceManagement

struct History: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show which programs received your location, when, how often and how accurately.",
        discussion: "The most recent first. Your locations are never recorded.")

    @OptionGroup var service: ServiceOptions
    @OptionGroup var whose: UserOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var display: DisplayOptions
    @OptionGroup var time: ClockOptions

    @Option(help: ArgumentHelp("Only this client.", valueName: "client"), completion: .clients)
    var client: String?

    @Option(
        help: ArgumentHelp(
            "Only accesses that ended after this time: 30m, 12h, 7d, 2026-11-21, \"2026-11-21 09:30\" or 2026-11-21T08:30:00Z.",
            valueName: "time"))
    var since: Since?

    @Option(help: ArgumentHelp("The largest number of accesses, up to 1000.", valueName: "number"))
    var limit = 100

    func validate() throws {
        guard (1...1000).contains(limit) else { throw ValidationError("--limit takes a number from 1 to 1000.") }
    }

    func run() async throws {
        try await reportingErrors {
            let manager = LocationServiceManager(socketPath: service.socket)
            let accesses = try await manager.history(
                client: client, since: since?.timestamp(by: time.clock), limit: limit, user: whose.user?.id)
            // A client that is not declared, and has no history from when it was, is misspelt: this says which was meant.
            if accesses.isEmpty, let client { _ = try await manager.explain(client: client, user: whose.user?.id) }
            let resets = try await manager.clients(user: whose.user?.id)
                .filter { client == nil || $0.client == client }.compactMap { $0.resetSentence(by: time.clock) }
            let style = display.style(time)
            try output.say(accesses) { text(accesses, style) + resets }
        }
    }

    private func text(_ accesses: [ManagerInterface.Access], _ style: DisplayStyle) -> [String] {
        guard !accesses.isEmpty else { return ["No program received your location in that time."] }
        return Table.lines(
            ["client", "from", "to", "locations", "accuracy", "source", "front end"]
                + (accesses.contains { $0.recipients != nil } ? ["recipients"] : []),
            accesses.map { access in
                let radius = access.finestAccuracy.map { " (\(TextFormat.radius($0, style.units)))" } ?? ""
                let how = (access.accuracy == .full ? "exact" : "approximate") + radius
                let sources = (access.sources ?? []).map { Location.SourceInformation.Kind(rawValue: $0).words }
                return [
                    access.client, style.clock.text(access.from), style.clock.text(access.to),
                    "\(access.count)" + (access.events.map { $0 == 1 ? ", 1 event" : ", \($0) events" } ?? ""), how,
                    sources.joined(separator: ", "), access.frontEnd ?? "",
                    access.recipients?.joined(separator: ", ") ?? "",
                ]
            })
    }
}

/// A past time in an argument.
enum Since: ExpressibleByArgument, Hashable {
    /// A time in ISO 8601, or an age: `30m`.
    case instant(Timestamp)
    /// A date, or one with a time of day, by the clock that times are shown by. It is kept as if that were UTC.
    case wallClock(Timestamp)

    /// The time in ISO 8601, or the date, or the date with a time of day; `nil` for any other text.
    static func time(_ argument: String) -> Since? {
        if let timestamp = Timestamp(argument) { return .instant(timestamp) }
        let date = argument.prefix(10)
        let time = argument.dropFirst(11)
        let forms = argument.count == 10 ? ["T00:00:00Z"] : ["T\(time)Z", "T\(time):00Z"]
        if argument.count == 10 || ["T", " "].contains(argument.dropFirst(10).prefix(1)), time.count <= 8,
            let timestamp = forms.lazy.compactMap({ Timestamp(date + $0) }).first
        {
            return .wallClock(timestamp)
        }
        return nil
    }

    init?(argument: String) {
        if let time = Self.time(argument) {
            self = time
            return
        }
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]
        guard let unit = argument.last.flatMap({ units[$0] }), let count = Int64(argument.dropLast()),
            (0...1_000_000).contains(count)
        else { return nil }
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        self = .instant(Timestamp(secondsSince1970: Int64(now.tv_sec)).advanced(by: .seconds(-count * unit)))
    }

    /// The time by a clock.
    func timestamp(by clock: Clock) -> Timestamp {
        switch (self, clock) {
        case (.instant(let time), _), (.wallClock(let time), .utc): return time
        case (.wallClock(let time), .local):
            var seconds = time_t(time.secondsSince1970)
            var local = tm()
            gmtime_r(&seconds, &local)
            local.tm_isdst = -1
            return Timestamp(secondsSince1970: Int64(mktime(&local)))
        }
    }
}
