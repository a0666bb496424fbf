package import LocationModel

/// A report of a receiver, or about receivers, through any source.
package enum ReceiverReport: Equatable, Sendable {
    /// All receivers of the source.
    case receivers([ReceiverDescription])
    /// A receiver that was added, removed or identified.
    case receiver(ReceiverDescription)
    /// Time, position and velocity.
    case position(PositionReport)
    /// The satellites.
    case sky(SkyReport)
    /// A heading, from a compass or an attitude sensor; only valid ones are reported.
    case heading(Heading)
}

/// A receiver as its source describes it.
package struct ReceiverDescription: Equatable, Sendable {
    /// The source's name of the receiver, such as `/dev/ttyACM0`.
    var device: String
    /// The driver for it, such as `u-blox`; `nil` if unknown.
    var driver: String?
    /// False while the source does not read it: never opened, closed, or unplugged.
    var isActivated: Bool
}

/// Time, position and velocity: gpsd's TPV.
package struct PositionReport: Equatable, Sendable {
    /// The receiver.
    package var device: String?
    package var mode: FixMode
    /// The receiver's own time.
    package var time: Timestamp?
    /// The location, if the receiver has a fix; its timestamp is `time`, or else the time of arrival.
    package var location: Location?
    /// The receiver's own measure of interference, 0 to 255; `nil` if it reports none.
    package var jamming: Int?
    /// True if the receiver reports an open or a short circuit of its antenna.
    package var hasAntennaFault = false

    /// A report with the given values.
    package init(device: String?, mode: FixMode, time: Timestamp? = nil, location: Location? = nil) {
        (self.device, self.mode, self.time, self.location) = (device, mode, time, location)
    }
}

/// The satellites: gpsd's SKY. The counts are `nil` if it has dilutions of precision only.
package struct SkyReport: Equatable, Sendable {
    var device: String?
    var satellitesUsed: Int?
    var satellitesSeen: Int?
    var satellites: [SatelliteStatus] = []
    /// Dilutions of precision: of the horizontal position, and of position and altitude.
    var horizontalDilution: Double?
    var positionDilution: Double?
}
