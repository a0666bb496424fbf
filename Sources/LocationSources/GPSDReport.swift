import LocationModel

/// One message of gpsd, understood: <https://gpsd.gitlab.io/gpsd/gpsd_json.html>.
enum GPSDReport: Equatable {
    /// The banner: gpsd's release.
    case version(String)
    /// All receivers that gpsd has.
    case devices([DeviceReport])
    /// One receiver came, went or was identified.
    case device(DeviceReport)
    /// TPV: time, position and velocity.
    case position(PositionReport)
    /// SKY: the satellites.
    case sky(SkyReport)
    /// ATT: where the nose points; only with a heading that makes sense.
    case attitude(Heading)
    /// gpsd complains about something we said.
    case error(String)
    /// A message of a class that is of no use here.
    case other(String)
}

/// What a DEVICE message says of a receiver.
struct DeviceReport: Equatable {
    var path: String
    var driver: String?
    /// False when gpsd does not read it: never opened, closed, or unplugged.
    var isActivated: Bool
}

/// What a TPV message says.
struct PositionReport: Equatable {
    /// The receiver.
    var device: String?
    var mode: FixMode
    /// The receiver's own time.
    var time: Timestamp?
    /// Where the receiver was, if it has a fix; its timestamp is `time`, or else the time of arrival.
    var location: Location?
}

/// What a SKY message says; the counts are `nil` when it is about dilution of precision only.
struct SkyReport: Equatable {
    var device: String?
    var satellitesUsed: Int?
    var satellitesSeen: Int?
}
