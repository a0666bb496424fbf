import CommandLineSupport
import ArgumentParser
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
    var since: PastTime?

    @Option(help: ArgumentHelp("The largest number of accesses, up to 1000.", valueName: "number"))
    var limit = 100

    func validate() throws {
        guard (1...1000).contains(limit) else { throw ValidationError("--limit takes a number from 1 to 1000.") }
    }

    func run() async throws {
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

extension PastTime {
    /// The time by a clock.
    func timestamp(by clock: Clock) -> Timestamp { timestamp(isLocal: clock == .local) }
}
