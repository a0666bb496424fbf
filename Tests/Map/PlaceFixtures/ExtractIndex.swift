import FoundationEssentials
import Glibc
package import PlaceSearch
import TestSupport

/// Indexes of the real extracts that `make map-fixtures` fetches, made by osmium and ``PlaceIndexWriter``.
package enum ExtractIndex {
    /// An extract under `.build/map-fixtures`.
    package enum Extract: String, CaseIterable, Sendable {
        case liechtenstein, helsinki, neubrandenburg, berlin, monaco

        /// The extracts that the queries of ``QueryTable`` are asked of.
        package static let ofQueries: [Self] = [.liechtenstein, .helsinki, .neubrandenburg, .berlin]

        package var path: String {
            let form =
                switch self {
                case .liechtenstein, .helsinki, .monaco: "osm.pbf"
                case .neubrandenburg: "osm.bz2"
                case .berlin: "osm.xml"
                }
            return ".build/map-fixtures/\(rawValue).\(form)"
        }
    }

    /// What is missing, and how to get it.
    package struct Missing: Error, CustomStringConvertible {
        package var description: String

        package init(description: String) { self.description = description }
    }

    /// Where the index of the world is.
    package static let world = ".build/map/world.places"

    /// Writes the index of an extract to `path`.
    @discardableResult
    package static func write(_ extract: Extract, to path: String) async throws -> PlaceIndexWriter.Summary {
        guard access(extract.path, R_OK) == 0 else {
            throw Missing(description: "\(extract.path) is not there: run make map-fixtures")
        }
        return try await write(extractAt: extract.path, to: path)
    }

    /// Writes the index of any extract to `path`.
    @discardableResult
    package static func write(
        extractAt extract: String, to path: String
    ) async throws -> PlaceIndexWriter.Summary {
        let directory = try TemporaryDirectory()
        try await lines(ofExtractAt: extract, to: directory.path)
        let descriptor = open(directory.path + "/lines", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Missing(description: "osmium has written no lines") }
        defer { close(descriptor) }
        return try PlaceIndexWriter.write(linesOf: descriptor, to: path)
    }

    /// Runs osmium as ``PlaceIndexInput`` says; `directory` then has the file `lines`.
    private static func lines(ofExtractAt extract: String, to directory: String) async throws {
        let configuration = directory + "/export.json"
        try Data(PlaceIndexInput.exportConfiguration.utf8).write(to: URL(filePath: configuration))
        let filtered = directory + "/filtered.osm.pbf"
        try await run(["osmium", "tags-filter", extract, "-o", filtered, "-O"] + PlaceIndexInput.filters)
        try await run(
            ["osmium", "export", filtered, "-c", configuration, "-o", directory + "/lines", "-O"]
                + PlaceIndexInput.exportOptions)
    }

    private static func run(_ arguments: [String]) async throws {
        let result = try await ChildProcess.run(["/usr/bin/env"] + arguments)
        guard result.code == 0 else { throw Missing(description: "\(arguments[0...1]) failed: \(result.errors)") }
    }
}
