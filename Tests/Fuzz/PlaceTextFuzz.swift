import LocationModel
import PlaceSearch

/// What people type and paste as a position: coordinates in all notations, and links of maps.
enum PlaceTextFuzz {
    static func run(_ input: [UInt8]) throws {
        let text = String(decoding: input, as: UTF8.self)
        for language in [nil, "de", "fr"] as [String?] {
            let readings = CoordinateText.readings(of: text, language: language)
            try Finding.unless(readings.count <= 8, "\(readings.count) readings of \(text)")
            try Finding.unless(Set(readings).count == readings.count, "a reading twice of \(text)")
            for coordinate in readings { try check(coordinate) }
        }
        guard let link = MapLink(text) else { return }
        try Finding.unless(link.coordinate != nil || link.name != nil, "an empty link: \(text)")
        try Finding.unless((link.name ?? "a").count <= 200 && link.name != "", "the name of \(text)")
        try Finding.unless(link.uncertainty.map { $0 >= 0 && $0.isFinite } ?? true, "the uncertainty of \(text)")
        try Finding.unless(link.zoom.map { (0...22).contains($0) } ?? true, "the zoom level of \(text)")
        if let coordinate = link.coordinate { try check(coordinate) }
    }

    /// Throws unless a coordinate is valid, and is read back from its numbers.
    private static func check(_ coordinate: Coordinate) throws {
        let (latitude, longitude) = (coordinate.latitude, coordinate.longitude)
        try Finding.unless(
            (-90...90).contains(latitude) && (-180...180).contains(longitude), "outside of the world: \(coordinate)")
        let text = "\(latitude), \(longitude)"
        guard !text.contains("e") else { return }
        try Finding.unless(CoordinateText.readings(of: text) == [coordinate], "another coordinate from \(text)")
    }
}
