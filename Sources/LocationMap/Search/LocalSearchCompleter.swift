public import LocationModel
import PlaceSearch

/// A line that is offered while somebody types.
public struct LocalSearchCompletion: Hashable, Sendable {
    /// The name, or a category's title.
    public let title: String
    /// The ranges of the title that match the typed text, in UTF-16 code units.
    public let titleHighlightRanges: [Range<Int>]
    /// The address of the place; for a category, the effect of choosing it.
    public let subtitle: String
    /// The ranges of the subtitle that match the typed text, in UTF-16 code units.
    public let subtitleHighlightRanges: [Range<Int>]
    /// The place it stands for; `nil` for a category.
    public let mapItem: MapItem?
    /// The query that choosing it starts.
    let query: String

    init(_ suggestion: PlaceSuggestion) {
        title = suggestion.title
        subtitle = suggestion.subtitle
        titleHighlightRanges = suggestion.titleHighlights.map { $0.start..<$0.start + $0.length }
        subtitleHighlightRanges = suggestion.subtitleHighlights.map { $0.start..<$0.start + $0.length }
        mapItem = suggestion.place.map { MapItem($0) }
        query = suggestion.query
    }
}

/// Receives a completer's results.
@MainActor
public protocol LocalSearchCompleterDelegate: AnyObject {
    /// ``LocalSearchCompleter/results`` are those of the newest fragment.
    func completerDidUpdateResults(_ completer: LocalSearchCompleter)
    /// Places cannot be searched; the error's description says why and what to do.
    func completer(_ completer: LocalSearchCompleter, didFailWithError error: any Error)
}

/// Offers completions of what somebody is typing, as MapKit's class of this name does.
///
/// Set ``queryFragment`` at each keystroke. Answers come to the delegate in the order of the keystrokes; those of fragments
/// that were typed over meanwhile are left out.
@MainActor
public final class LocalSearchCompleter {
    /// The text typed so far.
    public var queryFragment = "" {
        didSet { if queryFragment != oldValue { ask() } }
    }
    /// Where: what lies in it or near it comes first. `nil` is the world.
    public var region: CoordinateRegion?
    /// The position that distances are measured from. Default `nil`: the middle of the region.
    public var center: Coordinate?
    /// The object that receives the results.
    public weak var delegate: (any LocalSearchCompleterDelegate)?
    /// The completions of the newest fragment that was answered, the likeliest first.
    public private(set) var results: [LocalSearchCompletion] = []
    /// True if the newest fragment has not been answered yet.
    public var isSearching: Bool { task != nil }

    private let indexes: PlaceIndexCache
    private var task: Task<Void, Never>?

    /// A completer without a fragment.
    public convenience init() { self.init(indexes: .shared) }

    package init(indexes: PlaceIndexCache) { self.indexes = indexes }

    deinit { task?.cancel() }

    /// Gives up the search that is under way.
    public func cancel() {
        task?.cancel()
        task = nil
    }

    private func ask() {
        cancel()
        let (fragment, region, center) = (queryFragment, region, center)
        // A task, since a property that is set cannot wait. The next keystroke ends it.
        task = Task { [weak self, indexes] in
            do {
                let suggestions = try await Self.suggestions(fragment, region, center, indexes)
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
        _ fragment: String, _ region: CoordinateRegion?, _ center: Coordinate?, _ indexes: PlaceIndexCache
    ) async throws -> [PlaceSuggestion] {
        try await indexes.search { searcher in
            try searcher.suggestions(for: fragment, near: center, visible: region.flatMap { PlaceBounds($0) })
        }
    }
}
