import DesktopEntries
import LinuxPlumbing
import Glibc
import LocationPolicy
import POSIXSupport

/// The desktop files of applications that are installed for all users.
///
/// Files in a user's own directory do not count, since every program of the user can write there.
struct InstalledApplications {
    /// The size limit of a desktop file in bytes. Real ones have a few kilobytes.
    private static let longest = 262_144
    /// The directories in which desktops look for a program without a path.
    private static let programDirectories = [
        "/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin", "/usr/local/games", "/usr/games",
    ]
    /// The directories whose files are looked up: those of the system, whose file systems answer.
    private static let systemDirectories = ["/usr/", "/bin/", "/sbin/", "/opt/"]

    /// The directory of the desktop files.
    var directory = "/usr/share/applications"
    /// The directory of the desktop files of Flatpaks that are installed for all users.
    var flatpakDirectory = "/var/lib/flatpak/exports/share/applications"

    /// The stand-in for the declaration of a program: with the reason of the application that it is, or else with its claim.
    func declaration(of program: UndeclaredProgram, claim: String?, application: String?) -> ClientDeclaration {
        program.declaration(claim: claim, reason: application.flatMap(entry)?.reason)
    }

    /// The id of the application that a peer is; `nil` if that is not certain, or if it is not installed for all users,
    /// because GNOME Shell denies an unknown id for good.
    ///
    /// A claim counts only if the kernel's evidence fits: the peer runs the program of the desktop file, or a declaration
    /// allows that executable to claim it. Otherwise any program could use the answer that the desktop has stored for
    /// another one.
    ///
    /// - Parameter isClaimDeclared: true if a declaration binds the claim to the evidence.
    func id(of peer: PeerIdentity, isClaimDeclared: Bool) -> String? {
        if let application = peer.flatpakID {
            let isThere =
                DesktopEntry.isID(application)
                && [directory, flatpakDirectory].contains { access("\($0)/\(application).desktop", R_OK) == 0 }
            return isThere ? application : nil
        }
        guard let executable = peer.recognisedExecutable else { return nil }
        // Debian's Firefox calls itself firefox, and its file is firefox-esr.desktop.
        let program = executable.split(separator: "/").last.map(String.init)
        return [peer.claimedDesktopID, program].compactMap { $0 }.first { id in
            guard let entry = entry(id) else { return false }
            return isClaimDeclared && id == peer.claimedDesktopID || Self.isProgram(executable, of: entry)
        }
    }

    /// True if an executable is a program of an application and runs no others.
    private static func isProgram(_ executable: String, of entry: DesktopEntry) -> Bool {
        guard Interpreter(path: executable) == nil else { return false }
        let paths = entry.programs.flatMap { program in
            program.hasPrefix("/") ? [program] : programDirectories.map { "\($0)/\(program)" }
        }
        return paths.contains { $0.utf8.elementsEqual(executable.utf8) || isLink($0, to: executable) }
    }

    /// True if a path leads to an executable by symbolic links, or is another name of it.
    private static func isLink(_ path: String, to executable: String) -> Bool {
        guard [path, executable].allSatisfy({ path in systemDirectories.contains { path.hasPrefix($0) } }),
            case .found(let installed) = FileIdentity.lookedUp(at: path),
            case .found(let running) = FileIdentity.lookedUp(at: executable)
        else { return false }
        return installed == running
    }

    /// The desktop file with this id; `nil` if there is none.
    func entry(_ id: String) -> DesktopEntry? {
        guard DesktopEntry.isID(id), let text = Self.read("\(directory)/\(id).desktop") else { return nil }
        return DesktopEntry(text, language: Self.language)
    }

    /// The language of the machine, as the service manager passes it.
    private static let language: String = {
        func value(_ variable: String) -> String { getenv(variable).map { String(cString: $0) } ?? "" }
        return [value("LC_ALL"), value("LC_MESSAGES"), value("LANG")].first { !$0.isEmpty } ?? ""
    }()

    /// The text of a regular file of limited size; `nil` if it is empty or cannot be read.
    private static func read(_ path: String) -> String? {
        guard let bytes = try? SmallFile.read(path, limit: longest), !bytes.isEmpty else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
