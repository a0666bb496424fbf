import LocationModel
import MapModel
import PlaceSearch

extension PlaceBounds {
    /// Creates the box of a region; `nil` if its span is not a number.
    init?(_ region: CoordinateRegion) {
        let (height, width) = (max(0, region.span.latitudeDelta) / 2, max(0, region.span.longitudeDelta) / 2)
        let (latitude, longitude) = (region.center.latitude, region.center.longitude)
        let isWholeCircle = width >= 180
        self.init(
            west: isWholeCircle ? -180 : (longitude - width).remainder(dividingBy: 360),
            south: max(-90, latitude - height),
            east: isWholeCircle ? 180 : (longitude + width).remainder(dividingBy: 360),
            north: min(90, latitude + height))
    }
}

extension CoordinateRegion {
    /// Creates the region of a box.
    init(_ bounds: PlaceBounds) {
        self.init(
            center: bounds.center,
            span: CoordinateSpan(latitudeDelta: bounds.north - bounds.south, longitudeDelta: bounds.width))
    }
}
