import GPSDProtocol
import LocationModel

/// A decoded message of gpsd: <https://gpsd.gitlab.io/gpsd/gpsd_json.html>.
enum GPSDReport: Equatable {
    /// The banner, with gpsd's release.
    case version(String)
    /// All receivers of gpsd.
    case devices([GPSDLine.Device])
    /// A receiver that was added, removed or identified.
    case device(GPSDLine.Device)
    /// TPV: time, position and velocity.
    case position(PositionReport)
    /// SKY: the satellites.
    case sky(SkyReport)
    /// ATT: a heading; only valid ones are reported.
    case attitude(Heading)
    /// gpsd's complaint about a command.
    case error(String)
    /// A message of a class that is not used here.
    case other(String)
}

/// The content of a TPV message.
struct PositionReport: Equatable {
    /// The receiver.
    var device: String?
    var mode: FixMode
    /// The receiver's own time.
    var time: Timestamp?
    /// The location, if the receiver has a fix; its timestamp is `time`, or else the time of arrival.
    var location: Location?
}

/// The content of a SKY message; the counts are `nil` if it has dilutions of precision only.
struct SkyReport: Equatable {
    var device: String?
    var satellitesUsed: Int?
    var satellitesSeen: Int?
    var satellites: [SatelliteStatus] = []
    /// Dilutions of precision: of the horizontal position, and of position and altitude.
    var horizontalDilution: Double?
    var positionDilution: Double?
}
