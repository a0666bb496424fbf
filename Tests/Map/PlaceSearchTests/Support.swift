import FoundationEssentials
import Glibc
import PlaceFixtures
import TestSupport

@testable import PlaceSearch

/// Indexes of small inputs.
enum Written {
    /// The index of lines, read back.
    static func index(of lines: [String], squareSide: Double = 0.1) throws -> (
        directory: TemporaryDirectory, path: String
    ) {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/test.places"
        _ = try write(lines, to: path, in: directory, squareSide: squareSide)
        return (directory, path)
    }

    @discardableResult
    static func write(
        _ lines: [String], to path: String, in directory: TemporaryDirectory, squareSide: Double = 0.1
    ) throws -> PlaceIndexWriter.Summary {
        let input = directory.path + "/lines"
        try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: input))
        let descriptor = open(input, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        return try PlaceIndexWriter.write(linesOf: descriptor, to: path, squareSide: squareSide)
    }

    static func point(_ id: String, _ longitude: Double, _ latitude: Double, _ tags: [String: String]) -> String {
        feature(id, "{\"type\":\"Point\",\"coordinates\":[\(longitude),\(latitude)]}", tags)
    }

    static func line(_ id: String, _ points: [(Double, Double)], _ tags: [String: String]) -> String {
        let list = points.map { "[\($0.0),\($0.1)]" }.joined(separator: ",")
        return feature(id, "{\"type\":\"LineString\",\"coordinates\":[\(list)]}", tags)
    }

    private static func feature(_ id: String, _ geometry: String, _ tags: [String: String]) -> String {
        let encoder = JSONEncoder()
        let properties = (try? encoder.encode(tags)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
        return "{\"type\":\"Feature\",\"id\":\"\(id)\",\"geometry\":\(geometry),\"properties\":\(properties)}"
    }
}

/// The real data: the extracts and the gazetteer, indexed once.
actor RealPlaces {
    static let shared = RealPlaces()
    private var opened: Task<(TemporaryDirectory, [String]), any Error>?

    /// The indexes' paths, those of extracts first.
    func paths() async throws -> [String] {
        if let opened { return try await opened.value.1 }
        // A task, so that tests that come at the same time wait for the same indexes.
        let task = Task {
            let directory = try TemporaryDirectory()
            var paths: [String] = []
            for extract in ExtractIndex.Extract.ofQueries {
                let path = "\(directory.path)/\(extract.rawValue).places"
                try await ExtractIndex.write(extract, to: path)
                paths.append(path)
            }
            guard access(ExtractIndex.world, R_OK) == 0 else {
                throw ExtractIndex.Missing(description: "\(ExtractIndex.world) is not there: run make map-data")
            }
            return (directory, paths + [ExtractIndex.world])
        }
        opened = task
        return try await task.value.1
    }

    func searcher() async throws -> PlaceSearcher { try PlaceSearcher(paths: try await paths()) }
}
