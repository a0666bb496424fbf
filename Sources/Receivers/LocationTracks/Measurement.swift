import LocationModel

/// The optional numbers of a track point. The raw values are the element and property names in this project's files.
enum Measurement: String, CaseIterable {
    case altitude, ellipsoidalAltitude, horizontalAccuracy, verticalAccuracy
    case course, courseAccuracy, speed, speedAccuracy

    /// The valid range, in metres, metres a second or degrees: wide enough for a spacecraft, and as millimetres within
    /// 64 bits.
    var range: ClosedRange<Double> {
        switch self {
        case .altitude, .ellipsoidalAltitude: -1e8...1e8
        case .course, .courseAccuracy: 0...360
        case .horizontalAccuracy, .verticalAccuracy, .speed, .speedAccuracy: 0...1e8
        }
    }

    /// The name in messages.
    var words: String {
        switch self {
        case .altitude: "altitude"
        case .ellipsoidalAltitude: "altitude above the ellipsoid"
        case .horizontalAccuracy: "horizontal accuracy"
        case .verticalAccuracy: "vertical accuracy"
        case .course: "course"
        case .courseAccuracy: "accuracy of the course"
        case .speed: "speed"
        case .speedAccuracy: "accuracy of the speed"
        }
    }

    /// The name in files of iOS programs, such as Overland's.
    var underscoredName: String {
        rawValue.reduce(into: "") { $0 += $1.isUppercase ? "_\($1.lowercased())" : String($1) }
    }

    /// The value in `location` as a decimal number with at most three decimals; `nil` where it is missing or out of
    /// range.
    func text(in location: Location) -> String? {
        guard let value = location[self], range.contains(value) else { return nil }
        return DecimalNumber.text(value, places: 3)
    }
}

extension Location {
    /// The property of the same name.
    subscript(measurement: Measurement) -> Double? {
        get {
            switch measurement {
            case .altitude: altitude
            case .ellipsoidalAltitude: ellipsoidalAltitude
            case .horizontalAccuracy: horizontalAccuracy
            case .verticalAccuracy: verticalAccuracy
            case .course: course
            case .courseAccuracy: courseAccuracy
            case .speed: speed
            case .speedAccuracy: speedAccuracy
            }
        }
        set {
            switch measurement {
            case .altitude: altitude = newValue
            case .ellipsoidalAltitude: ellipsoidalAltitude = newValue
            case .horizontalAccuracy: horizontalAccuracy = newValue
            case .verticalAccuracy: verticalAccuracy = newValue
            case .course: course = newValue
            case .courseAccuracy: courseAccuracy = newValue
            case .speed: speed = newValue
            case .speedAccuracy: speedAccuracy = newValue
            }
        }
    }
}
