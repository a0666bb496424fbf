import CommandLineSupport
import Glibc
import LocationClient
import Synchronization

/// The settings of the user who runs this program: their own file, and that for all users.
struct UserSettings {
    static let systemFile = "/etc/locationd/locationctl.conf"

    /// The files that can be read, the user's own first.
    private let files: [SettingsFile]

    /// The path of the file that this user may change: root's is that for all users. `$XDG_CONFIG_HOME` names the
    /// directory of another one.
    static func path(_ environment: (String) -> String?, isRoot: Bool) -> String {
        let isForAll = isRoot && environment("XDG_CONFIG_HOME") ?? "" == ""
        guard !isForAll, let directory = directory(environment) else { return systemFile }
        return "\(directory)/locationd/locationctl.conf"
    }

    /// The path for the user who runs this program.
    static var path: String { path(variable, isRoot: geteuid() == 0) }

    /// The directory for the settings of all programs of the user who runs this one; `nil` if there is none.
    static var directory: String? { directory(variable) }

    private static func directory(_ environment: (String) -> String?) -> String? {
        func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
        return value("XDG_CONFIG_HOME") ?? value("HOME").map { "\($0)/.config" }
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    init(files: [SettingsFile]) { self.files = files }

    /// Reads the settings. A file that cannot be read and invalid parts of one are reported and not used.
    static func read() -> UserSettings {
        let paths = path == systemFile ? [systemFile] : [path, systemFile]
        return UserSettings(
            files: paths.compactMap { path in
                do {
                    let file = try SettingsFile(path: path)
                    file.problems.forEach(complain)
                    return file
                } catch {
                    complain("\(path) cannot be read: \(error)")
                    return nil
                }
            })
    }

    /// The problems that were printed.
    private static let printed = Mutex<Set<String>>([])

    /// Prints a problem once: several parts of a command read the settings.
    private static func complain(_ problem: String) {
        if printed.withLock({ $0.insert(problem).inserted }) { Terminal.complain(problem.shown(limit: 4096)) }
    }

    /// Changes the file of the user who runs this program.
    static func change(_ body: (inout SettingsFile) -> Void) throws(LocationError) {
        var file: SettingsFile
        do {
            file = try SettingsFile(path: path)
        } catch {
            throw .refused(message: "\(path) cannot be read: \(error)")
        }
        let before = file
        body(&file)
        if file != before { try file.save() }
    }

    /// The units; `nil` if they are not set.
    var units: UnitSystem? { value(of: .units) }

    /// The notation of coordinates; `nil` if it is not set.
    var coordinates: CoordinateNotation? { value(of: .coordinates) }

    /// The findings of doctor that were accepted, and the files that do so.
    var acceptances: [String: String] {
        Dictionary(
            files.flatMap { file in file.values(of: .accepted).map { ($0, file.path) } },
            uniquingKeysWith: { own, _ in own })
    }

    private func value<Value: RawRepresentable>(of name: SettingsFile.Name) -> Value? where Value.RawValue == String {
        files.lazy.flatMap { $0.values(of: name) }.compactMap(Value.init(rawValue:)).first
    }
}
