import Glibc
import LocationModel
import MapModel
import SeededRandom

/// The distribution of annotations on the map.
enum Spread: String, CaseIterable {
    case region = "evenly over 38 km by 37 km"
    case towns = "in 300 towns of the world, of two clustering identifiers"
    case unclustered = "as the first, of which none has a clustering identifier and a third is required"

    func items(_ count: Int) -> [LayoutItem] {
        var random = SeededGenerator(seed: 1)
        let marker = ViewFrame(width: 40, height: 40, collisionMode: .circle)
        let pin = ViewFrame(width: 32, height: 40, centerOffsetY: -20)
        let centers = (0..<300).map { _ in
            (Double.random(in: -55...70, using: &random), Double.random(in: -180...180, using: &random))
        }
        return (0..<count).map { number in
            let (latitude, longitude): (Double, Double)
            if self == .towns {
                let center = centers[Int.random(in: 0..<300, using: &random)]
                // The sum of two random numbers is denser in the middle.
                latitude =
                    center.0 + Double.random(in: -0.1...0.1, using: &random) + .random(in: -0.1...0.1, using: &random)
                longitude =
                    center.1 + Double.random(in: -0.1...0.1, using: &random) + .random(in: -0.1...0.1, using: &random)
            } else {
                latitude = 47.141 + Double.random(in: -0.165...0.165, using: &random)
                longitude = 9.5215 + Double.random(in: -0.25...0.25, using: &random)
            }
            let priorities: [FeatureDisplayPriority] =
                self == .unclustered ? [.required, .defaultHigh, .defaultLow] : [.defaultHigh, .defaultLow]
            let identifiers: [String?] =
                switch self {
                case .region: ["bike"]
                case .towns: ["bike", "bus"]
                case .unclustered: [nil]
                }
            return LayoutItem(
                id: AnnotationID(rawValue: UInt32(number)),
                point: MapPoint(Coordinate(clampingLatitude: latitude, wrappingLongitude: longitude)),
                frame: number % 4 == 0 ? pin : marker,
                clusteringIdentifier: identifiers[number / 2 % identifiers.count],
                displayPriority: priorities[number % priorities.count])
        }
    }
}
