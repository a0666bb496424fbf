import FoundationEssentials
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

extension MapResponder {
    /// A page's question for places. Only a map with a field to search in has an answer.
    func search(_ request: Request) async throws -> Response {
        guard request.headers[.contentType]?.hasPrefix("application/json") == true else {
            return Response(status: .unsupportedMediaType)
        }
        let body: ByteBuffer
        do {
            body = try await request.body.collect(upTo: PlaceQuery.maximumSize)
        } catch {
            return Response(status: .contentTooLarge, headers: [.connection: "close"])
        }
        let query: PlaceQuery
        do {
            query = try JSONDecoder().decode(PlaceQuery.self, from: Data(body.readableBytesView))
        } catch {
            return Response(status: .badRequest)
        }
        guard await map.isSearchable else { return Response(status: .notFound) }
        guard await map.hub.pages[query.page] != nil else { return Response(status: .conflict) }
        do {
            let answer = try await places.answer(to: query)
            return Response(
                status: .ok, headers: [.contentType: "application/json"],
                body: .init(byteBuffer: ByteBuffer(bytes: try JSONEncoder().encode(answer))))
        } catch {
            // Of the question nothing is said, nor what SQLite may repeat of it: it tells where somebody wants to go.
            logger.error("A search failed with \(type(of: error))")
            return Response(status: .internalServerError)
        }
    }
}

extension MapView {
    fileprivate var isSearchable: Bool { controls.contains { $0.kind == .search } }
}
