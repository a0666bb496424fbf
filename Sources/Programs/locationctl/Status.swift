import CommandLineSupport
import ArgumentParser
import LocationInterface
import LocationServiceManagement

struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the state of the location service, or which programs use your location.",
        discussion: """
            With --watch it prints one line when a program begins or ends to use your location, and nothing in between, until \
            Ctrl-C. --format waybar prints that for a custom module of waybar.
            """)

    @OptionGroup var service: ServiceOptions

    @Flag(help: "Print which programs use your location now, whenever that changes.")
    var watch = false

    @Option(help: ArgumentHelp("The output format: text, json or, with --watch, waybar.", valueName: "format"))
    var format = StatusFormat.text

    func validate() throws {
        guard watch || format != .waybar else {
            throw ValidationError("--format waybar is for --watch. Add --watch, or give another format.")
        }
    }

    func run() async throws {
        let manager = LocationServiceManager(socketPath: service.socket)
        guard !watch else { return try await printAccesses(manager) }
        let status = try await manager.status()
        switch format {
        case .json: Terminal.say(try JSONLine.encode(status))
        case .text, .waybar:
            let rule = await WithholdingRule.find(socket: service.socket)
            Terminal.say(StatusReport.lines(status, withheldBy: rule?.sentence).hanging(16))
        }
    }

    /// Prints the programs that use the location, at first and whenever they change.
    private func printAccesses(_ manager: LocationServiceManager) async throws {
        var last: String?
        try await AccessFollower(manager: manager).run { event in
            var accesses: [LocationServiceManager.CurrentAccess] = []
            switch event {
            case .accesses(let now): accesses = now
            case .lost(let reason): Terminal.complain("\(reason.shown(limit: 1024)) Waiting for it.")
            }
            guard let line = line(accesses), line != last else { return }
            last = line
            Terminal.say(line)
        }
    }

    private func line(_ accesses: [LocationServiceManager.CurrentAccess]) -> String? {
        switch format {
        case .text: AccessText.line(accesses)
        // Texts and numbers can be encoded.
        case .json: try? JSONLine.encode(["accesses": accesses])
        case .waybar: try? JSONLine.encode(WaybarModule(accesses))
        }
    }
}

/// The output formats of `locationctl status`.
enum StatusFormat: String, CaseIterable, ExpressibleByArgument {
    /// Lines for people.
    case text
    /// One JSON value on one line, as locationctl(1) describes it.
    case json
    /// JSON for a custom module of waybar.
    case waybar
}

/// Formats the state of the service for people.
enum StatusReport {
    /// The lines of the report.
    ///
    /// - Parameter rule: a sentence about the rule that withholds the location from locationctl now; `nil` for none.
    static func lines(
        _ status: ManagerInterface.GetServiceStatus.Reply, withheldBy rule: String? = nil
    ) -> [String] {
        var lines = ["locationd \(status.version)\(location(in: status))", row("services", services(status))]
        if status.sources.isEmpty {
            lines.append(
                row("source", "none. To see which ones there are and what each needs, run: locationctl sources"))
        }
        for source in status.sources {
            lines.append(row("source", text(source)))
            // While gpsd is connected, an earlier failure is over; of a modem the present one is reported.
            if source.state != .connected || source.kind == .modem, let problem = source.problem {
                lines.append(row("", problem))
            }
            lines += receivers(of: source, areVisible: status.showsReceivers).map { row("receiver", $0) }
            lines += source.receivers.flatMap { $0.doubts ?? [] }.map { row("doubtful", $0.message) }
            let dropped = source.counters.filter { $0.value > 0 }.sorted { $0.key < $1.key }
            if !dropped.isEmpty {
                lines.append(row("dropped", dropped.map { "\($0.key) \($0.value)" }.joined(separator: ", ")))
            }
        }
        if let problem = status.compassProblem { lines.append(row("compass", problem)) }
        if let rule { lines.append(row("rule", rule)) }
        let counts = [
            status.connections.map { count($0, "connection") },
            status.subscriptions.map { count($0, "subscription") },
        ].compactMap { $0 }
        lines.append(row("clients", (["\(status.clients) declared"] + counts).joined(separator: ", ")))
        lines.append(row("prompts", status.hasAgent ? "an agent shows them to you" : "no agent shows them to you"))
        lines += (status.frontEnds ?? []).map { row("front end", "\($0.name): \($0.problem ?? "open")") }
        if let deliveries = status.deliveries { lines.append(row("locations", text(deliveries))) }
        if let memory = status.memoryInUse {
            lines.append(row("memory", "\(TextFormat.number(Double(memory) / 1e6, 1)) MB in use"))
        }
        return lines + status.problems.map { row("refused", $0.sentence) }
    }

    private static func row(_ name: String, _ text: String) -> String {
        "  " + name + String(repeating: " ", count: max(1, 14 - name.count)) + text
    }

    /// States whether a location is known; nothing if the caller may not see that, and while no program needs one.
    private static func location(in status: ManagerInterface.GetServiceStatus.Reply) -> String {
        switch status.isLocationAvailable {
        case nil: ""
        case true?: ": a location is known"
        case false?: status.sources.allSatisfy { $0.state == .idle } ? "" : ": no location is known now"
        }
    }

    private static func services(_ status: ManagerInterface.GetServiceStatus.Reply) -> String {
        let command = "To switch them on, run:"
        if !status.isEnabled {
            let reason = status.isOffAfterDamage == true ? ", because the decisions were lost" : ""
            return "off for this machine\(reason). \(command) sudo locationctl on --system"
        }
        return status.isEnabledForUser ? "on" : "off for you. \(command) locationctl on"
    }

    /// The text in place of a receiver for a caller who may not see it.
    private static let hidden =
        "shown to root, and to who allows locationctl the exact location. To see why it is not, run: locationctl explain "
        + Diagnosis.ownIdentifier

    private static func receivers(of source: ManagerInterface.Source, areVisible: Bool) -> [String] {
        guard areVisible else { return source.kind == .receiver ? [hidden] : [] }
        return source.receivers.isEmpty && source.kind == .receiver && source.state == .connected
            ? ["none"] : source.receivers.map(receiver)
    }

    private static func text(_ deliveries: ManagerInterface.Deliveries) -> String {
        "\(deliveries.publications) from the source, \(deliveries.delivered) delivered, \(deliveries.answered) answered, "
            + "\(deliveries.skipped) skipped, \(deliveries.forbidden) without access"
    }

    private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    private static func text(_ source: ManagerInterface.Source) -> String {
        let state =
            switch source.state {
            case .idle: "idle: no program needs a location"
            case .connecting: "connecting"
            case .connected: "connected"
            case .waiting: "not connected, trying again"
            case .unknown(let name): name
            }
        let version = source.version.map { source.kind == .receiver ? ", gpsd \($0)" : ", \($0)" } ?? ""
        return "\(source.title)\(version), \(state)\(location(of: source))"
    }

    /// The locations of a source without receivers of its own, and its requests to a server.
    private static func location(of source: ManagerInterface.Source) -> String {
        var parts: [String] = []
        if source.kind == .wifi || source.kind == .fixed, let age = source.age {
            let radius = source.radius.map { ", ±\(TextFormat.number($0, 0)) m" } ?? ""
            parts.append(source.kind == .fixed ? radius : "\(radius), \(TextFormat.number(age, 0)) s old")
            if source.isCurrent == true { parts.append(" (in use)") }
        }
        if let requests = source.requestsToday { parts.append(", \(count(requests, "request")) today") }
        return parts.joined()
    }

    private static func receiver(_ receiver: ManagerInterface.Receiver) -> String {
        var parts = [receiver.device ?? "unnamed"]
        if let driver = receiver.driver { parts.append(driver) }
        parts.append(receiver.fix ?? "has not reported")
        if let count = receiver.satelliteCount { parts.append("\(count) satellites") }
        if let age = receiver.fixAge { parts.append("last fix \(TextFormat.number(age, 1)) s ago") }
        return parts.joined(separator: ", ") + (receiver.isCurrent ? " (in use)" : "")
    }
}

extension ManagerInterface.GetServiceStatus.Reply {
    /// True if the caller may see receivers and their fixes, and so whether there is a location.
    var showsReceivers: Bool { isLocationAvailable != nil }
}

extension ManagerInterface.Receiver {
    /// The kind of its fix; `nil` until it has reported.
    var fix: String? {
        switch mode {
        case .unknown: nil
        case .noFix: "no fix"
        case .fix2D: "2D fix"
        case .fix3D: "3D fix"
        }
    }

    /// The satellites that its fix uses, of those that it sees: `9 of 12`; `nil` if it has not reported them.
    var satelliteCount: String? {
        guard let satellitesUsed, let satellitesSeen else { return nil }
        return "\(satellitesUsed) of \(satellitesSeen)"
    }
}

extension ManagerInterface.Source {
    /// Its name, with its kind where the name alone does not say it.
    var title: String {
        switch kind {
        case .receiver: name
        case .modem: "modem (\(name))"
        case .wifi: "Wi-Fi positioning by \(name)"
        case .fixed: "fixed position (\(name))"
        case .unknown(let kind): "\(kind) (\(name))"
        }
    }
}

extension ManagerInterface.ConfigurationProblem {
    /// File, line and key path, in the manner of compilers.
    var sentence: String {
        [line.map { "\(file):\($0)" } ?? file, keyPath, message].compactMap { $0 }.joined(separator: ": ")
    }
}
