import LocationModel

/// OwnTracks' messages in JSON, with what Home Assistant reads of them.
///
/// Speeds are in km/h. There are no regions, because Home Assistant ignores locations while a device is in one.
package enum OwnTracksMessage {
    /// The content of a message.
    ///
    /// - Parameters:
    ///   - topic: the topic under which the message would be published, if the reader needs it.
    ///   - id: what tells a message from others of the device; `nil` for none.
    package static func body(_ message: ShareMessage, topic: String? = nil, id: String? = nil) -> [UInt8] {
        let topic =
            (topic.map { [("topic", MessageText.string($0))] } ?? [])
            + (id.map { [("_id", MessageText.string($0))] } ?? [])
        return switch message {
        case .positions(let records):
            Array(MessageText.object(records.last.map(location).map { $0 + topic } ?? []).utf8)
        // Its state becomes “unknown”, and the coordinates are gone.
        case .end(let time):
            Array(
                MessageText.object(
                    [type("location"), ("lat", "null"), ("lon", "null"), ("acc", "1"), moment(time)] + topic
                ).utf8)
        // A type that Home Assistant answers and does not read.
        case .test(let time): Array(MessageText.object([type("lwt"), moment(time)] + topic).utf8)
        }
    }

    private static func location(_ record: ShareRecord) -> [(String, String)] {
        let location = record.location
        var members = [
            type("location"), ("lat", MessageText.number(location.coordinate.latitude, 1e7)),
            ("lon", MessageText.number(location.coordinate.longitude, 1e7)),
            ("acc", MessageText.number(max(1, record.accuracy.rounded(.up)), 1)),
            moment(location.timestamp),
        ]
        if let altitude = location.altitude { members.append(("alt", MessageText.number(altitude, 1))) }
        if let accuracy = location.verticalAccuracy {
            members.append(("vac", MessageText.number(accuracy.rounded(.up), 1)))
        }
        if let speed = location.speed { members.append(("vel", MessageText.number(speed * 3.6, 10))) }
        if let course = location.course { members.append(("cog", MessageText.number(course, 1))) }
        return members
    }

    private static func type(_ name: String) -> (String, String) { ("_type", "\"\(name)\"") }

    private static func moment(_ time: Timestamp) -> (String, String) {
        ("tst", "\(Int64(time.secondsSince1970.rounded(.down)))")
    }
}
