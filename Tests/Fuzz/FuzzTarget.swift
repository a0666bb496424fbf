/// A part of the program with untrusted input. `make fuzz` runs each on inputs that libFuzzer generates, guided by
/// coverage; the tests replay the kept ones.
///
/// The names are those of the folders in `Corpus` and of the files in `Dictionaries`.
enum FuzzTarget: String, CaseIterable {
    /// The Varlink server with a small service: framing, the order of answers, slow readers, all kinds of ends.
    case varlink
    /// The daemon behind it: the real interfaces, called by all kinds of peers while decisions and locations come.
    case service
    /// gpsd's stream, through libgps, up to the published locations.
    case gpsd
    /// What programs send to gpsd's port, and what they are answered.
    case commands
    /// Locations as those programs read them, by libgps and by NMEA.
    case positions
    /// The sentences that a modem's receiver sends, up to its reports.
    case nmea
    /// Property lists, read as the daemon's configuration and as a client's declaration.
    case plist
    /// Events of the authorization state machine.
    case authorization
    /// Tracks in GPX and GeoJSON.
    case tracks
    /// Fixes for the motion filter.
    case motion
    /// What programs call on the bus, and desktop files.
    case geoclue
    /// Shapes of conditions, as programs send them, and fixes around them.
    case shapes
    /// Coordinates and links of maps, as people type and paste them.
    case places
    /// What sharing reads: queues, states and settings on disk, and answers of services.
    case sharing

    /// Runs the part on `input`.
    ///
    /// - Throws: `Finding` for an outcome that no input may cause. A crash ends the process.
    func run(_ input: [UInt8]) throws {
        switch self {
        case .varlink: try VarlinkFuzz.run(input)
        case .service: try ServiceFuzz.run(input)
        case .gpsd: try GPSDFuzz.run(input)
        case .commands: try GPSDCommandsFuzz.run(input)
        case .positions: try PositionTextFuzz.run(input)
        case .nmea: try NMEAFuzz.run(input)
        case .plist: try PropertyListFuzz.run(input)
        case .authorization: try AuthorizationFuzz.run(input)
        case .tracks: try TrackFuzz.run(input)
        case .motion: try MotionFuzz.run(input)
        case .geoclue: try GeoClueFuzz.run(input)
        case .shapes: try ShapeFuzz.run(input)
        case .places: try PlaceTextFuzz.run(input)
        case .sharing: try SharingFuzz.run(input)
        }
    }
}

/// An outcome that no input may cause.
struct Finding: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    /// Throws unless `condition` holds.
    static func unless(_ condition: Bool, _ description: @autoclosure () -> String) throws(Finding) {
        if !condition { throw Finding(description()) }
    }
}
