package import LocationModel

/// What a vehicle reports of itself: OwnTracks' `location`, in this project's units.
///
/// The networks that a phone sees (`SSID`, `BSSID`) are not kept: they are positions of other people's access points.
package struct FleetPosition: Hashable, Sendable {
    /// The coordinate, accuracies, altitude, speed, course and time of the fix. A value out of range is `nil`.
    package var location: Location
    /// The charge of the battery in percent, 0 to 100; `nil` if unknown.
    package var battery: Int?

    /// A position with these parts.
    package init(_ location: Location, battery: Int? = nil) { (self.location, self.battery) = (location, battery) }
}
