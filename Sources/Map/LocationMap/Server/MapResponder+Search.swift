import FoundationEssentials
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

extension MapResponder {
    /// Answers a page's search query, on a map with a search field.
    func search(_ request: Request) async throws -> Response {
        let query = try await decode(request, upTo: WirePlaceQuery.maximumSize) {
            try JSONDecoder().decode(WirePlaceQuery.self, from: Data($0))
        }
        guard await map.isSearchable else { return Response(status: .notFound) }
        guard await map.hub.pages[query.page] != nil else { return Response(status: .conflict) }
        do {
            let answer = try await places.answer(to: query)
            return Response(
                status: .ok, headers: [.contentType: "application/json"],
                body: .init(byteBuffer: ByteBuffer(bytes: try JSONEncoder().encode(answer))))
        } catch {
            // The query is left out, and so is SQLite's message, which may repeat it: it reveals where the user wants
            // to go.
            logger.error("A search failed with \(type(of: error))")
            return Response(status: .internalServerError)
        }
    }
}

extension MapView {
    fileprivate var isSearchable: Bool { controls.contains { $0.kind == .search } }
}
