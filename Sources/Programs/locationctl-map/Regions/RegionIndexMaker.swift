import Glibc
import MapTiles
import PlaceSearch

/// Makes the search index of an extract from the output of osmium.
struct RegionIndexMaker {
    /// The directory for temporary files.
    let directory: String
    let interruption: Interruption

    /// Makes the index at `target`.
    ///
    /// - Parameter report: Receives the completed part, 0 to 1.
    func make(
        _ extract: Extract, target: String, report: (Double) -> Void
    ) throws(RegionError) -> PlaceIndexWriter.Summary {
        let filtered = "\(directory)/places.osm.pbf"
        let configuration = "\(directory)/export.json"
        try ExtractPreparation.write(PlaceIndexInput.exportConfiguration, to: configuration)
        _ = try RegionTool.osmium.output(
            ["tags-filter", "--no-progress", "-F", "pbf", extract.path, "-o", filtered, "-f", ExtractPreparation.form]
                + PlaceIndexInput.filters, interruption: interruption)
        report(0.1)
        // The lines are about eight times as long as the extract.
        let expected = Double(max(1, (try? RegionMaker.size(of: filtered)) ?? 1)) * 8
        let numbers = try extract.originalNumbers.map { (path) throws(RegionError) in
            try OriginalNumbers(directory: path)
        }
        var result: Result<PlaceIndexWriter.Summary, PlaceIndexError>?
        try RegionTool.osmium.run(
            ["export", "--no-progress", filtered, "-c", configuration] + PlaceIndexInput.exportOptions + ["-o", "-"],
            interruption: interruption
        ) { descriptor in
            do throws(PlaceIndexError) {
                let summary = try PlaceIndexWriter.write(
                    linesOf: descriptor, to: target, originalID: { numbers?.id(of: $0) ?? $0 }
                ) { progress in
                    switch progress {
                    case .reading(let bytes): report(0.1 + 0.6 * min(1, Double(bytes) / expected))
                    case .indexing(let part): report(0.7 + 0.3 * part)
                    }
                }
                result = .success(summary)
                return true
            } catch {
                result = .failure(error)
                return false
            }
        }
        switch result {
        case .success(let summary)?: return summary
        case .failure(let error)?: throw RegionError("The search index cannot be made: \(error)")
        case nil: throw RegionError("The search index was not made.")
        }
    }
}
