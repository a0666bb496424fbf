package import LocationModel

/// The answers of gpsd to a client: gpsd_json(5). The sender adds a carriage return and a line feed.
package enum GPSDReply {
    /// The version of the protocol whose members are sent.
    package static let protocolVersion = (major: 3, minor: 15)

    /// The program that answers, in the greeting of the location service.
    package static let ownRevision = "locationd"

    /// A time as gpsd writes it, with three decimals.
    package static func time(_ time: Timestamp) -> String {
        let nanoseconds = time.nanosecondsSince1970
        let remainder = nanoseconds % 1_000_000
        return Timestamp(nanosecondsSince1970: nanoseconds - remainder).description
    }

    /// The greeting. `release` is the release of gpsd that the answers resemble, `revision` the program that answers.
    package static func version(release: String, revision: String) -> String {
        #"{"class":"VERSION","release":\#(quoted(release)),"rev":\#(quoted(revision)),"#
            + #""proto_major":\#(protocolVersion.major),"proto_minor":\#(protocolVersion.minor)}"#
    }

    /// The only receiver that a client sees, which has been active since `activated`.
    package static func device(_ path: String, driver: String, activated: String) -> String {
        #"{"class":"DEVICE","path":\#(quoted(path)),"driver":\#(quoted(driver)),"activated":\#(quoted(activated)),"#
            + #""flags":1,"native":0,"cycle":1.00}"#
    }

    /// The list of receivers.
    package static func devices(_ devices: String...) -> String {
        #"{"class":"DEVICES","devices":[\#(devices.joined(separator: ","))]}"#
    }

    /// The answer to WATCH. The receiver's own bytes and its clock are always off here.
    package static func watch(_ policy: GPSDWatchPolicy) -> String {
        let device = policy.device.map { #","device":\#(quoted($0))"# } ?? ""
        return #"{"class":"WATCH","enable":\#(policy.isEnabled),"json":\#(policy.json),"nmea":\#(policy.nmea),"raw":0,"#
            + #""scaled":\#(policy.scaled),"timing":false,"split24":\#(policy.split24),"pps":false\#(device)}"#
    }

    /// The answer to POLL, with one TPV and no satellites: a well-known client expects an entry of `sky`.
    package static func poll(time: String, tpv: String, device: String) -> String {
        #"{"class":"POLL","time":\#(quoted(time)),"active":1,"tpv":[\#(tpv)],"gst":[],"#
            + #""sky":[{"class":"SKY","device":\#(quoted(device)),"satellites":[]}]}"#
    }

    /// An error.
    package static func error(_ message: String) -> String { #"{"class":"ERROR","message":\#(quoted(message))}"# }

    /// A string of JSON. What is not printable ASCII becomes a dot, and so do `"` and `\` and what a reader of NMEA takes for a
    /// part of a sentence.
    package static func quoted(_ text: String) -> String {
        let safe = text.unicodeScalars.map { scalar -> Character in
            scalar.isASCII && scalar.value >= 0x20 && scalar.value < 0x7f && !"\"\\$!*".unicodeScalars.contains(scalar)
                ? Character(scalar) : "."
        }
        return "\"" + String(safe) + "\""
    }
}

/// The reports that a client of gpsd has asked for with its WATCH commands.
package struct GPSDWatchPolicy: Hashable, Sendable {
    /// True while it receives reports.
    package private(set) var isEnabled = false
    /// True if reports are JSON objects.
    package private(set) var json = false
    /// True if reports are NMEA 0183 sentences.
    package private(set) var nmea = false
    package private(set) var scaled = false
    package private(set) var split24 = false
    /// The receiver that it has named.
    package private(set) var device: String?

    package init() {}

    /// True if there is anything to send to it by itself.
    package var wantsReports: Bool { isEnabled && (json || nmea) }

    /// Applies a WATCH, which changes only the members that it has.
    package mutating func merge(_ watch: GPSDRequest.Watch) {
        isEnabled = watch.isEnabled
        json = watch.json ?? json
        nmea = watch.nmea ?? nmea
        scaled = watch.scaled ?? scaled
        split24 = watch.split24 ?? split24
        device = watch.device ?? device
    }
}
