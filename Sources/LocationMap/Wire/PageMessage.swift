import FoundationEssentials
import LocationClient

/// A post of a page. It is hostile input: a post that is not exactly of a known form is refused as a whole.
struct PagePost: Decodable, Sendable {
    /// The page, by what `state` called it.
    var page: String
    var messages: [PageMessage]

    /// More messages than this in one post are refused.
    static let maximumMessages = 64
    /// The largest body in bytes.
    static let maximumSize = 64 << 10

    /// The post in `bytes`.
    ///
    /// - Throws: when they are not JSON of this form.
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
    /// A person begins to move the map.
    case gesture(Gesture)
    /// The tracking button is pressed.
    case trackingButton
    /// A person chooses a map type.
    case mapType(MapType)
    /// A view is clicked.
    case select(id: String)
    /// The callout is closed, or the map beside it clicked.
    case deselect(id: String)
    /// A part of a callout is clicked.
    case accessory(id: String, side: CalloutSide)
    /// A view is dragged.
    case drag(id: String, DragState, WirePosition)
    /// A prompt is answered.
    case answer(prompt: Int, PromptChoice)
    /// All is drawn, up to a revision.
    case idle(revision: Int)
    /// An entry of the context menu is chosen.
    case menu(action: String, WirePosition)

    /// A message that is none.
    struct Refusal: Error {}

    /// A person's gesture on the map.
    enum Gesture: String, Decodable, Sendable { case pan, zoom, rotate, pitch }

    /// The part of a drag.
    enum DragState: String, Decodable, Sendable { case start, move, end, cancel }

    /// A page's camera and what has moved it.
    struct Camera: Decodable, Hashable, Sendable {
        enum Cause: String, Decodable, Sendable { case gesture, program, tracking, control, address }

        var center: WirePosition
        var zoom: Double
        var heading: Double
        var pitch: Double
        var isMoving: Bool
        var cause: Cause
        var sequence: Int?

        /// True if it can be: beyond these MapLibre does not go.
        var isValid: Bool {
            abs(center.longitude) <= 100_000 && (-2...26).contains(zoom) && abs(heading) <= 100_000
                && (0...90).contains(pitch)
        }
    }
}

extension PageMessage: Decodable {
    private enum Keys: String, CodingKey {
        case type, width, height, kind, control, value, id, side, state, position, prompt, choice, revision, action
    }

    init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: Keys.self)
        func id() throws -> String {
            let id = try object.decode(String.self, forKey: .id)
            guard id.utf8.count <= 32 else { throw Refusal() }
            return id
        }
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
            self = .answer(prompt: prompt, try object.decode(PromptChoice.self, forKey: .choice))
        case "idle": self = .idle(revision: try object.decode(Int.self, forKey: .revision))
        case "menu":
            let action = try object.decode(String.self, forKey: .action)
            guard action.utf8.count <= 64 else { throw Refusal() }
            self = .menu(action: action, try object.decode(WirePosition.self, forKey: .position))
        default: throw Refusal()
        }
    }
}
