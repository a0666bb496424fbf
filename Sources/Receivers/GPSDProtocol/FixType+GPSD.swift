package import LocationModel

// The numbers of ways to compute a position: `status` of gpsd's TPV (gpsd_json(5)), and the quality in GGA of NMEA 0183.

extension Location.FixType {
    /// gpsd's number of a simulated position.
    package static let simulatedStatus = 8

    /// The way with gpsd's number; `nil` for a simulated position, and for a number that is unknown here. gpsd leaves the number
    /// out of a fix by satellites alone, and libgps reads that as 0.
    package init?(gpsdStatus status: Int) {
        guard let type = Self.allCases.first(where: { $0.gpsdStatus == (status == 0 ? 1 : status) }) else { return nil }
        self = type
    }

    /// gpsd's number.
    package var gpsdStatus: Int {
        switch self {
        case .standard, .unknown: 1
        case .differential: 2
        case .rtkFixed: 3
        case .rtkFloat: 4
        case .deadReckoning: 5
        case .combined: 6
        case .surveyed: 7
        case .precise: 9
        }
    }

    /// The way with a quality of GGA; `nil` for no fix, a simulated position, and a number without a meaning.
    package init?(nmeaQuality quality: Int) {
        guard let type = Self.allCases.first(where: { $0.nmea.quality == quality }) else { return nil }
        self = type
    }

    /// The quality in GGA, and the mode in RMC. NMEA has no word for satellites with dead reckoning: gpsd calls it a fix by
    /// satellites, too.
    package var nmea: (quality: Int, mode: Character) {
        switch self {
        case .standard, .combined, .unknown: (1, "A")
        case .differential: (2, "D")
        case .precise: (3, "P")
        case .rtkFixed: (4, "R")
        case .rtkFloat: (5, "F")
        case .deadReckoning: (6, "E")
        case .surveyed: (7, "M")
        }
    }
}
