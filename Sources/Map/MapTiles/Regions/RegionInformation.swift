/// The properties of a region: the contents of its `region.json`.
public struct RegionInformation: Codable, Hashable, Sendable {
    /// The name, also that of its directory.
    public var name: String
    /// The bounds: degrees west, south, east, north.
    public var bounds: [Double]
    /// The name of the file from which it was made.
    public var source: String
    /// The size of that file, in bytes.
    public var sourceSize: Int
    /// The date of the newest change in the data, in ISO 8601; `nil` if the file lacks it.
    public var dataDate: String?
    /// The date of installation, in ISO 8601.
    public var added: String
    /// The size of the tiles, in bytes.
    public var tilesSize: Int
    /// The size of the search index, in bytes; `nil` if the region has none.
    public var placesSize: Int?
    /// The number of places; `nil` if the region has no index.
    public var places: Int?
    /// The attribution of the data.
    public var attribution: String

    /// Creates the properties of a region.
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

    /// True if the numbers are possible sizes of files.
    var isPlausible: Bool {
        [sourceSize, tilesSize, placesSize ?? 0, places ?? 0].allSatisfy { (0...1 << 50).contains($0) }
    }
}
