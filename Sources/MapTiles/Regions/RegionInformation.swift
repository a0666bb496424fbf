/// The facts of a region: the content of its `region.json`.
public struct RegionInformation: Codable, Hashable, Sendable {
    /// Its name, which is also that of its directory.
    public var name: String
    /// Its part of the world: degrees west, south, east, north.
    public var bounds: [Double]
    /// The name of the file that it was made of.
    public var source: String
    /// The size of that file, in bytes.
    public var sourceSize: Int
    /// When the newest of the data was entered, in ISO 8601; `nil` where the file does not say.
    public var dataDate: String?
    /// When the region was made, in ISO 8601.
    public var added: String
    /// The size of the tiles, in bytes.
    public var tilesSize: Int
    /// The size of the search index, in bytes; `nil` where there is none.
    public var placesSize: Int?
    /// How many places can be found; `nil` where there is no index.
    public var places: Int?
    /// Whom to name for the data.
    public var attribution: String

    /// The facts of a region.
    public init(
        name: String, bounds: [Double], source: String, sourceSize: Int, dataDate: String?, added: String,
        tilesSize: Int, placesSize: Int?, places: Int?, attribution: String
    ) {
        self.name = name
        self.bounds = bounds
        self.source = source
        self.sourceSize = sourceSize
        self.dataDate = dataDate
        self.added = added
        self.tilesSize = tilesSize
        self.placesSize = placesSize
        self.places = places
        self.attribution = attribution
    }

    /// True if its sizes can be those of files.
    var isPlausible: Bool {
        [sourceSize, tilesSize, placesSize ?? 0, places ?? 0].allSatisfy { (0...1 << 50).contains($0) }
    }
}
