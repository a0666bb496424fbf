/// An error of loading a map's tiles, for ``MapViewDelegate/mapViewDidFailLoadingMap(_:withError:)``.
public enum MapLoadingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The last page that was loading the map has been closed or hidden.
    case pageClosed
    /// A page has not received a tile that the program has sent.
    case tileLost

    /// A sentence for people.
    public var description: String {
        switch self {
        case .pageClosed: "The page was closed or hidden before it had loaded the map."
        case .tileLost: "The browser did not receive all tiles of the map. To load them again, reload the page."
        }
    }
}

/// The pages that load and draw tiles: a state machine without effects. Several pages at once count as one: the first that
/// starts and the last that finishes.
struct LoadingState {
    /// A call of the delegate.
    enum Call {
        case willStartLoading
        case didFinishLoading
        case didFailLoading(any Error)
        case willStartRendering
        case didFinishRendering(isComplete: Bool)
    }

    private var loading: Set<String> = []
    private var rendering: Set<String> = []
    /// The first error since loading last ended.
    private var failure: (any Error)?
    /// True if an error occurred since rendering last ended.
    private var isIncomplete = false

    /// Notes an error of a tile. Its request may arrive before the page's message that it loads tiles.
    mutating func fail(_ error: any Error) {
        failure = failure ?? error
        isIncomplete = true
    }

    /// Handles a page's report of its tiles.
    mutating func receiveLoading(_ stage: PageMessage.Stage, from page: String) -> Call? {
        if stage == .started {
            defer { loading.insert(page) }
            return loading.isEmpty ? .willStartLoading : nil
        }
        guard loading.contains(page) else { return nil }
        if stage == .failed { fail(MapLoadingError.tileLost) }
        return endLoading(of: page)
    }

    /// Handles a page's report of its drawing.
    mutating func receiveRendering(_ stage: PageMessage.Stage, from page: String) -> Call? {
        if stage == .started {
            defer { rendering.insert(page) }
            return rendering.isEmpty ? .willStartRendering : nil
        }
        if stage == .failed, rendering.contains(page) { isIncomplete = true }
        return endRendering(of: page)
    }

    /// Ends the work of a page that has left.
    mutating func remove(_ page: String) -> [Call] {
        if loading == [page] { fail(MapLoadingError.pageClosed) }
        if rendering == [page] { isIncomplete = true }
        return [endLoading(of: page), endRendering(of: page)].compactMap { $0 }
    }

    private mutating func endLoading(of page: String) -> Call? {
        guard loading.remove(page) != nil, loading.isEmpty else { return nil }
        defer { failure = nil }
        return failure.map { .didFailLoading($0) } ?? .didFinishLoading
    }

    private mutating func endRendering(of page: String) -> Call? {
        guard rendering.remove(page) != nil, rendering.isEmpty else { return nil }
        defer { isIncomplete = false }
        return .didFinishRendering(isComplete: !isIncomplete)
    }
}
