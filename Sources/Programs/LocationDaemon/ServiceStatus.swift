import LocationCore
import LocationSources

/// The status line in `systemctl status`: `gps: connected; 2 problems in the configuration`.
///
/// Every user can read it, so it says no more than `GetServiceStatus` says to everybody: not whether there is a fix, and not
/// how many clients are connected.
enum ServiceStatus {
    static func line(_ status: ServiceReport) -> String {
        let problems = status.problems.count
        let note = "\(problems) problem\(problems == 1 ? "" : "s") in the configuration"
        return (["gps: \(text(status.sources))"] + (problems > 0 ? [note] : [])).joined(separator: "; ")
    }

    /// The state of the first source that is connected, or else of the first.
    private static func text(_ sources: [SourceStatus]) -> String {
        guard let source = sources.first(where: { $0.connection == .connected }) ?? sources.first else {
            return "no source"
        }
        return switch source.connection {
        case .idle, .closed: "not needed now"
        case .connecting: "connecting to \(source.endpoint)"
        case .retrying: "\(source.endpoint) cannot be reached"
        case .connected: "connected"
        }
    }
}
