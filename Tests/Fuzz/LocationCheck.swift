import LocationModel

/// What holds for every location of a receiver, whatever it sent.
enum LocationCheck {
    static func check(_ location: Location) throws {
        try Finding.unless((-90...90).contains(location.coordinate.latitude), "a latitude off the earth")
        try Finding.unless((-180...180).contains(location.coordinate.longitude), "a longitude off the earth")
        let any = [location.altitude, location.ellipsoidalAltitude]
        try Finding.unless(any.allSatisfy { $0?.isFinite ?? true }, "an altitude that is no number")
        let positive = [
            location.horizontalAccuracy, location.verticalAccuracy, location.speed, location.speedAccuracy,
            location.courseAccuracy,
        ]
        try Finding.unless(
            positive.allSatisfy { $0.map { $0.isFinite && $0 >= 0 } ?? true }, "a length, speed or error below zero")
        try Finding.unless(location.course.map { (0..<360).contains($0) } ?? true, "a course off the circle")
    }
}
