import LocationModel

/// Traccar's JSON, which its web port takes since 6.7. Speeds are in metres a second.
///
/// All six coordinates have to be there: Traccar closes the connection without an answer otherwise. A negative speed or heading
/// counts as unknown.
enum TraccarMessage {
    static func body(_ record: ShareRecord, device: String) -> [UInt8] {
        let location = record.location
        let coordinates = MessageText.object([
            ("latitude", MessageText.number(location.coordinate.latitude, 1e7)),
            ("longitude", MessageText.number(location.coordinate.longitude, 1e7)),
            ("accuracy", MessageText.number(record.accuracy, 10)),
            ("speed", MessageText.number(location.speed ?? -1, 100)),
            ("heading", MessageText.number(location.course ?? -1, 10)),
            ("altitude", MessageText.number(location.altitude ?? 0, 10)),
        ])
        let place = MessageText.object([("timestamp", "\"\(location.timestamp)\""), ("coords", coordinates)])
        return Array(
            MessageText.object([("device_id", MessageText.string(device)), ("location", place)]).utf8)
    }
}
