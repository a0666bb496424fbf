import FoundationEssentials
import HTTPTypes
import Hummingbird
import Logging
import MapTiles
import NIOCore
import ServiceLifecycle

/// Responds to the requests of a map's pages.
///
/// Every request that is not from the page itself, with its cookie, gets the same response: 404 without a body, as from
/// an empty server. If the user opens any address of it, the body is a page that says how to get a new address: one and
/// the same for used, expired and invented ones.
struct MapResponder: HTTPResponder {
    let map: MapView
    let sessions: BrowserSessionStore
    let files: PageFiles
    let sources: [String: any TileSource]
    let places: any PageSearch
    let logger: Logger
    let notices: Notices

    @Sendable
    func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
        guard let (route, session) = admit(request) else {
            return isOpenedByUser(request)
                ? try await newAddressPage(request.headers[.acceptLanguage]) : Response(status: .notFound)
        }
        var response: Response
        do {
            response = try await answer(route, request, session)
        } catch let refusal as RefusedPost {
            response = refusal.response
        }
        Self.protect(&response)
        return response
    }

    // MARK: Admission

    /// Returns the route of a request and the session of its browser; `nil` if the request is refused.
    private func admit(_ request: Request) -> (MapRoute, BrowserSession)? {
        // Refuses a foreign host name that resolves to this machine (DNS rebinding).
        guard let host = request.head.authority, isLoopback(host) else { return nil }
        // Refuses another page in the same browser that knows the address.
        if let origin = request.headers[.origin] {
            guard origin == "http://\(host)" else { return nil }
        } else if request.method != .get {
            return nil
        }
        if let site = request.headers[.fetchSite], site != "same-origin", site != "none" { return nil }
        let path = request.uri.string.prefix { $0 != "?" }
        guard let route = MapRoute(method: request.method.rawValue, path: path, map: sessions.map) else { return nil }
        // A browser with a session keeps it: the code may be opened in a second tab by mistake.
        if let session = request.headers[values: .cookie].lazy.compactMap({ sessions.session(cookies: $0) }).first {
            return (route, session)
        }
        guard case .enter(let code) = route, let session = sessions.redeem(code) else { return nil }
        return (route, session)
    }

    /// True for this machine by a name that no other server can have. Its port is another one where the user has the map
    /// forwarded, as by `ssh -L`.
    private func isLoopback(_ host: String) -> Bool {
        let parts = host.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count <= 2 && ["127.0.0.1", "localhost"].contains(parts[0])
            && (parts.count == 1 || UInt16(parts[1]) != nil)
    }

    /// True if the user opens the address in a window of a browser, rather than a page or another program.
    private func isOpenedByUser(_ request: Request) -> Bool {
        guard let host = request.head.authority, isLoopback(host) else { return false }
        return request.method == .get && request.headers[.origin] == nil
            && ["none", "same-origin"].contains(request.headers[.fetchSite])
            && request.headers[.fetchMode] == "navigate" && request.headers[.fetchDestination] == "document"
    }

    private func newAddressPage(_ languages: String?) async throws -> Response {
        var headers = HTTPFields()
        headers[.acceptLanguage] = languages
        let page = try await FileWork.tiles.run { [files, headers] in
            files.response("new-address.html", headers: headers)
        }
        guard var response = page else { return Response(status: .notFound) }
        response.status = .notFound
        response.headers[.eTag] = nil
        response.headers[.cacheControl] = "no-store"
        Self.protect(&response)
        // Its style is within it, because its browser may read no other file.
        response.headers[.contentSecurityPolicy] =
            "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
            + "frame-ancestors 'none'"
        return response
    }

    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
        + "worker-src blob:; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    private static func protect(_ response: inout Response) {
        response.headers[.contentSecurityPolicy] = policy
        response.headers[.xContentTypeOptions] = "nosniff"
        response.headers[.referrerPolicy] = "no-referrer"
        response.headers[.crossOriginOpenerPolicy] = "same-origin"
        response.headers[.crossOriginResourcePolicy] = "same-origin"
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
    }

    // MARK: Responses

    private func answer(_ route: MapRoute, _ request: Request, _ session: BrowserSession) async throws -> Response {
        guard session.may(route.cost) else { return Response(status: .tooManyRequests, headers: [.retryAfter: "1"]) }
        switch route {
        case .enter:
            // A page for a snapshot has no animations.
            let query = request.uri.query == "snapshot" ? "?snapshot" : ""
            return Response(
                status: .seeOther,
                headers: [.location: "/\(sessions.map.text)/\(query)", .setCookie: sessions.cookieToSet(for: session)])
        case .index: return try await file("index.html", request)
        case .file(let name): return try await file(name, request)
        case .events: return await events(request, session)
        case .search: return try await search(request)
        case .messages: return try await messages(request)
        case .region(let file): return try await region(file, request)
        case .placeFile(let name): return try await placeFile(name, request)
        case .tile(let name, let path):
            guard let source = sources[name] else { return Response(status: .notFound) }
            return await tile(of: name) {
                guard let files = source as? any FileTiles else { return try await source.tile(at: path) }
                return try await FileWork.tiles.run { try files.tile(at: path) }
            }
        case .overlayTile(let name, let path):
            guard let overlay = await map.tileOverlay(name) else {
                return Response(status: .notFound)
            }
            return await tile(of: name) { try await overlay.loadTile(at: path) }
        case .overlay(let name):
            guard let geometry = await map.geometry(ofOverlay: name) else { return Response(status: .notFound) }
            let body = ByteBuffer(bytes: try JSONEncoder().encode(geometry))
            return Response(status: .ok, headers: [.contentType: "application/geo+json"], body: .init(byteBuffer: body))
        case .profile(let name):
            guard let profile = await map.profile(ofOverlay: name) else { return Response(status: .notFound) }
            let body = ByteBuffer(bytes: try JSONEncoder().encode(WireLineProfile(profile)))
            return Response(status: .ok, headers: [.contentType: "application/json"], body: .init(byteBuffer: body))
        case .image(let name):
            guard let image = await map.image(name) else { return Response(status: .notFound) }
            return Response(
                status: .ok,
                headers: [
                    .contentType: image.format.mediaType, .cacheControl: "private, max-age=31536000, immutable",
                ], body: .init(byteBuffer: ByteBuffer(bytes: image.bytes)))
        }
    }

    private func file(_ name: String, _ request: Request) async throws -> Response {
        try await FileWork.tiles.run { [files, headers = request.headers] in files.response(name, headers: headers) }
            ?? Response(status: .notFound)
    }

    private func tile(of source: String, _ load: () async throws -> Tile?) async -> Response {
        do {
            guard let tile = try await load() else { return Response(status: .noContent) }
            var headers: HTTPFields = [
                .contentType: tile.format.mediaType, .cacheControl: "private, max-age=3600",
            ]
            if tile.isCompressed { headers[.contentEncoding] = "gzip" }
            return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: tile.bytes)))
        } catch {
            // A program's own overlay may fail for every tile as well.
            notices.post(.error, kind: "tile:\(source)", "A tile of \(source) could not be loaded: \(error)")
            await map.tileFailed(error)
            return Response(status: .noContent)
        }
    }

    /// Responds with the stream of events, which lasts as long as the page and the program.
    private func events(_ request: Request, _ session: BrowserSession) async -> Response {
        // The page's initial state includes what was installed since the last page connected.
        await refreshRegions()
        guard let page = await map.connectPage(over: ObjectIdentifier(sessions), by: session) else {
            return Response(status: .serviceUnavailable)
        }
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream"],
            body: .init { writer in
                do {
                    try await Self.send(page, to: &writer, whileOpen: request.body)
                } catch {
                    await map.disconnect(page)
                    throw error
                }
                await map.disconnect(page)
                try await writer.finish(nil)
            })
    }

    private func refreshRegions() async {
        for regions in sources.values.compactMap({ $0 as? RegionTiles }) {
            do {
                try await FileWork.tiles.run { regions.refresh() }
            } catch {
                // Happens only if the thread pool is shut down, which this one never is.
                logger.error("The regions could not be looked at: \(error)")
            }
        }
    }

    /// Sends the stream while watching for the end of the request. Otherwise a closed page would be noticed only at the
    /// next event, and would delay the server's shutdown.
    private static func send(
        _ page: Page, to writer: inout any ResponseBodyWriter, whileOpen body: RequestBody
    ) async throws {
        try await body.consumeWithCancellationOnInboundClose { _ in
            for await _ in page.wakeUps {
                while let chunk = try await page.take() { try await writer.write(chunk) }
            }
        }
    }

    private func messages(_ request: Request) async throws -> Response {
        let post = try await decode(request, upTo: PagePost.maximumSize) { try PagePost.decode($0) }
        return Response(status: await map.receive(post))
    }

    /// Decodes the value of a page's post.
    func decode<Value>(
        _ request: Request, upTo limit: Int, _ decode: (ByteBufferView) throws -> Value
    ) async throws(RefusedPost) -> Value {
        guard request.headers[.contentType]?.hasPrefix("application/json") == true else { throw .wrongType }
        let body: ByteBuffer
        do {
            body = try await request.body.collect(upTo: limit)
        } catch {
            throw .tooLong
        }
        do {
            return try decode(body.readableBytesView)
        } catch {
            throw .malformed
        }
    }
}

/// The reason for refusing a page's post.
enum RefusedPost: Error {
    case wrongType, tooLong, malformed

    fileprivate var response: Response {
        switch self {
        case .wrongType: Response(status: .unsupportedMediaType)
        // The rest of the body is not read.
        case .tooLong: Response(status: .contentTooLarge, headers: [.connection: "close"])
        case .malformed: Response(status: .badRequest)
        }
    }
}

extension MapView {
    /// Handles a page's post, and returns the status.
    fileprivate func receive(_ post: PagePost) -> HTTPResponse.Status {
        guard let page = hub.pages[post.page] else { return .conflict }
        guard page.mayPost(at: .now()) else { return .tooManyRequests }
        receive(post.messages, from: post.page)
        return .noContent
    }

    fileprivate func image(_ name: String) -> MapImage? { images[name] }

    fileprivate func tileOverlay(_ name: String) -> TileOverlay? { overlayTable[name]?.overlay as? TileOverlay }

    fileprivate func geometry(ofOverlay name: String) -> WireGeometry? {
        (overlayTable[name]?.overlay as? Shape)?.geometry
    }

    fileprivate func profile(ofOverlay name: String) -> LineProfile? {
        (overlayTable[name]?.overlay as? Shape)?.profile
    }
}

extension HTTPField.Name {
    // Each is a token of RFC 9110.
    fileprivate static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
    fileprivate static let fetchSite = HTTPField.Name("Sec-Fetch-Site")!
    fileprivate static let fetchMode = HTTPField.Name("Sec-Fetch-Mode")!
    fileprivate static let fetchDestination = HTTPField.Name("Sec-Fetch-Dest")!
    fileprivate static let crossOriginOpenerPolicy = HTTPField.Name("Cross-Origin-Opener-Policy")!
}
