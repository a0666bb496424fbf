import Logging
package import MapTiles
package import PlaceSearch
import Synchronization

/// Keeps the installed indexes of places open, for the searches of a program and of the pages of its maps.
///
/// Opens them at the first search, and again when regions were added or removed. An index that cannot be read is reported once
/// and left out.
package final class PlaceIndexCache: Sendable {
    /// The indexes of what is installed on this machine.
    package static let shared = PlaceIndexCache(report: { report in logger.warning("\(report)") })
    private static let logger = Logger(label: "org.locationd.map")

    private let regions: MapRegions
    private let data: String?
    private let report: @Sendable (String) -> Void
    private let opened = Mutex<Opened?>(nil)

    private struct Opened {
        /// The state of the directories at that time.
        var fingerprint: [FileMark]
        /// Indexes that turned out to be damaged.
        var damaged: Set<String> = []
        var result: Result<PlaceSearcher, PlaceIndexError>
    }

    /// A cache of the indexes of `regions` and the world's places.
    ///
    /// - Parameters:
    ///   - data: The directory of the map data; `nil` for those of this program or of the system.
    ///   - report: Told in a sentence of each index that cannot be read, from any thread.
    package init(
        regions: MapRegions = MapRegions(), data: String? = nil, report: @escaping @Sendable (String) -> Void
    ) {
        self.regions = regions
        self.data = data
        self.report = report
    }

    /// Searches, on a thread for that: an index that turns out to be damaged meanwhile is reported and left out from then on.
    ///
    /// - Throws: `InstalledPlaces.Missing` where nothing is installed, and `PlaceIndexError` where none of the files can be read.
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

    /// Opens the indexes again without the one at fault. False if that is none of them.
    private func leaveOut(_ error: PlaceIndexError) -> Bool {
        opened.withLock { opened in
            guard var now = opened, let paths = try? InstalledPlaces(regions: regions, data: data).paths,
                paths.contains(error.path), now.damaged.insert(error.path).inserted
            else { return false }
            report("Places cannot be searched in \(error)")
            let rest = paths.filter { !now.damaged.contains($0) }
            now.result = rest.isEmpty ? .failure(error) : open(rest)
            opened = now
            return !rest.isEmpty
        }
    }

    /// The searcher. Blocks for looking at the directories, and for opening what is new.
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

    /// Without the indexes that cannot be read.
    private func open(_ paths: [String]) -> Result<PlaceSearcher, PlaceIndexError> {
        var paths = paths
        while true {
            do {
                return .success(try PlaceSearcher(paths: paths))
            } catch {
                report("Places cannot be searched in \(error)")
                let count = paths.count
                paths.removeAll { $0 == error.path }
                // An error that names none of them would come again.
                guard !paths.isEmpty, paths.count < count else { return .failure(error) }
            }
        }
    }
}
