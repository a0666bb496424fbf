import GPSDProtocol
import LocationModel

/// A location in the words of gpsd's protocol.
///
/// Only what is listed here is ever sent: many members of gpsd's own TPV reveal the place in another way.
enum PositionText {
    /// The name of the only receiver that clients see, whichever source gives the locations: the name of the real one is not
    /// for everybody.
    static let device = "/dev/locationd"

    /// The length of the longest TPV of a location on or near the earth, in bytes.
    static let longest = 480

    /// The TPV for a client that has no location: what a receiver without a fix sends.
    static let noFix = #"{"class":"TPV","device":"\#(device)","mode":1}"#

    /// The TPV with an exact location.
    static func tpv(_ location: Location) -> String {
        let altitude = location.altitude ?? location.ellipsoidalAltitude
        var text = start(of: location, status: status(of: location), mode: altitude == nil ? 2 : 3)
        text.add("altHAE", location.ellipsoidalAltitude, decimals: 4)
        text.add("altMSL", location.altitude, decimals: 4)
        // The older name of either, which many clients read.
        text.add("alt", altitude, decimals: 4)
        addErrors(of: location, to: &text)
        text.add("epv", location.verticalAccuracy.map(inSigmas95), decimals: 3)
        text.add("track", location.course, decimals: 4)
        text.add("speed", location.speed, decimals: 3)
        text.add("epd", location.courseAccuracy.map(inSigmas95), decimals: 4)
        text.add("eps", location.speedAccuracy.map(inSigmas95), decimals: 2)
        return text + "}"
    }

    /// The TPV with a reduced location: the place, its radius and its time, and nothing else.
    static func tpv(reduced location: Location) -> String {
        var text = start(of: location, mode: 2)
        addErrors(of: location, to: &text)
        return text + "}"
    }

    private static func status(of location: Location) -> Int {
        location.sourceInformation?.isSimulated == true
            ? Location.FixType.simulatedStatus : (location.fixType ?? .standard).gpsdStatus
    }

    private static func start(of location: Location, status: Int = 1, mode: Int) -> String {
        // gpsd leaves the status of a fix by satellites alone out. Older clients read a missing one as no fix.
        var text = #"{"class":"TPV","device":"\#(device)","status":\#(status),"mode":\#(mode),"#
        text += #""time":"\#(GPSDReply.time(location.timestamp))""#
        text.add("lat", location.coordinate.latitude, decimals: 9)
        text.add("lon", location.coordinate.longitude, decimals: 9)
        return text
    }

    /// The ratio of gpsd's errors to the north and to the east to the radius of both: about that of the sigmas that hold 95 %.
    private static let sideOfRadius = 0.8

    private static func addErrors(of location: Location, to text: inout String) {
        let radius = location.horizontalAccuracy.map { $0 / GPSDConfidence.radius95To68 }
        text.add("epx", radius.map { $0 * sideOfRadius }, decimals: 3)
        text.add("epy", radius.map { $0 * sideOfRadius }, decimals: 3)
        text.add("eph", radius, decimals: 3)
    }

    private static func inSigmas95(_ sigma: Double) -> Double { sigma * GPSDConfidence.sigmas95 }
}

extension String {
    /// Appends a member with a number, unless it is unknown.
    fileprivate mutating func add(_ name: String, _ value: Double?, decimals: Int) {
        guard let digits = value?.fixed(decimals) else { return }
        self += #","\#(name)":"# + digits
    }
}
