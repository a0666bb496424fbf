import LocationModel

/// The numbers that a point of a track may have beside its coordinate. The raw value is the name in files of ours.
enum Measurement: String, CaseIterable {
    case altitude, ellipsoidalAltitude, horizontalAccuracy, verticalAccuracy
    case course, courseAccuracy, speed, speedAccuracy

    /// Where a location has it.
    var keyPath: WritableKeyPath<Location, Double?> {
        switch self {
        case .altitude: \.altitude
        case .ellipsoidalAltitude: \.ellipsoidalAltitude
        case .horizontalAccuracy: \.horizontalAccuracy
        case .verticalAccuracy: \.verticalAccuracy
        case .course: \.course
        case .courseAccuracy: \.courseAccuracy
        case .speed: \.speed
        case .speedAccuracy: \.speedAccuracy
        }
    }

    /// What it can be: metres, metres a second or degrees. Wide enough for a spacecraft, and a number of millimetres in
    /// it fits into 64 bits.
    var range: ClosedRange<Double> {
        switch self {
        case .altitude, .ellipsoidalAltitude: -1e8...1e8
        case .course, .courseAccuracy: 0...360
        case .horizontalAccuracy, .verticalAccuracy, .speed, .speedAccuracy: 0...1e8
        }
    }

    /// What it is called in messages.
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

    /// What `location` has of it, in words for a file: a decimal number with at most three decimals. `nil` where there
    /// is none, or one that no reader would believe.
    func text(in location: Location) -> String? {
        guard let value = location[keyPath: keyPath], range.contains(value) else { return nil }
        return DecimalNumber.text(value, places: 3)
    }
}
