import POSIXSupport

/// The file with the areas of a fleet, which the map writes.
package enum FleetAreaFile {
    /// The user's own file: `$XDG_DATA_HOME/locationd/fleet-areas.geojson`, by default below `~/.local/share`; `nil` without a home.
    package static var standardPath: String? { UserDirectories.data.map { $0 + "/locationd/fleet-areas.geojson" } }
}
