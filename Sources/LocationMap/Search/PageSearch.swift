import LocationModel
import PlaceSearch

/// Searches places for a map's pages.
///
/// Queries stay here: they are neither kept nor logged, not even those that fail.
protocol PageSearch: Sendable {
    /// The answer to a query; ``PlaceAnswer/isMissing`` where no places are installed.
    func answer(to query: WirePlaceQuery) async throws -> PlaceAnswer
}
