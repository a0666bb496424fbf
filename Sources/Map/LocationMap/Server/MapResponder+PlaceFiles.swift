import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore
import PageServing

extension MapResponder {
    /// Reads a file of places and lines for a page, on a map whose program can.
    func placeFile(_ name: String, _ request: Request) async throws -> Response {
        guard request.headers[.contentType] == "application/octet-stream" else { throw RefusedPost.wrongType }
        guard let reader = await map.savedPlaces?.fileReader else { return Response(status: .notFound) }
        let body: ByteBuffer
        do {
            body = try await request.body.collect(upTo: WirePlaceFile.maximumFileSize)
        } catch {
            throw RefusedPost.tooLong
        }
        let answer = try await FileWork.placeFiles.run {
            try JSONEncoder().encode(
                WirePlaceFile(reading: Array(body.readableBytesView), named: name, with: reader))
        }
        return Response(ByteBuffer(bytes: answer), type: "application/json")
    }
}
