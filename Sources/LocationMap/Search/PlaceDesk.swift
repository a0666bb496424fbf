import MapData
package import PlaceSearch

/// The searcher that all searches of a process share. It opens what is installed when it is first asked, and again when
/// regions were added or removed.
package actor PlaceDesk {
    /// The one over what is installed.
    package static let shared = PlaceDesk()

    private let regions: MapRegions
    private let clock = ContinuousClock()
    private var open: (places: InstalledPlaces, searcher: PlaceSearcher)?
    private var nextLook: ContinuousClock.Instant?

    /// One over these regions and the world's places.
    package init(regions: MapRegions = MapRegions()) { self.regions = regions }

    /// The searcher.
    ///
    /// - Throws: `InstalledPlaces.Missing` where nothing is installed, and ``PlaceIndexError`` for a file that cannot be read.
    package func searcher() throws -> PlaceSearcher {
        let now = clock.now
        if let open, let nextLook, now < nextLook { return open.searcher }
        let places = try InstalledPlaces(regions: regions)
        nextLook = now + .seconds(2)
        if let open, open.places == places { return open.searcher }
        let searcher = try PlaceSearcher(paths: places.paths)
        open = (places, searcher)
        return searcher
    }
}
