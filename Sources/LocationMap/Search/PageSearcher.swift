import Glibc
import LocationModel
import MapData
import PlaceSearch
import Synchronization

/// Searches the installed places for the pages: those of regions, then the world's. Regions that were added or removed are
/// noticed at the next query.
final class PageSearcher: Sendable {
    private let regions: MapRegions
    private let world: String
    private let report: @Sendable (String) -> Void
    private let opened = Mutex(Opened())

    private struct Opened {
        /// The indexes that there were, the damaged ones, too.
        var paths: [FileMark] = []
        var searcher: PlaceSearcher?
    }

    /// Those of `regions` and of the map data in a directory.
    ///
    /// - Parameter report: Told in a sentence of each index that cannot be read, from any thread.
    init(_ regions: MapRegions, data directory: String, report: @escaping @Sendable (String) -> Void) {
        self.regions = regions
        world = "\(directory)/\(InstalledPlaces.worldFile)"
        self.report = report
    }

    /// What finds them; `nil` where there are none. Blocks for looking at the directories, and for opening what is new.
    var searcher: PlaceSearcher? {
        // A region that is damaged is reported where its tiles are read.
        let paths = regions.installed().regions.compactMap(\.placesPath) + (access(world, R_OK) == 0 ? [world] : [])
        let marks = paths.map { FileMark($0) }
        return opened.withLock { opened in
            if opened.paths != marks {
                opened.paths = marks
                opened.searcher = open(paths)
            }
            return opened.searcher
        }
    }

    /// Without those that cannot be read.
    private func open(_ paths: [String]) -> PlaceSearcher? {
        var paths = paths
        while !paths.isEmpty {
            do {
                return try PlaceSearcher(paths: paths)
            } catch {
                report("Places cannot be searched in \(error)")
                let count = paths.count
                paths.removeAll { $0 == error.path }
                // An error that names none of them would come again.
                guard paths.count < count else { return nil }
            }
        }
        return nil
    }
}

extension PageSearcher: PageSearch {
    private static let suggestionCount = 8
    private static let resultCount = 30

    func answer(to query: PlaceQuery) throws -> PlaceAnswer {
        guard let searcher else { return PlaceAnswer(isMissing: true) }
        switch query.subject {
        case .suggestions(let text):
            return PlaceAnswer(
                suggestions: try searcher.suggestions(
                    for: text, near: query.origin, visible: query.region, limit: Self.suggestionCount))
        case .places(_, category: let category?):
            guard let origin = query.origin else { return PlaceAnswer(results: []) }
            return PlaceAnswer(results: try searcher.places(of: category, near: origin, limit: Self.resultCount))
        case .places(let text, category: nil):
            return PlaceAnswer(
                results: try searcher.search(
                    text, near: query.origin, visible: query.region, limit: Self.resultCount))
        case .position(let position):
            let coordinate = position.coordinate
            let text = "\(Self.text(coordinate.latitude)), \(Self.text(coordinate.longitude))"
            return PlaceAnswer(place: try searcher.search(text, near: query.origin, limit: 1).first)
        }
    }

    /// Below a ten-thousandth of a degree, a dozen metres, Swift writes exponents, which are in no notation of positions.
    private static func text(_ degrees: Double) -> String { degrees.magnitude < 1e-4 ? "0" : "\(degrees)" }
}
