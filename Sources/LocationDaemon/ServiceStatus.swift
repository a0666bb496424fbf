import LocationCore
import LocationSources

/// The status line in `systemctl status`: `gps: 3D fix, 9 satellites; 4 clients`.
enum ServiceStatus {
    static func line(_ status: ServiceReport) -> String {
        var parts = ["gps: \(text(status.sources))", count(status.details?.connections ?? 0, "client")]
        let problems = status.problems.count
        if problems > 0 { parts.append("\(count(problems, "problem")) in the configuration") }
        return parts.joined(separator: "; ")
    }

    /// The source with the receiver that is published, or else the first.
    private static func text(_ sources: [SourceStatus]) -> String {
        let published = sources.first { $0.receivers.contains(where: \.isCurrent) }
        guard let source = published ?? sources.first else { return "no source" }
        switch source.connection {
        case .idle, .closed: return "not needed now"
        case .connecting: return "connecting to \(source.endpoint)"
        case .retrying: return "\(source.endpoint) cannot be reached"
        case .connected:
            guard let receiver = source.receivers.first(where: \.isCurrent) ?? source.receivers.first else {
                return "no receiver"
            }
            return self.receiver(receiver)
        }
    }

    private static func receiver(_ receiver: ReceiverStatus) -> String {
        let (fix, satellites) =
            switch receiver.mode {
            case .unknown: ("no report from the receiver yet", nil as Int?)
            case .noFix: ("no fix", receiver.satellitesSeen)
            case .twoDimensional: ("2D fix", receiver.satellitesUsed)
            case .threeDimensional: ("3D fix", receiver.satellitesUsed)
            }
        return satellites.map { "\(fix), \(count($0, "satellite"))" } ?? fix
    }

    private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}
