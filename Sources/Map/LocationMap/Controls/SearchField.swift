import PlaceSearch

/// A search field for places, with suggestions while the user types (the search bar and the results of UIKit's
/// `UISearchController`). The page shows the results on the map and in a list. A program that takes part in it sets a
/// ``delegate``, or has rows of its own below the field:
///
/// ```swift
/// let field = SearchField(mapView: map)
/// field.rows = { text in
///     let request = LocalSearch.Request(naturalLanguageQuery: text, region: map.region)
///     // A search that fails has no rows.
///     let items = (try? await LocalSearch(request: request).start().mapItems) ?? []
///     return items.map { SearchField.Row(id: $0.id, title: $0.name, subtitle: $0.placemark.title) }
/// }
/// map.addControl(field)
/// ```
public final class SearchField: MapControl {
    /// A row below the field.
    public struct Row: Identifiable, Hashable, Sendable {
        /// The identifier by which the delegate gets the row: 1 to 64 bytes of UTF-8, and different from all others.
        public var id: String
        /// The title.
        public var title: String
        /// The second line; empty for none.
        public var subtitle: String

        /// A row of these texts.
        public init(id: String, title: String, subtitle: String = "") {
            (self.id, self.title, self.subtitle) = (id, title, subtitle)
        }
    }

    /// The greatest number of rows that the page shows.
    public static let maximumRows = 50

    /// The object that receives what the user types, finds and chooses; `nil`, the default, for none.
    public weak var delegate: (any SearchFieldDelegate)?
    /// The rows for a text, in place of the page's own suggestions: called with each text that the user types. `nil`, the default,
    /// for the page's own. Of more than ``maximumRows`` the first are shown.
    public var rows: (@MainActor (_ text: String) async -> [Row])? {
        didSet { if (rows == nil) != (oldValue == nil) { mapView?.controlsChanged() } }
    }
    /// The words in the empty field; `nil`, the default, for "Search" in the language of the page.
    public var placeholder: String? { didSet { if placeholder != oldValue { mapView?.controlsChanged() } } }
    /// The text in the field of the page that was used last.
    public private(set) var text = ""

    /// The places and the rows that pages show, by their identifiers.
    private var offered: [String: Offer] = [:]

    private enum Offer {
        case place(MapItem)
        case row(Row)
    }

    /// Creates a search field for ``MapView/addControl(_:)``.
    public init(mapView: MapView?, placement: Placement = .topLeading) {
        super.init(.search, mapView: mapView, placement: placement)
    }

    override var hasOwnRows: Bool { rows != nil }
    override var prompt: String? { placeholder.map { String($0.prefix(100)) } }

    // MARK: Pages

    /// Takes a text that the user is typing. Returns the program's rows for it; `nil` without any.
    func suggest(for text: String) async -> [Row]? {
        take(text)
        guard let rows else { return nil }
        let found = Array(await rows(text).prefix(Self.maximumRows))
        // An answer to an earlier text may come late.
        if text == self.text {
            offered = Self.byIdentifier(found, Offer.row)
        }
        return found
    }

    /// Takes what the page offers for a text that the user is typing, or has searched for.
    func offer(_ places: [FoundPlace], for text: String, isSearch: Bool) {
        let items = places.map { MapItem($0) }
        offered = Self.byIdentifier(items, Offer.place)
        guard isSearch else { return }
        take(text)
        delegate?.searchField(self, didFind: items, for: text)
    }

    /// Takes the end of the typing, by the Enter key. The page searches for nothing itself if the rows are the program's.
    func submit(_ text: String) {
        take(text)
        delegate?.searchField(self, didSubmit: text)
    }

    /// Takes the choice of a place or a row.
    func choose(_ id: String) {
        switch offered[id] {
        case .place(let item): delegate?.searchField(self, didChoose: item)
        case .row(let row): delegate?.searchField(self, didSelect: row)
        case nil: break
        }
    }

    /// The values that pages show, by identifier; the first of several with the same one.
    private static func byIdentifier<Value: Identifiable<String>>(
        _ values: [Value], _ offer: (Value) -> Offer
    ) -> [String: Offer] {
        Dictionary(values.map { ($0.id, offer($0)) }, uniquingKeysWith: { first, _ in first })
    }

    private func take(_ new: String) {
        guard new != text else { return }
        text = new
        delegate?.searchField(self, textDidChange: new)
    }
}

/// The object that receives the events of a ``SearchField``. All methods are optional, and are called on the main actor.
@MainActor
public protocol SearchFieldDelegate: AnyObject {
    /// The text in the field has changed.
    func searchField(_ searchField: SearchField, textDidChange text: String)
    /// The user has ended the text by the Enter key, in a field whose rows are the program's (UIKit's
    /// `searchBarSearchButtonClicked(_:)`).
    func searchField(_ searchField: SearchField, didSubmit text: String)
    /// The user selected one of the program's rows (UIKit's `tableView(_:didSelectRowAt:)`).
    func searchField(_ searchField: SearchField, didSelect row: SearchField.Row)
    /// The page shows the places that a search has found.
    func searchField(_ searchField: SearchField, didFind mapItems: [MapItem], for text: String)
    /// The user chose a place among the page's suggestions or results, or a search found it alone. The page shows it.
    func searchField(_ searchField: SearchField, didChoose mapItem: MapItem)
}

extension SearchFieldDelegate {
    /// Does nothing.
    public func searchField(_ searchField: SearchField, textDidChange text: String) {}
    /// Does nothing.
    public func searchField(_ searchField: SearchField, didSubmit text: String) {}
    /// Does nothing.
    public func searchField(_ searchField: SearchField, didSelect row: SearchField.Row) {}
    /// Does nothing.
    public func searchField(_ searchField: SearchField, didFind mapItems: [MapItem], for text: String) {}
    /// Does nothing.
    public func searchField(_ searchField: SearchField, didChoose mapItem: MapItem) {}
}
