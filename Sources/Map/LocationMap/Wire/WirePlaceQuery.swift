import FoundationEssentials
import LocationModel
import PlaceSearch

/// A search query of a page. Untrusted: one in any other form is refused as a whole.
struct WirePlaceQuery: Sendable {
    /// The kind of query.
    enum Subject: Hashable, Sendable {
        /// Suggestions for a partial query.
        case suggestions(text: String)
        /// The places for a text, or those of a category.
        case places(text: String, category: String?)
        /// The place at a coordinate.
        case position(WirePosition)
    }

    /// The page's name, as `state` assigned it.
    var page: String
    var subject: Subject
    /// False for the place of a label, which nobody has typed.
    var isByUser = true
    /// The visible part of the map.
    var region: PlaceBounds?
    /// The user's location, if the page has it. Distances are measured from there if it is in or near ``region``, or else from
    /// its middle.
    var user: WirePosition?

    /// The largest body in bytes.
    static let maximumSize = 4 << 10
    /// The greatest length of a text, in bytes of UTF-8.
    static let maximumText = 800
}

extension WirePlaceQuery: Decodable {
    private enum Keys: String, CodingKey { case page, kind, text, category, position, region, user, isLabel }

    init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: Keys.self)
        page = try object.decode(String.self, forKey: .page)
        func text() throws -> String { try object.text(.text, upTo: Self.maximumText) }
        switch try object.decode(String.self, forKey: .kind) {
        case "suggest": subject = .suggestions(text: try text())
        case "search":
            let category = try object.decodeIfPresent(String.self, forKey: .category)
            guard category.map({ $0.utf8.count <= 64 }) ?? true else { throw PageMessage.Refusal() }
            subject = .places(text: try text(), category: category)
        case "reverse":
            let position = try object.decode(WirePosition.self, forKey: .position)
            guard abs(position.longitude) <= 100_000 else { throw PageMessage.Refusal() }
            subject = .position(position)
        default: throw PageMessage.Refusal()
        }
        if let numbers = try object.decodeIfPresent([Double].self, forKey: .region) {
            guard numbers.count == 4,
                let region = PlaceBounds(west: numbers[0], south: numbers[1], east: numbers[2], north: numbers[3])
            else { throw PageMessage.Refusal() }
            self.region = region
        }
        user = try object.decodeIfPresent(WirePosition.self, forKey: .user)
        isByUser = try object.decodeIfPresent(Bool.self, forKey: .isLabel) != true
    }
}

/// The answer to a page.
struct PlaceAnswer: Encodable, Sendable {
    var suggestions: [PlaceSuggestion]?
    /// The program's rows in place of suggestions.
    var rows: [WireSearchRow]?
    var results: [FoundPlace]?
    var place: FoundPlace?
    /// The identifier of the category that the text names, if none of its places is within reach; ``results`` are then the next
    /// ones.
    var absent: String?
    /// If the text asks for what is open now, the number of results that the page shows of those that are. Absent otherwise.
    var openLimit: Int?
    /// True if distances are from the middle of the map.
    var isFromMiddle: Bool?
    /// True if no places are installed; absent otherwise.
    var isMissing: Bool?
}

/// A row of the program's below the search field.
struct WireSearchRow: Encodable, Hashable, Sendable {
    var row: String
    var title: String
    var subtitle: String

    init(_ row: SearchField.Row) {
        (self.row, title, subtitle) = (row.id, String(row.title.prefix(200)), String(row.subtitle.prefix(200)))
    }
}
