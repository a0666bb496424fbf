import CommandLineSupport
import FoundationEssentials
import LocationClient
import LocationDiagnosis

/// The units of the user that are started when a geofence is entered.
///
/// A geofence has a target of the user's service manager, which requires its unit. A watch that runs as a unit itself starts the
/// target when the user enters, and stops it when the user leaves. So systemd keeps which unit belongs to which geofence, and
/// the user needs nobody's permission.
enum GeofenceUnits {
    /// The unit of the watch.
    static let watch = "locationd-geofences.service"
    /// The state of that unit; `nil` if the user's service manager does not report it.
    static var watchState: UnitState? { UnitState.probe(at: watch, isOfUser: true).value }
    private static let template = "locationd-geofence@.target"
    private static let directory = UserSettings.directory.map { $0 + "/systemd/user" }

    /// The conditions of the watch. They are not those of `monitor watch`, because each event is reported to one of them only.
    static func monitor(socketPath: String?) -> LocationMonitor {
        LocationMonitor("locationctl units", socketPath: socketPath)
    }

    /// Has a unit started whenever the user enters a geofence, instead of another one; `nil` for none. It must exist.
    static func set(_ unit: String?, for geofence: String) throws(LocationError) {
        try remove(from: geofence)
        guard let unit else { return }
        try UserUnit.run("add-wants", "--", target(of: geofence), unit)
        do throws(LocationError) {
            try UserUnit.run("enable", "--now", "--", watch)
        } catch {
            try remove(from: geofence)
            throw error
        }
    }

    /// Has no unit started for a geofence any more.
    static func remove(from geofence: String) throws(LocationError) {
        guard let wants = try wants(of: [geofence]).first, FileManager.default.fileExists(atPath: wants) else { return }
        do {
            try FileManager.default.removeItem(atPath: wants)
        } catch {
            throw .refused(message: "\(wants) cannot be removed: \(error)")
        }
        try UserUnit.run("daemon-reload")
    }

    /// The units that are started for geofences, in their order.
    static func units(of geofences: [String]) throws(LocationError) -> [[String]] {
        let wants = try wants(of: geofences)
        guard !wants.isEmpty else { return geofences.map { _ in [] } }
        return wants.map { ((try? FileManager.default.contentsOfDirectory(atPath: $0)) ?? []).sorted() }
    }

    /// Starts or stops what belongs to a geofence, after an event.
    static func receive(_ event: LocationMonitor.Event) throws(LocationError) {
        switch event.state {
        case .satisfied: try UserUnit.run("--no-block", "start", "--", target(of: event.identifier))
        case .unsatisfied: try UserUnit.run("--no-block", "stop", "--", target(of: event.identifier))
        // Only without a location for half an hour: the user may still be inside.
        case .unknown: break
        }
    }

    private static func target(of geofence: String) throws(LocationError) -> String { try targets(of: [geofence])[0] }

    private static func targets(of geofences: [String]) throws(LocationError) -> [String] {
        let output = try ServiceManager.run(["systemd-escape", "--template=\(template)", "--"] + geofences)
        return output.split(whereSeparator: \.isWhitespace).map(String.init)
    }

    /// The directories of what the targets of geofences want, which need not exist; none if no target wants anything, as for
    /// most users, for whom no program is run.
    private static func wants(of geofences: [String]) throws(LocationError) -> [String] {
        guard let directory, let names = try? FileManager.default.contentsOfDirectory(atPath: directory),
            names.contains(where: { $0.hasPrefix("locationd-geofence@") })
        else { return [] }
        return try targets(of: geofences).map { "\(directory)/\($0).wants" }
    }
}
