import LocationModel
import PlaceSearch

/// Answers the questions of a map's pages for places.
///
/// What is asked stays here: it is neither kept nor logged, not even where it fails.
protocol PageSearch: Sendable {
    /// The answer to a query; ``PlaceAnswer/isMissing`` where no places are installed.
    func answer(to query: PlaceQuery) async throws -> PlaceAnswer
}
