import Logging
package import MapTiles
package import PlaceSearch
import Synchronization
import PageServing

/// A cache of open place indexes, for the searches of a program and of its maps' pages.
///
/// Opens the indexes at the first search, and again after regions were added or removed. An unreadable index is
/// reported once and left out.
package final class PlaceIndexCache: Sendable {
    /// The cache of the indexes installed on this machine.
    package static let shared = PlaceIndexCache(report: { report in logger.warning("\(report)") })
    private static let logger = Logger(label: "org.locationd.map")

    private let regions: MapRegions
    private let data: String?
    private let report: @Sendable (String) -> Void
    private let opened = Mutex<Opened?>(nil)

    private struct Opened {
        /// The state of the directories when the indexes were opened.
        var fingerprint: [FileMark]
        /// The indexes found to be damaged.
        var damaged: Set<String> = []
        var result: Result<PlaceSearcher, PlaceIndexError>
    }

    /// Creates a cache of the indexes of `regions` and of the world's places.
    ///
    /// - Parameters:
    ///   - data: The directory of the map data; `nil` for that of this program or of the system.
    ///   - report: Called from any thread with a sentence about each unreadable index.
    package init(
        regions: MapRegions = MapRegions(), data: String? = nil, report: @escaping @Sendable (String) -> Void
    ) {
        self.regions = regions
        self.data = data
        self.report = report
    }

    /// Runs a search on a background thread. An index found to be damaged is reported and left out from then on; after an
    /// error of the query alone it is kept.
    ///
    /// - Throws: `InstalledPlaces.Missing` if nothing is installed; `PlaceIndexError` if no index can be read, or if the
    ///   query failed.
    package func search<T: Sendable>(_ body: @escaping @Sendable (PlaceSearcher) throws -> T) async throws -> T {
        try await FileWork.places.run { [self] in
            while true {
                let searcher = try searcher()
                do {
                    return try body(searcher)
                } catch let error as PlaceIndexError {
                    guard leaveOut(error) else { throw error }
                }
            }
        }
    }

    /// Opens the indexes again without the one that caused the error. Returns false if none of them did.
    private func leaveOut(_ error: PlaceIndexError) -> Bool {
        opened.withLock { opened in
            guard error.subject == .file, var now = opened,
                let paths = try? InstalledPlaces(regions: regions, data: data).paths,
                paths.contains(error.path), now.damaged.insert(error.path).inserted
            else { return false }
            report("Places cannot be searched in \(error)")
            let rest = paths.filter { !now.damaged.contains($0) }
            now.result = rest.isEmpty ? .failure(error) : open(rest)
            opened = now
            return !rest.isEmpty
        }
    }

    /// Returns the searcher. Blocks while it reads the directories and opens new indexes.
    ///
    /// - Throws: As ``search(_:)`` does.
    package func searcher() throws -> PlaceSearcher {
        try opened.withLock { opened in
            let fingerprint = InstalledPlaces.fingerprint(regions: regions, data: data)
            if let opened, opened.fingerprint == fingerprint { return try opened.result.get() }
            let result = open(try InstalledPlaces(regions: regions, data: data).paths)
            opened = Opened(fingerprint: fingerprint, result: result)
            return try result.get()
        }
    }

    /// Opens the readable indexes.
    private func open(_ paths: [String]) -> Result<PlaceSearcher, PlaceIndexError> {
        var paths = paths
        while true {
            do {
                return .success(try PlaceSearcher(paths: paths))
            } catch {
                report("Places cannot be searched in \(error)")
                let count = paths.count
                paths.removeAll { $0 == error.path }
                // An error about none of the paths would recur.
                guard !paths.isEmpty, paths.count < count else { return .failure(error) }
            }
        }
    }
}
