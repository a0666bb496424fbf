import LocationModel
import MapTiles
import PlaceFixtures
import PlaceSearch
import Synchronization
import TestSupport
import Testing

@testable import LocationMap

@Suite("Cache of place indexes", .timeLimit(.minutes(10)))
struct PlaceIndexCacheTests {
    @Test("a query that fails reports it, and the next ones are answered from the same index")
    func failedQuery() async throws {
        let directory = try TemporaryDirectory()
        try await ExtractIndex.write(.liechtenstein, to: "\(directory.path)/\(InstalledPlaces.worldFile)")
        let reports = Mutex<[String]>([])
        let indexes = PlaceIndexCache(
            regions: MapRegions(userDirectory: nil, systemDirectory: "/nonexistent"), data: directory.path
        ) { report in reports.withLock { $0.append(report) } }
        let path = "\(directory.path)/\(InstalledPlaces.worldFile)"
        // SQLITE_ERROR, SQLITE_INTERRUPT, SQLITE_NOMEM.
        for code in [1, 9, 7] as [Int32] {
            let before = try indexes.searcher()
            let error = await #expect(throws: PlaceIndexError.self) {
                try await indexes.search { (_) -> [FoundPlace] in
                    throw PlaceIndexError(
                        sqliteCode: code, systemError: 0, path: path, detail: "fts5: phrase queries are not supported")
                }
            }
            #expect(error?.description.contains("fts5") == false, "\(error?.description ?? "")")
            #expect(try indexes.searcher() === before)
            let query = WirePlaceQuery(page: "1", subject: .places(text: "Vaduz", category: nil))
            let answer = try await indexes.answer(to: query)
            #expect(answer.isMissing == nil && answer.results?.first?.name == "Vaduz")
        }
        #expect(reports.withLock { $0.isEmpty })
    }

    /// The codes are SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_IOERR and SQLITE_TOOBIG.
    @Test("an error of the file leaves its index out", arguments: [11, 26, 10, 18] as [Int32])
    func damagedFile(code: Int32) async throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/\(InstalledPlaces.worldFile)"
        try await ExtractIndex.write(.liechtenstein, to: path)
        let reports = Mutex<[String]>([])
        let indexes = PlaceIndexCache(
            regions: MapRegions(userDirectory: nil, systemDirectory: "/nonexistent"), data: directory.path
        ) { report in reports.withLock { $0.append(report) } }
        await #expect(throws: PlaceIndexError.self) {
            try await indexes.search { (_) -> [FoundPlace] in
                throw PlaceIndexError(sqliteCode: code, systemError: 0, path: path, detail: "")
            }
        }
        let query = WirePlaceQuery(page: "1", subject: .suggestions(text: "vad"))
        #expect(try await indexes.answer(to: query).isMissing == true)
        #expect(reports.withLock { $0.count } == 1)
    }
}
