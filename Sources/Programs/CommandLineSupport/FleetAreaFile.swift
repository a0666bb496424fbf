import Glibc

/// The file with the areas of a fleet, which the map writes.
package enum FleetAreaFile {
    /// The user's own file: `$XDG_DATA_HOME/locationd/fleet-areas.geojson`, by default below `~/.local/share`; `nil` without a home.
    package static var standardPath: String? {
        // A relative path is to be ignored (XDG Base Directory Specification).
        func directory(_ variable: String) -> String? {
            getenv(variable).flatMap { String(validatingCString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        let data = directory("XDG_DATA_HOME") ?? directory("HOME").map { $0 + "/.local/share" }
        return data.map { $0 + "/locationd/fleet-areas.geojson" }
    }
}
