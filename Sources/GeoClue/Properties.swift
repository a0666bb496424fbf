public import LocationModel

/// The values of the objects' properties.
public enum Properties {
    /// The names of an object's properties.
    static func names(of object: ObjectPath) -> [String] {
        switch object {
        case .manager: manager(isInUse: false, isAvailable: false).map(\.name)
        case .client: ClientObject(number: 0).properties.map(\.name)
        case .location: location(nil).map(\.name)
        }
    }

    /// Those of the manager: whether a location is in use, and whether there is a receiver. The level is said whether or not
    /// there is a fix, since clients do not even ask below it.
    public static func manager(isInUse: Bool, isAvailable: Bool) -> [PropertyValue] {
        [
            ("InUse", .boolean(isInUse)),
            ("AvailableAccuracyLevel", .number(isAvailable ? AccuracyLevel.exact : AccuracyLevel.none)),
        ]
    }

    /// What GeoClue says where the altitude is not known.
    private static let unknownAltitude = -Double.greatestFiniteMagnitude
    /// What is said of a fix whose receiver does not say how exact it is, in metres: receivers do better than that in
    /// almost every street. 0 would say that it is perfect.
    private static let unknownAccuracy = 100.0

    /// Those of a location. `nil` is a location that the peer may not have any more: its numbers are NaN, which every
    /// client takes as none, while an error, or an object that is gone, reads as 0° N 0° E in most.
    public static func location(_ location: Location?) -> [PropertyValue] {
        let time = location.map { max(0, $0.timestamp.nanosecondsSince1970) } ?? 0
        return [
            ("Latitude", .real(location?.coordinate.latitude ?? .nan)),
            ("Longitude", .real(location?.coordinate.longitude ?? .nan)),
            ("Accuracy", .real(location.map { $0.horizontalAccuracy ?? unknownAccuracy } ?? .nan)),
            ("Altitude", .real(location?.altitude ?? unknownAltitude)),
            ("Speed", .real(location?.speed ?? -1)),
            ("Heading", .real(location?.course ?? -1)),
            ("Description", .text("")),
            (
                "Timestamp",
                .time(seconds: UInt64(time / 1_000_000_000), microseconds: UInt64(time % 1_000_000_000 / 1000))
            ),
        ]
    }
}
