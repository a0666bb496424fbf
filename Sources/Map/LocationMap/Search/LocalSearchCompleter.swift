public import LocationModel
import PlaceSearch

/// A suggestion for a partial query (MapKit's `MKLocalSearchCompletion`).
public struct LocalSearchCompletion: Hashable, Sendable {
    /// The name of a place, followed by the other name that matches if its first one does not ("Munich — München"), or the
    /// title of a category.
    public let title: String
    /// The ranges of ``title`` that match the typed text.
    public let titleHighlightRanges: [Range<String.Index>]
    /// The address of the place; for a category, what choosing it does.
    public let subtitle: String
    /// The ranges of ``subtitle`` that match the typed text.
    public let subtitleHighlightRanges: [Range<String.Index>]
    /// The place; `nil` for a category.
    public let mapItem: MapItem?
    /// The query that is run when the completion is chosen.
    let query: String

    init(_ suggestion: PlaceSuggestion) {
        title = suggestion.title
        subtitle = suggestion.subtitle
        titleHighlightRanges = suggestion.titleHighlights.map { $0.range(in: suggestion.title) }
        subtitleHighlightRanges = suggestion.subtitleHighlights.map { $0.range(in: suggestion.subtitle) }
        mapItem = suggestion.place.map { MapItem($0) }
        query = suggestion.query
    }
}

/// The object that receives a completer's results.
@MainActor
public protocol LocalSearchCompleterDelegate: AnyObject {
    /// ``LocalSearchCompleter/results`` has changed to those of the newest fragment.
    func completerDidUpdateResults(_ completer: LocalSearchCompleter)
    /// The search failed. The error's description names the cause and the remedy.
    func completer(_ completer: LocalSearchCompleter, didFailWithError error: any Error)
}

/// A generator of completions for a partial query (MapKit's `MKLocalSearchCompleter`).
///
/// Set ``queryFragment`` at each keystroke. The delegate receives results in the order of the keystrokes; a fragment
/// that was replaced meanwhile gets none.
@MainActor
public final class LocalSearchCompleter {
    /// The partial query. Setting it starts a search.
    public var queryFragment = "" {
        didSet { if queryFragment != oldValue { ask() } }
    }
    /// The region whose places, and those near it, come first; `nil`, the default, for the whole world.
    public var region: CoordinateRegion?
    /// The coordinate near which places come first, such as the user's location, if it is in ``region`` or there is none;
    /// `nil`, the default, for the centre of ``region``.
    public var center: Coordinate?
    /// The kinds of places to suggest. Default all. Categories are suggested with points of interest.
    public var resultTypes: LocalSearch.ResultType = .all
    /// The points of interest and categories to suggest; `nil`, the default, for all. Streets and towns are not affected.
    public var pointOfInterestFilter: PointOfInterestFilter?
    /// Required for places within ``region`` alone. Default: they come first.
    public var regionPriority = LocalSearch.RegionPriority.default
    /// The object that receives the results.
    public weak var delegate: (any LocalSearchCompleterDelegate)?
    /// The completions of the newest fragment with results, the likeliest first.
    public private(set) var results: [LocalSearchCompletion] = []
    /// True while the results of the newest fragment are pending.
    public var isSearching: Bool { task != nil }

    private let indexes: PlaceIndexCache
    private var task: Task<Void, Never>?

    /// Creates a completer without a fragment.
    public convenience init() { self.init(indexes: .shared) }

    package init(indexes: PlaceIndexCache) { self.indexes = indexes }

    deinit { task?.cancel() }

    /// Cancels the search in progress.
    public func cancel() {
        task?.cancel()
        task = nil
    }

    private func ask() {
        cancel()
        var request = LocalSearch.Request(naturalLanguageQuery: queryFragment, region: region)
        request.center = center
        request.resultTypes = resultTypes
        request.pointOfInterestFilter = pointOfInterestFilter
        request.regionPriority = regionPriority
        // An unstructured task, because a property setter cannot wait. The next keystroke cancels it.
        task = Task { [weak self, request, indexes] in
            do {
                let suggestions = try await Self.suggestions(request, indexes)
                guard !Task.isCancelled, let self else { return }
                self.task = nil
                self.results = suggestions.map { LocalSearchCompletion($0) }
                self.delegate?.completerDidUpdateResults(self)
            } catch {
                guard !Task.isCancelled, let self else { return }
                self.task = nil
                self.delegate?.completer(self, didFailWithError: error)
            }
        }
    }

    private nonisolated static func suggestions(
        _ request: LocalSearch.Request, _ indexes: PlaceIndexCache
    ) async throws -> [PlaceSuggestion] {
        try await indexes.search { searcher in
            Array(
                try searcher.suggestions(
                    for: request.naturalLanguageQuery ?? "", near: request.center,
                    visible: request.region.flatMap { PlaceBounds($0) },
                    limit: request.isNarrowed || request.resultTypes.kinds != nil ? 64 : Self.number
                ).filter(request.includes).prefix(Self.number))
        }
    }

    /// The greatest number of completions.
    private nonisolated static let number = 8
}

extension PlaceSuggestion.Highlight {
    /// The range in its text, whose UTF-16 code units it counts.
    fileprivate func range(in text: String) -> Range<String.Index> {
        let lower = text.utf16.index(text.startIndex, offsetBy: start)
        return lower..<text.utf16.index(lower, offsetBy: length)
    }
}
