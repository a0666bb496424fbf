import DesktopEntries
import Glibc
import LocationClient
import LocationInterface
import LocationServiceManagement

/// A program's name and icon from its desktop file.
struct Application: Hashable, Sendable {
    let name: String
    /// The address of the icon, relative to the page; `nil` if it has none.
    let icon: String?
}

/// The installed applications that programs are, looked up once each.
@MainActor
final class Applications {
    private let directories: ApplicationDirectories
    private let language: String
    private var known: [String: Application?] = [:]
    /// The files of the icons, by the last part of their addresses.
    private(set) var icons: [String: String] = [:]

    init(_ directories: ApplicationDirectories, language: String = Applications.language) {
        (self.directories, self.language) = (directories, language)
    }

    /// The application of a client; `nil` if none is known.
    func application(of client: LocationServiceManager.Client) -> Application? {
        if let known = known[client.client] { return known }
        // An identifier is that of a desktop file where the vendor of an application declares it.
        let names = [client.application, client.file == nil ? nil : client.client].compactMap(\.self)
        let entry =
            names.lazy.compactMap { [directories, language] in directories.entry($0, language: language) }.first
            ?? program(at: client.client)
        let found = entry.map { Application(name: $0.name, icon: address(of: $0)) }
        // What connects later may be known then.
        if found != nil || client.isConnected { known[client.client] = .some(found) }
        return found
    }

    /// The desktop file of an undeclared program, whose identifier is its path.
    private func program(at path: String) -> DesktopEntry? {
        guard path.hasPrefix("/"), let name = path.split(separator: "/").last.map(String.init),
            let entry = directories.entry(name, language: language)
        else { return nil }
        return entry.programs.contains(path) || entry.programs.contains(name) ? entry : nil
    }

    private func address(of entry: DesktopEntry) -> String? {
        guard let path = directories.icon(of: entry) else { return nil }
        let known = icons.first { $0.value == path }?.key
        let name = known ?? "\(icons.count)\(path.suffix(4))"
        icons[name] = path
        return "icons/\(name)"
    }

    /// The language of the session.
    private nonisolated static var language: String {
        ["LC_ALL", "LC_MESSAGES", "LANG"].map { (name: String) in getenv(name).map { String(cString: $0) } ?? "" }
            .first { !$0.isEmpty } ?? ""
    }
}
