import MapTiles
/// The purpose of a request, by its method and path.
enum MapRoute: Hashable, Sendable {
    /// The exchange of a one-time code for the cookie.
    case enter(code: String)
    /// `page/index.html`.
    case index
    /// A file of the page.
    case file(String)
    /// The stream of events.
    case events
    /// Messages of a page.
    case messages
    /// A question for places.
    case search
    /// A tile of a source of map data.
    case tile(source: String, TilePath)
    /// A tile of an overlay.
    case overlayTile(overlay: String, TilePath)
    /// The geometry of an overlay that is too long to be sent with the state.
    case overlay(String)
    /// An image that the program handed over.
    case image(String)

    /// The route below `/<map>/`; `nil` for whatever else, and for another method than the one that goes with it.
    ///
    /// - Parameters:
    ///   - method: `GET` or `POST`.
    ///   - path: Without the query.
    ///   - map: The first part of the path of this map.
    init?(method: String, path: Substring, map: Secret) {
        guard path.utf8.count <= 512 else { return nil }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[0].isEmpty, map.matches(parts[1]) else { return nil }
        let rest = parts.dropFirst(2).map(String.init)
        guard rest.allSatisfy(Self.isPlain) else { return nil }
        switch (method, rest.count, rest[0]) {
        case ("GET", 1, ""): self = .index
        case ("GET", 1, "events"): self = .events
        case ("POST", 1, "messages"): self = .messages
        case ("POST", 1, "search"): self = .search
        case ("GET", 2, "enter"): self = .enter(code: rest[1])
        case ("GET", 2, "page"): self = .file(rest[1])
        case ("GET", 2, "images"): self = .image(rest[1])
        case ("GET", 2, "overlays"): self = .overlay(rest[1])
        case ("GET", 5, "tiles"):
            guard let tile = TilePath(rest[2...]) else { return nil }
            self = .tile(source: rest[1], tile)
        case ("GET", 5, "overlay-tiles"):
            guard let tile = TilePath(rest[2...]) else { return nil }
            self = .overlayTile(overlay: rest[1], tile)
        default: return nil
        }
    }

    /// Its cost in the rate limit of the browser.
    var cost: BrowserSession.Kind {
        switch self {
        case .events: .connection
        case .search: .search
        default: .read
        }
    }

    /// Names of files and sources have no other characters, so nothing has to be decoded, and `..` means nothing.
    private static func isPlain(_ part: String) -> Bool {
        part.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }
}
