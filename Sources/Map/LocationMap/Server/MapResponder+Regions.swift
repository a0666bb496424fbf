import HTTPTypes
import Hummingbird
import Logging
import POSIXSupport
import PageServing

extension MapResponder {
    /// Receives the file of a region, and begins to add it. Pages learn of the progress and of errors by events.
    func region(_ file: String, _ request: Request) async throws -> Response {
        guard request.headers[.contentType] == "application/octet-stream" else { throw RefusedPost.wrongType }
        guard let library = await map.regionLibrary else { return Response(status: .notFound) }
        // The rest of a refused body is not read.
        func refusal(_ status: HTTPResponse.Status) -> Response {
            Response(status: status, headers: [.connection: "close"])
        }
        guard let size = request.headers[.contentLength].flatMap({ Int($0) }) else { return refusal(.lengthRequired) }
        let upload: RegionUpload
        do {
            upload = try await library.begin(file, size: size)
        } catch {
            return refusal(error.status)
        }
        var received = 0
        do {
            for try await bytes in request.body {
                try await FileWork.regions.run { try upload.write(bytes) }
                received += bytes.readableBytes
                guard await library.received(upload, received) else { break }
            }
        } catch let error as Errno {
            await library.fail(upload, "It cannot be copied: {reason}.", ["reason": "\(error)"])
            return refusal(.insufficientStorage)
        } catch {
            logger.debug("A region's file was not received: \(error)")
        }
        guard received == size else {
            await library.fail(upload, "It was not received as a whole.")
            return refusal(.badRequest)
        }
        // An unstructured task, because the command outlasts the request.
        Task { await library.add(upload) }
        return Response(status: .accepted)
    }
}

extension RegionLibrary.Refusal {
    fileprivate var status: HTTPResponse.Status {
        switch self {
        case .busy: .conflict
        case .unusable: .unprocessableContent
        case .tooLarge: .contentTooLarge
        case .noRoom: .insufficientStorage
        }
    }
}

extension HTTPResponse.Status {
    /// RFC 4918.
    fileprivate static let insufficientStorage = HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
}
