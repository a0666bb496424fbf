import LocationModel

/// Overland's batches, as Dawarich and reitti take them: GeoJSON, metres a second, times with a Z.
///
/// There is nothing of a battery, of which a wrong word has Dawarich refuse the whole batch.
enum OverlandMessage {
    static func body(_ records: [ShareRecord], device: String) -> [UInt8] {
        let features = records.map { feature($0, device) }.joined(separator: ",")
        return Array("{\"locations\":[\(features)]}".utf8)
    }

    private static func feature(_ record: ShareRecord, _ device: String) -> String {
        let location = record.location
        var properties = [
            ("timestamp", "\"\(location.timestamp)\""),
            ("horizontal_accuracy", MessageText.number(max(1, record.accuracy), 10)),
            ("device_id", MessageText.string(device)),
        ]
        if let accuracy = location.verticalAccuracy {
            properties.append(("vertical_accuracy", MessageText.number(accuracy, 10)))
        }
        if let altitude = location.altitude { properties.append(("altitude", MessageText.number(altitude, 10))) }
        if let speed = location.speed { properties.append(("speed", MessageText.number(speed, 100))) }
        if let course = location.course { properties.append(("course", MessageText.number(course, 10))) }
        let longitude = MessageText.number(location.coordinate.longitude, 1e7)
        let latitude = MessageText.number(location.coordinate.latitude, 1e7)
        return MessageText.object([
            ("type", "\"Feature\""),
            ("geometry", "{\"type\":\"Point\",\"coordinates\":[\(longitude),\(latitude)]}"),
            ("properties", MessageText.object(properties)),
        ])
    }
}
