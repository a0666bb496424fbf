import FoundationEssentials
import HTTPTypes
import Hummingbird
import Logging
import PageServing

extension MapResponder {
    /// Answers a page's search query, on a map with a search field.
    func search(_ request: Request) async throws -> Response {
        let query = try await gate.decode(request, upTo: WirePlaceQuery.maximumSize) {
            try JSONDecoder().decode(WirePlaceQuery.self, from: Data($0))
        }
        guard let field = await map.searchField else { return Response(status: .notFound) }
        guard await map.hub.pages[query.page] != nil else { return Response(status: .conflict) }
        do {
            return try Response(json: try await answer(to: query, from: field))
        } catch {
            // The query is left out, and so is SQLite's message, which may repeat it: it reveals where the user wants
            // to go.
            logger.error("A search failed with \(type(of: error))")
            return Response(status: .internalServerError)
        }
    }
}

extension MapResponder {
    /// The program's answer if it has rows of its own, or else that of the installed places, of which the program is notified.
    private func answer(to query: WirePlaceQuery, from field: SearchField) async throws -> PlaceAnswer {
        if query.isByUser, case .suggestions(let text) = query.subject, let rows = await field.suggest(for: text) {
            return PlaceAnswer(rows: rows.map(WireSearchRow.init))
        }
        let answer = try await places.answer(to: query)
        guard query.isByUser else { return answer }
        switch query.subject {
        case .suggestions(let text):
            await field.offer((answer.suggestions ?? []).compactMap(\.place), for: text, isSearch: false)
        case .places(let text, _): await field.offer(answer.results ?? [], for: text, isSearch: true)
        case .position: break
        }
        return answer
    }
}
