import ArgumentParser
import CommandLineSupport
import LocationInterface
import LocationServiceManagement

struct Sources: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the sources of locations and what each needs, switch one on or off, or set a fixed position.",
        subcommands: [List.self, SourcesEnable.self, SourcesDisable.self, SourcesWiFi.self, SourcesFixed.self],
        defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the sources of locations, their state, and what each needs.")

        @OptionGroup var settings: ServiceSettings
        @OptionGroup var output: OutputOptions
        @OptionGroup var display: DisplayOptions

        func run() async throws {
            let status = try? await LocationServiceManager(socketPath: settings.service.socket).status()
            let sources = ListedSource.all(status?.sources)
            let units = display.style.units
            try output.say(sources) { sources.flatMap { $0.lines(units) }.hanging(10) }
            guard status == nil else { return }
            Terminal.complain("The location service does not answer. To find out why, run: locationctl doctor")
            throw Exit.unreachable
        }
    }
}

/// A kind of source, or one source of a kind that is in use.
struct ListedSource: Encodable {
    var kind: ManagerInterface.Source.Kind
    /// The source by the service's name of it; `nil` for a kind that is not in use.
    var name: String?
    var state: ManagerInterface.Source.State?
    var isCurrent: Bool?
    var age: Double?
    var radius: Double?
    var requestsToday: Int?
    var problem: String?
    /// The requirement of the source, as a sentence; `nil` without one.
    var needs: String?

    /// All kinds in order, with the service's sources; `nil` if the service does not answer.
    static func all(_ sources: [ManagerInterface.Source]?) -> [ListedSource] {
        let others = (sources ?? []).map(\.kind).filter { !ManagerInterface.Source.Kind.allCases.contains($0) }
        return (ManagerInterface.Source.Kind.allCases + others).flatMap { kind -> [ListedSource] in
            let found = (sources ?? []).filter { $0.kind == kind }.map(ListedSource.init)
            return found.isEmpty ? [ListedSource(kind: kind, needs: needs(kind))] : found
        }
    }

    private init(kind: ManagerInterface.Source.Kind, needs: String) {
        (self.kind, self.needs) = (kind, needs)
    }

    private init(_ source: ManagerInterface.Source) {
        kind = source.kind
        name = source.name
        state = source.state
        isCurrent = source.isCurrent
        age = source.age
        radius = source.radius
        requestsToday = source.requestsToday
        // While it is connected, an earlier failure is over; a file that is refused is not.
        problem = source.state == .connected && source.kind != .fixed ? nil : source.problem
        if kind == .receiver, state == .waiting {
            needs = "a gpsd that runs. To find out why it cannot be reached, run: locationctl doctor"
        } else if kind == .receiver, state == .connected, source.receivers.isEmpty, source.isCurrent != nil {
            // A caller who may not see receivers is not told which source is current either.
            needs = "a receiver. Plug one in, or see locationctl doctor"
        }
    }

    private static func needs(_ kind: ManagerInterface.Source.Kind) -> String {
        switch kind {
        case .receiver: "a satellite receiver that gpsd reads, and GPSD in the settings (man locationd.plist)"
        case .modem: "a mobile modem with a satellite receiver. To use it, run: sudo locationctl sources enable modem"
        case .wifi:
            "a server, which learns where you are. To name it, run: sudo locationctl sources enable wifi --server URL"
        case .fixed:
            "a machine that does not move. To set its position, run: sudo locationctl sources fixed set LATITUDE LONGITUDE"
        case .unknown: "a newer locationctl"
        }
    }

    /// The source on one line, and what it needs on another.
    func lines(_ units: UnitSystem) -> [String] {
        let title = kind.rawValue
        let label = title + String(repeating: " ", count: max(1, 10 - title.count))
        guard let name, let state else { return ["\(label)off", indented("needs \(needs ?? "nothing")")] }
        var parts = [name, words(state)]
        if isCurrent == true { parts.append("in use") }
        if let age, kind != .fixed { parts.append("\(TextFormat.number(age, 1)) s ago") }
        if let radius { parts.append("within \(Quantity.distance(radius, units))") }
        if let requestsToday { parts.append("\(requestsToday) \(requestsToday == 1 ? "request" : "requests") today") }
        return [label + parts.joined(separator: ", ").shown(limit: 4096)]
            + [problem, needs.map { "needs \($0)" }].compactMap { $0 }.map { indented($0.shown(limit: 4096)) }
    }

    private func indented(_ text: String) -> String { String(repeating: " ", count: 10) + text }

    private func words(_ state: ManagerInterface.Source.State) -> String {
        switch state {
        case .idle: "not needed now"
        case .connecting: "connecting"
        case .connected: kind == .fixed ? "set" : "connected"
        case .waiting: kind == .fixed ? "not in force" : "not connected, trying again"
        case .unknown(let name): name
        }
    }
}
