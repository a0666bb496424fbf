import CommandLineSupport
import LocationClient
import POSIXSupport
import TimeZones

/// The grid of time zones that is installed with this program.
enum InstalledTimeZones {
    /// Reads it. Throws a sentence for the user if there is none, or if the file is damaged.
    static func grid() throws(LocationError) -> TimeZoneGrid {
        let path = path
        do {
            return try TimeZoneGrid(try SmallFile.read(path, limit: TimeZoneGrid.largestFile))
        } catch let damage as TimeZoneGrid.Damage {
            throw .refused(
                message:
                    "\(path.shown()) is damaged: \(damage) Download the package locationd from where it came from, "
                    + "then run: sudo apt install --reinstall ./locationd_*.deb")
        } catch {
            throw .refused(
                message:
                    "The borders of time zones cannot be read: \(path.shown()): \(error). In a clone, make time-zones "
                    + "makes them.")
        }
    }

    /// Beside this program after a build; otherwise where the package installs it.
    private static var path: String {
        let directory = OwnExecutable.directory
        let paths = ["\(directory)/../../timezones/timezones.grid", "\(directory)/../share/locationd/timezones.grid"]
        return paths.first { (try? SmallFile.read($0, limit: TimeZoneGrid.largestFile)) != nil } ?? paths[1]
    }
}

extension TimeZoneVerdict {
    /// The reason why the zone is undecided, as a sentence; `nil` if it is decided.
    var obstacle: String? {
        switch self {
        case .zone: nil
        case .inaccurate:
            "The time zone cannot be decided: your location is accurate to more than "
                + "\(TextFormat.number(TimeZoneGrid.largestRadius / 1000, 0)) km."
        case .border(let names):
            "The time zone cannot be decided: your location is near a border, and may be in any of "
                + "\(names.joined(separator: ", "))."
        case .unassigned:
            "The time zone cannot be decided: your location is at sea or in Antarctica, or near there."
        }
    }
}
