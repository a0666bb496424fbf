package import LocationModel

/// A change of the machine's time zone that its follower makes, as it tells the agents of users by a file.
package struct TimeZoneChange: Hashable, Codable, Sendable {
    /// The file, below the directory that systemd makes for the follower.
    package static let file = "/run/locationd-timezone/change"

    /// The zone before; `nil` if the machine had none.
    package var old: String?
    package var new: String
    /// When it was made, in nanoseconds since 1970.
    package var time: Int64

    package init(old: String?, new: String, at time: Timestamp) {
        (self.old, self.new, self.time) = (old, new, time.nanosecondsSince1970)
    }

    /// True if both names can be zones.
    package var isSound: Bool { TimeZoneDatabase.isName(new) && old.map(TimeZoneDatabase.isName) ?? true }
}
