import FoundationEssentials
import LocationClient

/// A post of a page. Untrusted: a post in any other form is refused as a whole.
struct PagePost: Decodable, Sendable {
    /// The page's name, as `state` assigned it.
    var page: String
    var messages: [PageMessage]

    /// The greatest number of messages in a post.
    static let maximumMessages = 64
    /// The greatest size of a body, in bytes.
    static let maximumSize = 512 << 10

    /// Returns the post in `bytes`.
    ///
    /// - Throws: An error if they are not JSON of this form.
    static func decode(_ bytes: some Collection<UInt8>) throws -> PagePost {
        let post = try JSONDecoder().decode(PagePost.self, from: Data(bytes))
        guard post.messages.count <= maximumMessages else { throw PageMessage.Refusal() }
        return post
    }
}

/// One message of a page.
enum PageMessage: Hashable, Sendable {
    /// The size of the map, in pixels.
    case viewport(width: Double, height: Double)
    /// The camera of the page.
    case camera(Camera)
    /// The user begins to move the map.
    case gesture(Gesture)
    /// The user presses the tracking button.
    case trackingButton
    /// The user chooses a map type.
    case mapType(MapType)
    /// The user clicks a view.
    case select(id: String)
    /// The user closes the callout, or clicks the map beside it.
    case deselect(id: String)
    /// The user clicks a part of a callout.
    case accessory(id: String, side: CalloutSide)
    /// The user drags a view.
    case drag(id: String, DragState, WirePosition)
    /// The user answers a prompt.
    case answer(prompt: Int, PromptChoice)
    /// The page has drawn everything up to a revision.
    case idle(revision: Int)
    /// The user chooses an item of the context menu.
    case menu(action: String, WirePosition)
    /// The user chooses a place, or a row of the program's, below the search field.
    case choose(id: String)
    /// The user ends the text in the search field.
    case submit(text: String)
    /// The user clicks the map beside all views and lines.
    case tap(WirePosition)
    /// The user saves a place, or changes one.
    case save(SavedPlace)
    /// The user saves a route, or changes one.
    case saveRoute(SavedRoute)
    /// The user removes a saved place or route.
    case unsave(id: String)
    /// The part of the vehicles that the page shows.
    case fleet(FleetQuery)
    /// The user changes the areas with alarms, or dismisses alarms.
    case fleetOrder(FleetOrder)
    /// The user removes a line.
    case removeLine(id: String)
    /// The user removes a region.
    case removeRegion(name: String)
    /// The user cancels the work on a region.
    case cancelRegion
    /// The page loads tiles.
    case loading(Stage)
    /// The page draws tiles.
    case rendering(Stage)

    /// An error: the message has another form.
    struct Refusal: Error {}

    /// A gesture on the map.
    enum Gesture: String, Decodable, Sendable { case pan, zoom, rotate, pitch }

    /// The progress of loading or drawing tiles; failed if one is missing at the end.
    enum Stage: String, Decodable, Sendable { case started, finished, failed }

    /// The part of a drag.
    enum DragState: String, Decodable, Sendable { case start, move, end, cancel }

    /// A page's camera, with the cause of its move.
    struct Camera: Decodable, Hashable, Sendable {
        enum Cause: String, Decodable, Sendable { case gesture, program, tracking, control, address }

        var center: WirePosition
        var zoom: Double
        var heading: Double
        var pitch: Double
        var isMoving: Bool
        var cause: Cause
        var sequence: Int?

        /// True if the values are within MapLibre's limits.
        var isValid: Bool {
            abs(center.longitude) <= 100_000 && (-2...26).contains(zoom) && abs(heading) <= 100_000
                && (0...90).contains(pitch)
        }
    }
}

extension KeyedDecodingContainer {
    /// Decodes a text of at most `limit` bytes of UTF-8.
    func text(_ key: Key, upTo limit: Int) throws -> String {
        let text = try decode(String.self, forKey: key)
        guard text.utf8.count <= limit else { throw PageMessage.Refusal() }
        return text
    }
}

extension PageMessage: Decodable {
    private enum Keys: String, CodingKey {
        case type, width, height, kind, control, value, id, side, state, position, prompt, choice, revision, action,
            stage, place, route, name
    }

    init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: Keys.self)
        func id() throws -> String { try object.text(.id, upTo: 32) }
        switch try object.decode(String.self, forKey: .type) {
        case "viewport":
            let width = try object.decode(Double.self, forKey: .width)
            let height = try object.decode(Double.self, forKey: .height)
            guard (1...16_384).contains(width), (1...16_384).contains(height) else { throw Refusal() }
            self = .viewport(width: width, height: height)
        case "camera":
            let camera = try Camera(from: decoder)
            guard camera.isValid else { throw Refusal() }
            self = .camera(camera)
        case "gesture": self = .gesture(try object.decode(Gesture.self, forKey: .kind))
        case "button":
            guard try object.decode(String.self, forKey: .control) == "tracking" else { throw Refusal() }
            self = .trackingButton
        case "mapType": self = .mapType(try object.decode(MapType.self, forKey: .value))
        case "select": self = .select(id: try id())
        case "deselect": self = .deselect(id: try id())
        case "accessory": self = .accessory(id: try id(), side: try object.decode(CalloutSide.self, forKey: .side))
        case "drag":
            let state = try object.decode(DragState.self, forKey: .state)
            self = .drag(id: try id(), state, try object.decode(WirePosition.self, forKey: .position))
        case "answer":
            let prompt = try object.decode(Int.self, forKey: .prompt)
            let choice = try object.decode(PromptChoice.self, forKey: .choice)
            if case .unknown = choice {
                throw DecodingError.dataCorruptedError(forKey: .choice, in: object, debugDescription: "no choice")
            }
            self = .answer(prompt: prompt, choice)
        case "idle": self = .idle(revision: try object.decode(Int.self, forKey: .revision))
        case "menu":
            let action = try object.text(.action, upTo: 64)
            self = .menu(action: action, try object.decode(WirePosition.self, forKey: .position))
        case "choose": self = .choose(id: try object.text(.id, upTo: 64))
        case "submit": self = .submit(text: try object.text(.value, upTo: WirePlaceQuery.maximumText))
        case "tap": self = .tap(try object.decode(WirePosition.self, forKey: .position))
        case "save":
            let place = try object.decode(WireSavedPlace.self, forKey: .place)
            guard (1...64).contains(place.id.utf8.count), let saved = place.place else { throw Refusal() }
            self = .save(saved)
        case "saveRoute":
            let route = try object.decode(WireSavedRoute.self, forKey: .route)
            guard (1...64).contains(route.id.utf8.count), let saved = route.route else { throw Refusal() }
            self = .saveRoute(saved)
        case "unsave": self = .unsave(id: try object.text(.id, upTo: 256))
        case "fleet":
            let query = try FleetQuery(from: decoder)
            guard query.isValid else { throw Refusal() }
            self = .fleet(query)
        case "fleetOrder": self = .fleetOrder(try FleetOrder(from: decoder))
        case "removeLine": self = .removeLine(id: try id())
        case "removeRegion": self = .removeRegion(name: try object.text(.name, upTo: 64))
        case "cancelRegion": self = .cancelRegion
        case "loading": self = .loading(try object.decode(Stage.self, forKey: .stage))
        case "rendering": self = .rendering(try object.decode(Stage.self, forKey: .stage))
        default: throw Refusal()
        }
    }
}
