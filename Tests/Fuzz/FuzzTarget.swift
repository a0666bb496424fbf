/// A part of the program that takes input from strangers. `make fuzz` runs each on inputs that libFuzzer makes up, guided
/// by what of the program they reach; the tests replay those that were kept.
///
/// The names are those of the folders in `Corpus` and of the files in `Dictionaries`.
enum FuzzTarget: String, CaseIterable {
    /// The Varlink server: framing, the order of answers, slow readers, ends of every kind; with a small service.
    case varlink
    /// The daemon behind it: the real interfaces, called by peers of every kind while decisions and locations come.
    case service
    /// What gpsd sends, through libgps, up to the locations that are told.
    case gpsd
    /// Property lists, read as the daemon's own file and as a client's.
    case plist
    /// Events of the authorization state machine.
    case authorization
    /// Tracks in GPX and GeoJSON.
    case tracks
    /// Fixes for the motion filter.
    case motion
    /// What programs call on the bus, and desktop files.
    case geoclue

    /// Runs the part on `input`.
    ///
    /// - Throws: `Finding` if something happened that no input may bring about. What is worse ends the process.
    func run(_ input: [UInt8]) throws {
        switch self {
        case .varlink: try VarlinkFuzz.run(input)
        case .service: try ServiceFuzz.run(input)
        case .gpsd: try GPSDFuzz.run(input)
        case .plist: try PropertyListFuzz.run(input)
        case .authorization: try AuthorizationFuzz.run(input)
        case .tracks: try TrackFuzz.run(input)
        case .motion: try MotionFuzz.run(input)
        case .geoclue: try GeoClueFuzz.run(input)
        }
    }
}

/// Something that no input may bring about.
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
