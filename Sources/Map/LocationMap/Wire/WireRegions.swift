import MapTiles

/// The regions in the form for pages.
struct WireRegions: Encodable {
    /// An installed region.
    struct Region: Encodable {
        var name: String
        /// The size of all its files, in bytes.
        var size: Int
        var places: Int?
        /// The date of its data and that of its installation, in ISO 8601.
        var dataDate: String?
        var added: String
        /// Degrees west, south, east, north.
        var bounds: [Double]
        /// True if it belongs to the machine, and cannot be removed on a page.
        var isSystem: Bool
    }

    var regions: [Region]
    /// Sentences about directories that cannot be read.
    var damages: [String]
    var job: RegionLibrary.Job?
    var problem: PageSentence?

    @MainActor
    init(_ library: RegionLibrary) {
        regions = library.installed.map { region in
            let information = region.information
            return Region(
                name: region.name, size: information.tilesSize + (information.placesSize ?? 0),
                places: information.places,
                dataDate: information.dataDate, added: information.added, bounds: information.bounds,
                isSystem: region.isSystem)
        }
        damages = library.damages
        (job, problem) = (library.job, library.problem)
    }
}
