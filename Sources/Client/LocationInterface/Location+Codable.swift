public import LocationModel

extension Location: Codable {
    package enum CodingKeys: String, CodingKey {
        case latitude, longitude, altitude, ellipsoidalAltitude, horizontalAccuracy, verticalAccuracy
        case course, courseAccuracy, speed, speedAccuracy, fixType, timestamp, sourceInformation
    }

    /// The values that may be unknown, with their members, in the order in which they are written.
    package static let optionalValues: [(key: CodingKeys, value: any WritableKeyPath<Location, Double?> & Sendable)] = [
        (.altitude, \.altitude), (.ellipsoidalAltitude, \.ellipsoidalAltitude),
        (.horizontalAccuracy, \.horizontalAccuracy), (.verticalAccuracy, \.verticalAccuracy),
        (.course, \.course), (.courseAccuracy, \.courseAccuracy), (.speed, \.speed), (.speedAccuracy, \.speedAccuracy),
    ]

    /// Reads `Location`. Throws for a latitude or longitude out of range.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let coordinate = try container.decodeCoordinate(.latitude, .longitude)
        self.init(coordinate: coordinate, timestamp: try container.decode(Timestamp.self, forKey: .timestamp))
        for (key, value) in Self.optionalValues {
            self[keyPath: value] = try container.decodeIfPresent(Double.self, forKey: key)
        }
        fixType = try container.decodeIfPresent(FixType.self, forKey: .fixType)
        sourceInformation = try container.decodeIfPresent(SourceInformation.self, forKey: .sourceInformation)
    }

    /// Writes `Location` without unknown values.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(coordinate.latitude, forKey: .latitude)
        try container.encode(coordinate.longitude, forKey: .longitude)
        for (key, value) in Self.optionalValues { try container.encodeIfPresent(self[keyPath: value], forKey: key) }
        try container.encodeIfPresent(fixType, forKey: .fixType)
        try container.encode(timestamp, forKey: .timestamp)
        try container.encodeIfPresent(sourceInformation, forKey: .sourceInformation)
    }
}

extension TrackingFrame: Codable {
    private enum CodingKeys: CodingKey {
        case latitude, longitude, horizontalAccuracy, bearing, heading, speed, altitude, isPredicted, age, span
        case timestamp
        case sourceInformation
    }

    /// Reads `Frame`. Throws for a latitude or longitude out of range.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            coordinate: try container.decodeCoordinate(.latitude, .longitude),
            horizontalAccuracy: try container.decode(Double.self, forKey: .horizontalAccuracy),
            span: try container.decode(Double.self, forKey: .span),
            timestamp: try container.decode(Timestamp.self, forKey: .timestamp))
        bearing = try container.decodeIfPresent(Double.self, forKey: .bearing)
        heading = try container.decodeIfPresent(Double.self, forKey: .heading)
        speed = try container.decodeIfPresent(Double.self, forKey: .speed)
        altitude = try container.decodeIfPresent(Double.self, forKey: .altitude)
        isPredicted = try container.decode(Bool.self, forKey: .isPredicted)
        age = .seconds(try container.decode(Double.self, forKey: .age))
        sourceInformation = try container.decodeIfPresent(Location.SourceInformation.self, forKey: .sourceInformation)
    }

    /// Writes `Frame` without unknown values.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(coordinate.latitude, forKey: .latitude)
        try container.encode(coordinate.longitude, forKey: .longitude)
        try container.encode(horizontalAccuracy, forKey: .horizontalAccuracy)
        try container.encodeIfPresent(bearing, forKey: .bearing)
        try container.encodeIfPresent(heading, forKey: .heading)
        try container.encodeIfPresent(speed, forKey: .speed)
        try container.encodeIfPresent(altitude, forKey: .altitude)
        try container.encode(isPredicted, forKey: .isPredicted)
        try container.encode(age / .seconds(1), forKey: .age)
        try container.encode(span, forKey: .span)
        try container.encode(timestamp, forKey: .timestamp)
        try container.encodeIfPresent(sourceInformation, forKey: .sourceInformation)
    }
}

extension KeyedDecodingContainer {
    /// A coordinate. Throws for a latitude or longitude out of range.
    fileprivate func decodeCoordinate(_ latitude: Key, _ longitude: Key) throws -> Coordinate {
        guard
            let coordinate = Coordinate(
                latitude: try decode(Double.self, forKey: latitude),
                longitude: try decode(Double.self, forKey: longitude))
        else {
            throw DecodingError.dataCorruptedError(
                forKey: latitude, in: self,
                debugDescription: "a latitude is −90 to 90 degrees and a longitude −180 to 180")
        }
        return coordinate
    }
}
