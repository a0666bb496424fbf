import ArgumentParser
import CommandLineSupport
import LocationClient
import LocationInterface
import LocationModel
import LocationSharing
import SharingProgram

struct ShareStatus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show your shares and their state (default).")

    @OptionGroup var service: ServiceOptions
    @OptionGroup var owner: ShareOwner
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let refusal = try await refusal()
        let isRunning = try owner.directory.isSending
        try ShareReport.say(output, owner) { $0.statusLines(refusal: refusal, isRunning: isRunning, owner) }
    }

    /// The reason why the service gives no share a position now; `nil` if there is none.
    private func refusal() async throws -> String? {
        guard try owner.directory.destinations().contains(where: { $0.share != nil }) else { return nil }
        do throws(LocationError) {
            let authorization = try await LocationManager(socketPath: service.socket).authorization
            guard authorization.status != .authorizedAlways else { return nil }
            return authorization.cause?.message
                ?? "It needs your permission at any time. To allow it, run: \(owner.allowCommand)"
        } catch {
            return error.description
        }
    }
}

struct ShareList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the services that you have added.")

    @OptionGroup var owner: ShareOwner
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try ShareReport.say(output, owner) { [$0.destinationLine] }
    }
}

/// A destination for people and programs. It has no URL.
private struct ShareReport: Encodable {
    var name: String
    var service: String
    var origin: String
    var isEncrypted: Bool
    /// The name under which the service shows the position; `nil` for a bridge.
    var shownAs: String?
    /// The service and its address, or the network, in words.
    var recipient: String
    var accuracy: AccuracyAuthorization?
    var phase: SharePhase
    var started: Timestamp?
    var until: Timestamp?
    /// The place that ends the share before that.
    var arrival: String?
    var lastDelivery: Timestamp?
    /// The number of positions that are kept until they can be sent; `nil` if none are kept.
    var unsent: Int?
    /// The number of positions that the service did not take; `nil` for none.
    var leftOut: Int?
    /// The number of positions of a wrong date, or where nobody can have been at that time; `nil` for none.
    var implausible: Int?
    /// True if the service may show the position.
    var isShowing: Bool
    var problem: String?

    static func say(_ output: OutputOptions, _ owner: ShareOwner, _ lines: (ShareReport) -> [String]) throws {
        let directory = try owner.directory
        let reports = try directory.destinations().map { destination in
            var report = ShareReport(destination, try directory.stateOrStop(of: destination))
            // What cannot be counted belongs to this destination only.
            if destination.share?.queue != nil { report.unsent = try? directory.queueCount(of: destination.name) }
            return report
        }
        try output.say(reports) {
            reports.isEmpty
                ? ["No service is added. To add one, run: \(owner.command("add NAME SERVICE"))"]
                : reports.flatMap(lines)
        }
    }

    init(_ destination: Destination, _ state: ShareState) {
        (name, service, origin) = (destination.name, destination.service.rawValue, destination.origin)
        isEncrypted = !destination.isPlain && !destination.service.isBridge
        (shownAs, recipient) = (destination.shownName, destination.recipient)
        let share = destination.share
        (accuracy, started, until) = (share?.accuracy, share?.started, share?.until)
        arrival = share?.arrival?.name
        phase = SharePhase(of: share, state, at: .now())
        (lastDelivery, problem) = (state.lastDelivery, state.problem)
        (leftOut, implausible) = (state.leftOut, state.implausible)
        // A service that cannot forget shows the last position forever.
        isShowing = destination.service.keepsLastPosition ? state.lastDelivery != nil : state.isShowing
    }

    var destinationLine: String {
        "\(name): \(recipient)" + (shownAs.map { ", as \($0)" } ?? "") + (isEncrypted ? "" : ", not encrypted")
    }

    /// - Parameters:
    ///   - refusal: the reason why the location service gives no position now; `nil` if there is none.
    ///   - isRunning: true if the program that sends runs.
    func statusLines(refusal: String?, isRunning: Bool, _ owner: ShareOwner) -> [String] {
        let start = "To start it, run: \(owner.unit.restartCommand)"
        let isOver = phase != .sharing || refusal != nil
        var lines = ["\(destinationLine): \(words(owner))."]
        if phase == .sharing, let refusal { lines.append("    Nothing is sent now. \(refusal)") }
        if !isOver, !isRunning {
            lines.append("    Nothing is sent now. The program that sends does not run. \(start)")
        }
        if let lastDelivery, phase == .sharing { lines.append("    Last sent: \(ShareClock.text(lastDelivery)).") }
        if let unsent, phase == .sharing { lines.append("    Kept until they can be sent: \(unsent.positions).") }
        if let leftOut {
            lines.append("    Left out, because the service did not take them: \(leftOut.positions).")
        }
        if let implausible {
            lines.append("    Left out, because their date or place was impossible: \(implausible.positions).")
        }
        if let problem { lines.append("    \(problem)") }
        let kind = SharingService(rawValue: service)
        if isShowing, isOver, kind?.isBridge != true {
            lines.append(
                kind?.forgetsPosition != true
                    ? "    It still shows the last position."
                    : isRunning
                        ? "    It may still show your position, and is told to forget it as soon as it can be reached."
                        : "    It may still show your position, and the program that tells it to forget it does not run. \(start)"
            )
        }
        return lines
    }

    private func words(_ owner: ShareOwner) -> String {
        let end = ShareClock.ending(until, at: arrival)
        let what = accuracy == .reduced ? "approximate position shared" : "shared"
        return switch phase {
        case .off: "not shared"
        case .clockNotSet: "waiting, because the clock of this machine is earlier than the start of the share"
        case .sharing: "\(what) \(end)"
        case .paused: "paused, \(end)"
        case .failed: "stopped by a problem. After you have solved it, run: \(owner.command("start \(name)"))"
        case .ended: "ended"
        }
    }
}

extension Int {
    /// This number of positions: "1 position", "2 positions".
    var positions: String { self == 1 ? "1 position" : "\(self) positions" }
}
