import MapTiles
import PlaceSearch

extension PlaceIndexCache: PageSearch {
    private static let suggestionCount = 8
    private static let resultCount = 30

    func answer(to query: WirePlaceQuery) async throws -> PlaceAnswer {
        do {
            return try await search { searcher in try Self.answer(to: query, by: searcher) }
        } catch is InstalledPlaces.Missing {
            return PlaceAnswer(isMissing: true)
        } catch let error as PlaceIndexError where error.subject == .file {
            // Reported already.
            return PlaceAnswer(isMissing: true)
        }
    }

    private static func answer(to query: WirePlaceQuery, by searcher: PlaceSearcher) throws -> PlaceAnswer {
        let user = query.user?.coordinate
        let isFromMiddle = PlaceSearcher.origin(near: user, visible: query.region) != user
        switch query.subject {
        case .suggestions(let text):
            return PlaceAnswer(
                suggestions: try searcher.suggestions(
                    for: text, near: query.user?.coordinate, visible: query.region, limit: suggestionCount),
                isFromMiddle: isFromMiddle)
        case .places(_, category: let category?):
            return PlaceAnswer(
                results: try searcher.places(
                    of: category, near: query.user?.coordinate, visible: query.region, limit: resultCount),
                isFromMiddle: isFromMiddle)
        case .places(let text, category: nil):
            let answer = try searcher.answer(
                to: text, near: query.user?.coordinate, visible: query.region, limit: resultCount)
            return PlaceAnswer(
                results: answer.places, absent: answer.absent?.name,
                openLimit: answer.isAboutOpenNow ? resultCount : nil,
                isFromMiddle: answer.origin != user)
        case .position(let position):
            let coordinate = position.coordinate
            var place = try searcher.place(at: coordinate)
            place.distance = PlaceSearcher.origin(near: user, visible: query.region).map { $0.distance(to: coordinate) }
            return PlaceAnswer(
                place: place,
                isFromMiddle: isFromMiddle)
        }
    }
}
