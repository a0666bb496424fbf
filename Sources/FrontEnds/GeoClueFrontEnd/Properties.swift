public import LocationModel

extension Location.SourceInformation.Kind {
    /// The words for a source in a location's `Description`, as GeoClue 2.7 writes them where it has such a source.
    fileprivate var geoClueDescription: String {
        switch self {
        case .receiver: "GPS"
        case .modem: "Modem GPS"
        case .wifi: "WiFi"
        case .fixed: "Static location"
        case .unknown(let name): name
        }
    }
}

/// The properties of the objects, with their values.
public enum Properties {
    /// The names of an object's properties.
    static func names(of object: ObjectPath) -> [String] {
        switch object {
        case .manager: manager(isInUse: false, level: AccuracyLevel.none).map(\.name)
        case .client: ClientObject(number: 0).properties.map(\.name)
        case .location: location(nil).map(\.name)
        }
    }

    /// The properties of the manager: whether a location is in use, and the available accuracy, which does not depend on a fix,
    /// because clients do not even start when it is too low.
    public static func manager(isInUse: Bool, level: UInt32) -> [PropertyValue] {
        [("InUse", .boolean(isInUse)), available(level)]
    }

    /// The available accuracy.
    public static func available(_ level: UInt32) -> PropertyValue { ("AvailableAccuracyLevel", .number(level)) }

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
            ("Description", .text(location?.sourceInformation?.kind?.geoClueDescription ?? "")),
            (
                "Timestamp",
                .time(seconds: UInt64(time / 1_000_000_000), microseconds: UInt64(time % 1_000_000_000 / 1000))
            ),
        ]
    }
}
