import LocationInterface

/// The status line in `systemctl status`: `gps: 3D fix, 9 satellites; 4 clients`.
enum ServiceStatus {
    static func line(_ status: ManagerInterface.GetServiceStatus.Reply) -> String {
        var parts = ["gps: \(source(status.source))", count(status.connections ?? 0, "client")]
        if !status.problems.isEmpty { parts.append("\(count(status.problems.count, "problem")) in the configuration") }
        return parts.joined(separator: "; ")
    }

    private static func source(_ source: ManagerInterface.Source) -> String {
        switch source.state {
        case .idle: return "not needed now"
        case .connecting: return "connecting to \(source.name)"
        case .waiting: return "\(source.name) cannot be reached"
        case .connected:
            guard let receiver = source.receivers.first(where: \.isCurrent) ?? source.receivers.first else {
                return "no receiver"
            }
            return self.receiver(receiver)
        }
    }

    private static func receiver(_ receiver: ManagerInterface.Receiver) -> String {
        let (fix, satellites) =
            switch receiver.mode {
            case .unknown: ("no report from the receiver yet", nil as Int?)
            case .noFix: ("no fix", receiver.satellitesSeen)
            case .fix2D: ("2D fix", receiver.satellitesUsed)
            case .fix3D: ("3D fix", receiver.satellitesUsed)
            }
        return satellites.map { "\(fix), \(count($0, "satellite"))" } ?? fix
    }

    private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}
