import GeoClue
import Glibc
import LocationPolicy

/// The desktop files of applications that are installed for all users.
///
/// Files in a user's own directory do not count, since every program of the user can write there.
struct InstalledApplications {
    private static let directory = "/usr/share/applications"
    /// The desktop files of Flatpaks that are installed for all users.
    private static let flatpakDirectory = "/var/lib/flatpak/exports/share/applications"
    /// The size limit of a desktop file in bytes. Real ones have a few kilobytes.
    private static let longest = 262_144

    /// The stand-in for the declaration of a program, with the name and reason of the application whose id it claims.
    func declaration(of program: UndeclaredProgram) -> ClientDeclaration {
        let entry = entry(program.claim)
        return program.declaration(claimedName: entry?.name, reason: entry?.reason)
    }

    /// The id of the application that a peer is or claims to be; `nil` if it is not installed for all users. GNOME Shell
    /// denies an unknown id for good.
    func id(of peer: PeerIdentity) -> String? {
        if let application = peer.flatpakID {
            let isThere =
                DesktopEntry.isID(application)
                && [Self.directory, Self.flatpakDirectory].contains {
                    access("\($0)/\(application).desktop", R_OK) == 0
                }
            return isThere ? application : nil
        }
        // Debian's Firefox calls itself firefox, and its file is firefox-esr.desktop.
        let program = peer.recognisedExecutable?.split(separator: "/").last.map(String.init)
        return [peer.claimedDesktopID, program].compactMap { $0 }.first { entry($0) != nil }
    }

    /// The desktop file with this id; `nil` if there is none.
    func entry(_ id: String) -> DesktopEntry? {
        guard DesktopEntry.isID(id), let text = Self.read("\(Self.directory)/\(id).desktop") else { return nil }
        return DesktopEntry(text, language: Self.language)
    }

    /// The language of the machine, as the service manager passes it.
    private static let language: String = {
        func value(_ variable: String) -> String { getenv(variable).map { String(cString: $0) } ?? "" }
        return [value("LC_ALL"), value("LC_MESSAGES"), value("LANG")].first { !$0.isEmpty } ?? ""
    }()

    /// The text of a regular file of limited size; `nil` if it cannot be read.
    private static func read(_ path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= longest else {
            return nil
        }
        return withUnsafeTemporaryAllocation(byteCount: Int(status.st_size) + 1, alignment: 1) { buffer in
            let count = Glibc.read(file, buffer.baseAddress, buffer.count)
            guard count > 0, count < buffer.count else { return nil }
            return String(validating: buffer[..<count], as: UTF8.self)
        }
    }
}
