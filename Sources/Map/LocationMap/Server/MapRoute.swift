import MapTiles
import PageServing

/// The purpose of a request, by its method and path.
enum MapRoute: PageRoute, Hashable {
    /// The file `page/index.html`.
    case index
    /// A file of the page.
    case file(String)
    /// The stream of events.
    case events
    /// Messages of a page.
    case messages
    /// A search query.
    case search
    /// A tile of a source of map data.
    case tile(source: String, TilePath)
    /// A tile of an overlay.
    case overlayTile(overlay: String, TilePath)
    /// The geometry of an overlay that is too long for the state.
    case overlay(String)
    /// The profile of an overlay's line.
    case profile(overlay: String)
    /// The file of a region that a page adds.
    case region(file: String)
    /// A file of places and lines that a page shows or saves.
    case placeFile(name: String)
    /// An image supplied by the program.
    case image(String)
    /// The positions of vehicles from one time to another, in seconds since 1970.
    case recorded(from: Int, to: Int)

    /// The longest time that is recorded for a page, in seconds: a day with an hour more, and some.
    private static let longestTime = 100_000

    init?(method: String, parts rest: [String]) {
        switch (method, rest.count, rest[0]) {
        case ("GET", 1, ""): self = .index
        case ("GET", 1, "events"): self = .events
        case ("POST", 1, "messages"): self = .messages
        case ("POST", 1, "search"): self = .search
        case ("POST", 2, "regions"): self = .region(file: rest[1])
        case ("POST", 2, "files"): self = .placeFile(name: rest[1])
        case ("GET", 2, "page"): self = .file(rest[1])
        case ("GET", 2, "images"): self = .image(rest[1])
        case ("GET", 2, "overlays"): self = .overlay(rest[1])
        case ("GET", 2, "profiles"): self = .profile(overlay: rest[1])
        case ("GET", 3, "recorded"):
            guard let from = Int(rest[1]), let to = Int(rest[2]), from >= 0, from < to, to - from <= Self.longestTime
            else { return nil }
            self = .recorded(from: from, to: to)
        case ("GET", 5, "tiles"):
            guard let tile = TilePath(rest[2...]) else { return nil }
            self = .tile(source: rest[1], tile)
        case ("GET", 5, "overlay-tiles"):
            guard let tile = TilePath(rest[2...]) else { return nil }
            self = .overlayTile(overlay: rest[1], tile)
        default: return nil
        }
    }

    var cost: BrowserSession.Kind {
        switch self {
        case .events: .connection
        case .search: .search
        case .placeFile, .recorded: .file
        default: .read
        }
    }
}
