import FoundationEssentials
import HTTPTypes
import Hummingbird
import Logging
import MapTiles
import NIOCore
import PageServing

/// Responds to the requests of a map's pages, which a ``PageGate`` admits.
struct MapResponder: HTTPResponder {
    let map: MapView
    /// The identity of the server, which its pages have.
    let server: ObjectIdentifier
    let gate: PageGate
    let sources: [String: any TileSource]
    let places: any PageSearch
    let logger: Logger
    let notices: Notices
    /// Called when a server that is not a ``MapServer`` shuts down while a page is open.
    private let onShutdown: @Sendable () -> Void

    /// Creates a responder, and gives `map` its sources of tiles.
    @MainActor
    init(
        _ map: MapView, sessions: BrowserSessionStore, data: MapData, regions: MapRegions, sources: [any TileSource],
        places: any PageSearch, framing: PageFraming = .none, logger: Logger,
        onShutdown: @escaping @Sendable () -> Void = {}
    ) throws {
        let names = Set(sources.map(\.description.name))
        let archives: [any TileSource] = try data.archives().map { try MBTiles(path: $0) }
        let streets = RegionTiles(regions) { logger.warning("\($0)") }
        let sources = (archives + [streets]).filter { !names.contains($0.description.name) } + sources
        map.tileSources = sources
        (self.map, server, self.places) = (map, ObjectIdentifier(sessions), places)
        let files = PageFiles(directory: data.directory + "/page")
        gate = PageGate(sessions: sessions, files: files, newAddress: "new-address.html", framing: framing)
        self.sources = Dictionary(sources.map { ($0.description.name, $0) }) { first, _ in first }
        (self.logger, notices, self.onShutdown) = (logger, Notices(logger: logger), onShutdown)
    }

    @Sendable
    func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
        try await respond(to: request)
    }

    func respond(to request: Request) async throws -> Response {
        try await gate.respond(to: request) { try await answer($0, request, $1) }
    }

    private func answer(_ route: MapRoute, _ request: Request, _ session: BrowserSession) async throws -> Response {
        switch route {
        case .index: return try await gate.file("index.html", request)
        case .file(let name): return try await gate.file(name, request)
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
            guard let overlay = await map.tileOverlay(name) else { return Response(status: .notFound) }
            return await tile(of: name) { try await overlay.loadTile(at: path) }
        case .overlay(let name):
            guard let geometry = await map.geometry(ofOverlay: name) else { return Response(status: .notFound) }
            return Response(ByteBuffer(bytes: try JSONEncoder().encode(geometry)), type: "application/geo+json")
        case .profile(let name):
            guard let profile = await map.profile(ofOverlay: name) else { return Response(status: .notFound) }
            return try Response(json: WireLineProfile(profile))
        case .recorded(let from, let to):
            guard let recording = await map.fleet?.recording else { return Response(status: .notFound) }
            do {
                return Response(try await recording(from, to), type: "application/json")
            } catch {
                return try Response(json: ["problem": "\(error)"])
            }
        case .image(let name):
            guard let image = await map.image(name) else { return Response(status: .notFound) }
            return Response(
                ByteBuffer(bytes: image.bytes), type: image.format.mediaType,
                caching: "private, max-age=31536000, immutable")
        }
    }

    private func tile(of source: String, _ load: () async throws -> Tile?) async -> Response {
        do {
            guard let tile = try await load() else { return Response(status: .noContent) }
            var response = Response(
                ByteBuffer(bytes: tile.bytes), type: tile.format.mediaType, caching: "private, max-age=3600")
            if tile.isCompressed { response.headers[.contentEncoding] = "gzip" }
            return response
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
        guard let page = await map.connectPage(over: server, by: session) else {
            return Response(status: .serviceUnavailable)
        }
        return page.response(to: request, onShutdown: onShutdown) { [map] in map.disconnect($0) }
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

    private func messages(_ request: Request) async throws -> Response {
        let post = try await gate.decode(request, upTo: PagePost.maximumSize) { try PagePost.decode($0) }
        return Response(status: await map.receive(post))
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
