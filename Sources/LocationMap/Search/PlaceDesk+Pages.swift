import LocationModel
import PlaceSearch

extension PlaceDesk: PageSearch {
    private static let suggestionCount = 8
    private static let resultCount = 30

    func answer(to query: PlaceQuery) throws -> PlaceAnswer {
        let searcher: PlaceSearcher
        do {
            searcher = try self.searcher()
        } catch {
            // An index that cannot be read was reported when it was opened.
            return PlaceAnswer(isMissing: true)
        }
        switch query.subject {
        case .suggestions(let text):
            return PlaceAnswer(
                suggestions: try searcher.suggestions(
                    for: text, near: query.origin, visible: query.region, limit: Self.suggestionCount))
        case .places(_, category: let category?):
            guard let origin = query.origin else { return PlaceAnswer(results: []) }
            return PlaceAnswer(results: try searcher.places(of: category, near: origin, limit: Self.resultCount))
        case .places(let text, category: nil):
            return PlaceAnswer(
                results: try searcher.search(
                    text, near: query.origin, visible: query.region, limit: Self.resultCount))
        case .position(let position):
            let coordinate = position.coordinate
            let text = "\(Self.text(coordinate.latitude)), \(Self.text(coordinate.longitude))"
            return PlaceAnswer(place: try searcher.search(text, near: query.origin, limit: 1).first)
        }
    }

    /// Below a ten-thousandth of a degree, a dozen metres, Swift writes exponents, which are in no notation of positions.
    private static func text(_ degrees: Double) -> String { degrees.magnitude < 1e-4 ? "0" : "\(degrees)" }
}
