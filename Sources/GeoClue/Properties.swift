public import LocationModel

/// The properties of the objects, with their values.
public enum Properties {
    /// The names of an object's properties.
    static func names(of object: ObjectPath) -> [String] {
        switch object {
        case .manager: manager(isInUse: false, isAvailable: false).map(\.name)
        case .client: ClientObject(number: 0).properties.map(\.name)
        case .location: location(nil).map(\.name)
        }
    }

    /// The properties of the manager: whether a location is in use, and the available accuracy, which does not depend on a fix,
    /// because clients do not even start when it is too low.
    public static func manager(isInUse: Bool, isAvailable: Bool) -> [PropertyValue] {
        [
            ("InUse", .boolean(isInUse)),
            ("AvailableAccuracyLevel", .number(isAvailable ? AccuracyLevel.exact : AccuracyLevel.none)),
        ]
    }

    /// GeoClue's value for an unknown altitude.
    private static let unknownAltitude = -Double.greatestFiniteMagnitude
    /// The accuracy in metres of a fix without one; receivers do better in almost every street. 0 would mean a perfect fix.
    private static let unknownAccuracy = 100.0

    /// The properties of a location. With `nil`, for a location that was revoked, the numbers are NaN: most clients take an
    /// error or a missing object for 0° N 0° E.
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
