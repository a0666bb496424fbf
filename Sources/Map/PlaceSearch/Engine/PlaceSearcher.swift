public import LocationModel
import Synchronization

/// The answer to a complete query.
package struct PlaceSearchAnswer: Sendable {
    /// The places, the likeliest first.
    package var places: [FoundPlace]
    /// The category that the text names, if none of its places is within reach. The places are then the next ones. `nil`
    /// otherwise.
    package var absent: PlaceCategory?
    /// The coordinate from which the distances are measured; `nil` if there are none.
    package var origin: Coordinate?
    /// True if the text requires places to be open now ("pharmacy open now"). The places are then all those whose week is known, up
    /// to five times the limit: the caller has the time there and keeps the open ones. False otherwise.
    package var isAboutOpenNow = false
}

/// Searches several place indexes by name, category and position.
///
/// Nothing leaves the machine, and queries are neither kept nor logged. A call blocks for a millisecond or two; calls
/// from several threads take turns. Text of any length and content is accepted.
public final class PlaceSearcher: Sendable {
    private let engine: Mutex<SearchEngine>

    /// Opens indexes, the most detailed first: those of regions, then the world's. A place in several of them is taken
    /// from the first. Blocks.
    ///
    /// - Throws: ``PlaceIndexError`` for the first file that is not an index of this release.
    public init(paths: [String]) throws(PlaceIndexError) {
        var indexes: [PlaceIndex] = []
        for path in paths { indexes.append(try PlaceIndex(path: path)) }
        let engine = SearchEngine(indexes: indexes)
        self.engine = Mutex(engine)
    }

    /// Returns suggestions for a partial query, the likeliest first: categories and places.
    ///
    /// - Parameters:
    ///   - near: The user's coordinate, near which places come first if it is visible; `nil` for the middle of `visible`.
    ///     Distances are measured from ``origin(near:visible:)``.
    ///   - visible: The visible part of the map; if `near` is elsewhere, places near its middle come first.
    package func suggestions(
        for text: String, near: Coordinate? = nil, visible: PlaceBounds? = nil, limit: Int = 8
    ) throws(PlaceIndexError) -> [PlaceSuggestion] {
        try engine.withLock { (engine) throws(PlaceIndexError) in
            engine.begin()
            return try engine.suggestions(for: text, near: near, visible: visible, limit: limit)
        }
    }

    /// Returns the places for a text, the likeliest first: a name, a category ("coffee near me"), both ("coffee near
    /// the harbour"), an address or a coordinate.
    ///
    /// - Parameters:
    ///   - near: The user's coordinate, near which places come first if it is visible; `nil` for the middle of `visible`.
    ///     Distances are measured from ``origin(near:visible:)``.
    ///   - visible: The visible part of the map; if `near` is elsewhere, places near its middle come first. Categories are
    ///     searched in and near it only.
    ///   - kinds: The kinds of places to return; `nil` for all.
    package func search(
        _ text: String, near: Coordinate? = nil, visible: PlaceBounds? = nil, kinds: Set<FoundPlace.Kind>? = nil,
        limit: Int = 20
    ) throws(PlaceIndexError) -> [FoundPlace] {
        Array(try answer(to: text, near: near, visible: visible, kinds: kinds, limit: limit).places.prefix(limit))
    }

    /// Returns the places for a text as ``search(_:near:visible:kinds:limit:)`` does, and the category that is absent.
    package func answer(
        to text: String, near: Coordinate? = nil, visible: PlaceBounds? = nil, kinds: Set<FoundPlace.Kind>? = nil,
        limit: Int = 20
    ) throws(PlaceIndexError) -> PlaceSearchAnswer {
        try engine.withLock { (engine) throws(PlaceIndexError) in
            engine.begin()
            return try engine.search(text, near: near, visible: visible, kinds: kinds, limit: limit)
        }
    }

    /// Returns the places of a category, the nearest first.
    ///
    /// - Parameters:
    ///   - category: The identifier of a ``PlaceCategory``.
    ///   - radius: The greatest distance, in metres.
    public func places(
        of category: String, near: Coordinate, radius: Double = 50_000, limit: Int = 20
    ) throws(PlaceIndexError) -> [FoundPlace] {
        try places(of: [category], near: near, radius: radius, limit: limit)
    }

    /// Returns the places of several categories, the nearest first.
    package func places(
        of categories: [String], near: Coordinate, radius: Double, limit: Int
    ) throws(PlaceIndexError) -> [FoundPlace] {
        try engine.withLock { (engine) throws(PlaceIndexError) in
            engine.begin()
            return try engine.places(of: categories, around: near, radius: radius, limit: limit, distancesFrom: near)
        }
    }

    /// Returns the places of a category in the visible part of a map and near it, the nearest first.
    ///
    /// - Parameters:
    ///   - near: As for ``search(_:near:visible:kinds:limit:)``.
    package func places(
        of category: String, near: Coordinate?, visible: PlaceBounds?, limit: Int
    ) throws(PlaceIndexError) -> [FoundPlace] {
        try engine.withLock { (engine) throws(PlaceIndexError) in
            engine.begin()
            return try engine.places(of: category, near: near, visible: visible, limit: limit)
        }
    }

    /// Returns the coordinate from which distances are measured: the user's, unless the map shows another part of the world,
    /// where they would be about the same for all places. Then it is the middle of the map; `nil` without a coordinate.
    package static func origin(near: Coordinate?, visible: PlaceBounds?) -> Coordinate? {
        guard let near, let visible, visible.distance(to: near) > 50_000 else { return near ?? visible?.center }
        return visible.center
    }

    /// True if a text is about the surroundings and names nothing there: "near me".
    package static func isAboutSurroundings(_ text: String) -> Bool {
        let query = PlaceQuery(text, isTyping: false)
        return query.words.isEmpty && query.isNearby
    }

    /// Returns a coordinate as a place, with its address.
    package func place(at coordinate: Coordinate) throws(PlaceIndexError) -> FoundPlace {
        try engine.withLock { (engine) throws(PlaceIndexError) in
            engine.begin()
            return try engine.place(at: coordinate, near: nil)
        }
    }

    /// Returns the address of a coordinate: the nearest street and number, the town, the country and its time zone, as
    /// far as the indexes have them.
    public func address(at coordinate: Coordinate) throws(PlaceIndexError) -> PlaceAddress {
        try engine.withLock { (engine) throws(PlaceIndexError) in
            engine.begin()
            return try engine.address(at: coordinate)
        }
    }
}
