import GeoClue
import Glibc
import LocationPolicy

/// What the applications that are installed for everybody say of themselves, in their desktop files.
///
/// A user's own directory is not looked at: what a user can write any program of theirs can.
struct InstalledApplications {
    private static let directory = "/usr/share/applications"
    /// The longest desktop file that is read, in bytes. They are a few kilobytes.
    private static let longest = 262_144

    /// What stands in for the declaration of a program: its name and reason if it claims the id of an application.
    func declaration(of program: UndeclaredProgram) -> ClientDeclaration {
        let entry = entry(program.claim)
        return program.declaration(claimedName: entry?.name, reason: entry?.reason)
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

    /// The text of a file of root's; `nil` if it cannot be read.
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
