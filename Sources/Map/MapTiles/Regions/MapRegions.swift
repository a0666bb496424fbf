import FoundationEssentials
import Glibc
import POSIXSupport

/// The installed regions: the user's own and the machine's.
public struct MapRegions: Hashable, Sendable {
    /// The directory of the machine's regions.
    public static let systemDirectory = "/var/lib/locationd-map"

    /// The user's directory of regions; `nil` for the machine's regions only.
    public let userDirectory: String?
    /// The machine's directory of regions.
    public let systemDirectory: String

    /// Creates the list of the regions of the user of this process, in `$XDG_DATA_HOME/locationd/maps` or
    /// `~/.local/share/locationd/maps`, and of the machine, in `/var/lib/locationd-map`.
    public init() {
        self.init(userDirectory: Self.usualUserDirectory, systemDirectory: Self.systemDirectory)
    }

    /// Creates the list of the regions in two directories, which need not exist.
    public init(userDirectory: String?, systemDirectory: String) {
        self.userDirectory = userDirectory
        self.systemDirectory = systemDirectory
    }

    /// Returns the readable regions by name, the user's first, and the errors of the others. A region of the user hides
    /// one of the machine with the same name.
    public func installed() -> (regions: [MapRegion], problems: [MapRegion.Damaged]) {
        var regions: [MapRegion] = []
        var problems: [MapRegion.Damaged] = []
        for (directory, isSystem) in directories {
            for name in Self.names(in: directory) where !regions.contains(where: { $0.name == name }) {
                do {
                    regions.append(try MapRegion(directory: "\(directory)/\(name)", isSystem: isSystem))
                } catch {
                    problems.append(error)
                }
            }
        }
        return (regions, problems)
    }

    /// A value that changes when a region is installed or removed: the times and numbers of the directories, and the
    /// names of the regions.
    var fingerprint: [FileMark] {
        directories.flatMap { directory, _ in
            [FileMark(directory)] + Self.names(in: directory).map { FileMark("\(directory)/\($0)") }
        }
    }

    private var directories: [(path: String, isSystem: Bool)] {
        (userDirectory.map { [($0, false)] } ?? []) + [(systemDirectory, true)]
    }

    /// Names with a dot in front are drafts, or hidden otherwise.
    private static func names(in directory: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).filter(MapRegion.isName).sorted()
    }

    private static var usualUserDirectory: String? {
        // A program may have no HOME, as in a unit.
        let home = getpwuid(getuid()).flatMap { $0.pointee.pw_dir }.flatMap { String(validatingCString: $0) }
        return (UserDirectories.data ?? home.map { "\($0)/.local/share" }).map { "\($0)/locationd/maps" }
    }
}

/// A mark by which a changed file is recognized.
package struct FileMark: Hashable, Sendable {
    let path: String
    let device: UInt64
    let inode: UInt64
    let seconds: Int
    let nanoseconds: Int

    /// Creates the present mark of the file at `path`.
    package init(_ path: String) {
        var status = stat()
        let isThere = stat(path, &status) == 0
        self.path = path
        device = isThere ? UInt64(status.st_dev) : 0
        inode = isThere ? UInt64(status.st_ino) : 0
        seconds = isThere ? status.st_mtim.tv_sec : 0
        nanoseconds = isThere ? status.st_mtim.tv_nsec : 0
    }
}
