public import LocationModel
import Synchronization

/// Finds places by name, by category and by position, in several indexes at once.
///
/// Nothing leaves the machine, and nothing that was searched is kept or logged. All calls block for a millisecond or two,
/// from any thread, one at a time. Text of any length and content may be given: what no name can have is not looked for.
public final class PlaceSearcher: Sendable {
    private let engine: Mutex<SearchEngine>

    /// Opens indexes, the most exact first: those of regions, then the world's. What several have is given once, as the first
    /// of them has it. This blocks.
    ///
    /// - Throws: ``PlaceIndexError`` for the first file that is no index of this release.
    public init(paths: [String]) throws(PlaceIndexError) {
        var indexes: [PlaceIndex] = []
        for path in paths { indexes.append(try PlaceIndex(path: path)) }
        let engine = SearchEngine(indexes: indexes)
        self.engine = Mutex(engine)
    }

    /// Suggestions for the text typed so far, the likeliest first: categories and places.
    ///
    /// - Parameters:
    ///   - near: Where the search is asked from; places near it come first.
    ///   - visible: What the map shows; without `near` its middle counts.
    package func suggestions(
        for text: String, near: Coordinate? = nil, visible: PlaceBounds? = nil, limit: Int = 8
    ) throws(PlaceIndexError) -> [PlaceSuggestion] {
        try engine.withLock { (engine) throws(PlaceIndexError) in
            engine.begin()
            return try engine.suggestions(for: text, near: near, visible: visible, limit: limit)
        }
    }

    /// The places that a text stands for, the likeliest first: a name, a category ("coffee near me"), both
    /// ("coffee near the harbour"), an address, a position.
    ///
    /// - Parameters:
    ///   - near: Where the search is asked from; distances are from there.
    ///   - visible: What the map shows; without `near` its middle counts, and of categories only what is in it or near it.
    ///   - kinds: Which kinds of places to give; `nil` is all.
    package func search(
        _ text: String, near: Coordinate? = nil, visible: PlaceBounds? = nil, kinds: Set<FoundPlace.Kind>? = nil,
        limit: Int = 20
    ) throws(PlaceIndexError) -> [FoundPlace] {
        try engine.withLock { (engine) throws(PlaceIndexError) in
            engine.begin()
            return try engine.search(text, near: near, visible: visible, kinds: kinds, limit: limit)
        }
    }

    /// The places of a category, the nearest first.
    ///
    /// - Parameters:
    ///   - category: The identifier of a ``PlaceCategory``.
    ///   - radius: How far they may be, in metres.
    public func places(
        of category: String, near: Coordinate, radius: Double = 50_000, limit: Int = 20
    ) throws(PlaceIndexError) -> [FoundPlace] {
        try engine.withLock { (engine) throws(PlaceIndexError) in
            engine.begin()
            return try engine.places(of: [category], around: near, radius: radius, limit: limit, distancesFrom: near)
        }
    }

    /// Where a position is in words: the nearest street and number, the town, the country and its time zone, as far as the
    /// indexes say.
    public func address(at coordinate: Coordinate) throws(PlaceIndexError) -> PlaceAddress {
        try engine.withLock { (engine) throws(PlaceIndexError) in
            engine.begin()
            return try engine.address(at: coordinate)
        }
    }
}
