import GPSDProtocol
import LocationModel

/// A delta of Signal K 1.7: one object of JSON, in the units of the SI, radians among them.
enum SignalKMessage {
    /// The delta with an exact position and a heading in degrees, or with a reduced position: neither altitude nor movement.
    static func delta(_ record: ShareRecord) -> String {
        let location = record.location
        let time = "\"\(GPSDReply.time(location.timestamp))\""
        var values = [("navigation.position", position(location, isReduced: record.isReduced))]
        if let dilution = NMEAText.dilution(of: location.horizontalAccuracy) {
            values.append(("navigation.gnss.horizontalDilution", dilution))
        }
        values.append(("navigation.gnss.methodQuality", "\"\(quality(location, isReduced: record.isReduced))\""))
        if !record.isReduced { values += movement(location, heading: record.heading) }
        values.append(("navigation.datetime", time))
        let members = values.map { "{\"path\":\"\($0.0)\",\"value\":\($0.1)}" }.joined(separator: ",")
        let update = MessageText.object([("$source", "\"locationd\""), ("timestamp", time), ("values", "[\(members)]")])
        return MessageText.object([("context", "\"vessels.self\""), ("updates", "[\(update)]")]) + "\r\n"
    }

    private static func position(_ location: Location, isReduced: Bool) -> String {
        let scale = isReduced ? 1e5 : 1e9
        var members = [
            ("latitude", MessageText.number(location.coordinate.latitude, scale)),
            ("longitude", MessageText.number(location.coordinate.longitude, scale)),
        ]
        if !isReduced, let altitude = location.altitude {
            members.append(("altitude", MessageText.number(altitude, 100)))
        }
        return MessageText.object(members)
    }

    private static func movement(_ location: Location, heading: Double?) -> [(String, String)] {
        var values: [(String, String)] = []
        if let altitude = location.altitude {
            values.append(("navigation.gnss.antennaAltitude", MessageText.number(altitude, 100)))
            if let ellipsoidal = location.ellipsoidalAltitude {
                values.append(("navigation.gnss.geoidalSeparation", MessageText.number(ellipsoidal - altitude, 1000)))
            }
        }
        if let speed = location.speed { values.append(("navigation.speedOverGround", MessageText.number(speed, 1000))) }
        if let course = location.course { values.append(("navigation.courseOverGroundTrue", radians(course))) }
        if let heading { values.append(("navigation.headingTrue", radians(heading))) }
        return values
    }

    private static func radians(_ degrees: Double) -> String { MessageText.number(degrees * .pi / 180, 1e5) }

    /// The words of the specification for the kind of fix.
    private static func quality(_ location: Location, isReduced: Bool) -> String {
        if isReduced { return "GNSS Fix" }
        if location.sourceInformation?.isSimulated == true { return "Simulator mode" }
        return switch location.fixType ?? .standard {
        case .standard, .combined, .unknown: "GNSS Fix"
        case .differential: "DGNSS fix"
        case .precise: "Precise GNSS"
        case .rtkFixed: "RTK fixed integer"
        case .rtkFloat: "RTK float"
        case .deadReckoning: "Estimated (DR) mode"
        case .surveyed: "Manual input"
        }
    }
}
