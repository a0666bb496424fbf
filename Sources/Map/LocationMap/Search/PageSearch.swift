import PlaceSearch

/// The search for places on behalf of a map's pages.
///
/// Queries are neither kept nor logged, not even failed ones.
protocol PageSearch: Sendable {
    /// Returns the answer to a query; ``PlaceAnswer/isMissing`` is true if no places are installed.
    func answer(to query: WirePlaceQuery) async throws -> PlaceAnswer
}
