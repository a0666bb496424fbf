import LocationModel

/// What Home Assistant reads at a broker by its discovery: a tracker, and where that is.
///
/// The position has a topic of its own, to which only the newest one goes: Home Assistant takes each message for the present position.
package enum HomeAssistantDiscovery {
    /// The topic under which Home Assistant looks for devices, unless it is set to another one.
    package static let prefix = "homeassistant"

    /// True if Home Assistant takes the user and the device of a destination in a topic: letters, digits, `-` and `_`.
    package static func accepts(_ destination: Destination) -> Bool {
        (destination.user + destination.device).utf8.allSatisfy(Destination.isWordByte)
    }

    /// A topic of the tracker; `nil` if Home Assistant is not to discover it.
    package static func topic(_ part: String, of destination: Destination) -> String? {
        destination.discoveryPrefix.map { "\($0)/device_tracker/\(destination.user)/\(destination.device)/\(part)" }
    }

    /// The description of the tracker, without a state: Home Assistant derives the zone from the attributes.
    package static func configuration(of destination: Destination) -> [UInt8] {
        let identifier = MessageText.string("locationd-\(destination.user)-\(destination.device)")
        let device = MessageText.object([
            ("identifiers", "[\(identifier)]"), ("name", MessageText.string(destination.device)),
        ])
        return Array(
            MessageText.object([
                ("unique_id", identifier), ("name", "null"), ("source_type", "\"gps\""),
                ("json_attributes_topic", MessageText.string(topic("attributes", of: destination) ?? "")),
                ("device", device),
            ]).utf8)
    }

    /// The position, with the attributes that Home Assistant reads.
    package static func attributes(_ record: ShareRecord) -> [UInt8] {
        let location = record.location
        var members = [
            ("latitude", MessageText.number(location.coordinate.latitude, 1e7)),
            ("longitude", MessageText.number(location.coordinate.longitude, 1e7)),
            ("gps_accuracy", MessageText.number(max(1, record.accuracy.rounded(.up)), 1)),
        ]
        if let altitude = location.altitude { members.append(("altitude", MessageText.number(altitude, 1))) }
        if let course = location.course { members.append(("course", MessageText.number(course, 1))) }
        if let speed = location.speed { members.append(("speed", MessageText.number(speed * 3.6, 10))) }
        members.append(("fix_time", "\"\(location.timestamp)\""))
        return Array(MessageText.object(members).utf8)
    }
}
