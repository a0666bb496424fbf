import FoundationEssentials
import MapTiles

/// Prepares an extract for tilemaker: sorts and renumbers it, removes missing nodes from ways, at which tilemaker would stop, and
/// adds areas of land and sea along the coast, of which extracts contain the lines only.
struct ExtractPreparation {
    let directory: String
    let interruption: Interruption
    private(set) var mendedWays = 0
    private(set) var coastAreas = 0

    /// True if the numbers are so far apart that sets of them, with a bit for each number up to the highest one, take
    /// more memory than renumbering does, which takes eight bytes an object. Of a town, the sets take 800 MB.
    private static func isSparse(_ extract: Extract) -> Bool {
        extract.lowestNumber < 0 || extract.highestNumber / 64 > extract.count
    }

    /// Returns the prepared file, or the original one if nothing had to change.
    mutating func prepare(_ original: Extract) throws(RegionError) -> Extract {
        var extract = original
        if !extract.isSorted {
            extract = try convert(extract, of: original, "sorted", ["sort", "--strategy=multipass"])
        }
        if Self.isSparse(extract) {
            let numbers = "\(directory)/numbers"
            do {
                try FileManager.default.createDirectory(atPath: numbers, withIntermediateDirectories: false)
            } catch {
                throw RegionError("\(numbers) cannot be made: \(error)")
            }
            extract = try convert(extract, of: original, "renumbered", ["renumber", "--index-directory", numbers])
            extract.originalNumbers = numbers
        }
        var patch = ExtractPatch(highestNumber: extract.highestNumber)
        let missing = try missingNodes(extract)
        if !missing.isEmpty { try mend(extract, missing, &patch) }
        try addCoast(extract, &patch)
        mendedWays = patch.mendedWays
        coastAreas = patch.coastAreas
        guard !patch.isEmpty else { return extract }
        let file = "\(directory)/patch.osc.opl"
        try patch.write(to: file)
        let target = "\(directory)/prepared.osm.pbf"
        _ = try osmium(["apply-changes", "--no-progress", extract.path, file, "-o", target, "-f", Self.form])
        return extract.moved(to: target, highestNumber: patch.highestNumber)
    }

    /// Without metadata, and with little compression, because the file is read twice and removed. Uncompressed, it
    /// would have blocks larger than tilemaker reads.
    static let form = "pbf,pbf_compression=zlib,pbf_compression_level=1,add_metadata=none"

    private func osmium(_ arguments: [String]) throws(RegionError) -> [UInt8] {
        try RegionTool.osmium.output(arguments, interruption: interruption)
    }

    /// Returns a converted copy, which is read again: its numbers are others, and only in order do several versions of an
    /// object show.
    private func convert(
        _ extract: Extract, of original: Extract, _ name: String, _ arguments: [String]
    ) throws(RegionError) -> Extract {
        let target = "\(directory)/\(name).osm.pbf"
        _ = try osmium(arguments + ["--no-progress", extract.path, "-o", target, "-f", "pbf"])
        return try Extract(path: target, size: extract.size, of: original.path, interruption: interruption)
    }

    /// Returns the missing nodes of each way.
    private func missingNodes(_ extract: Extract) throws(RegionError) -> [Int64: Set<Int64>] {
        var missing: [Int64: Set<Int64>] = [:]
        var lines = LineBuffer()
        // The exit code is 1 if nodes are missing.
        try RegionTool.osmium.run(
            ["check-refs", "--show-ids", "--no-progress", "-F", "pbf", extract.path], accepting: [0, 1],
            interruption: interruption
        ) { (bytes) throws(RegionError) in
            lines.add(bytes) { line in
                let words = line.split(separator: " ")
                guard words.count == 3, words[0].first == "n", words[2].first == "w",
                    let node = Int64(words[0].dropFirst()), let way = Int64(words[2].dropFirst())
                else { return }
                missing[way, default: []].insert(node)
            }
        }
        return missing
    }

    private func mend(
        _ extract: Extract, _ missing: [Int64: Set<Int64>], _ patch: inout ExtractPatch
    ) throws(RegionError) {
        let list = "\(directory)/broken-ways"
        try Self.write(missing.keys.sorted().map { "w\($0)\n" }.joined(), to: list)
        var lines = LineBuffer()
        var mended = patch
        try RegionTool.osmium.run(
            ["getid", "--no-progress", "-F", "pbf", "-i", list, "-f", "opl", "-o", "-", extract.path],
            interruption: interruption
        ) { (bytes) throws(RegionError) in
            lines.add(bytes) { line in
                if let number = OPL.number(of: line), let nodes = missing[number] { mended.mend(line, without: nodes) }
            }
        }
        patch = mended
    }

    private func addCoast(_ extract: Extract, _ patch: inout ExtractPatch) throws(RegionError) {
        var places: [Int64: CoastPoint] = [:]
        var ways: [Coast.Way] = []
        var lines = LineBuffer()
        try RegionTool.osmium.run(
            ["tags-filter", "--no-progress", "-F", "pbf", extract.path, "w/natural=coastline", "-f", "opl", "-o", "-"],
            interruption: interruption
        ) { (bytes) throws(RegionError) in
            lines.add(bytes) { line in
                if line.first == "w" {
                    ways.append(Coast.Way(nodes: OPL.nodes(of: line)))
                } else if line.first == "n", let number = OPL.number(of: line),
                    let x = Double(OPL.field("x", of: line)),
                    let y = Double(OPL.field("y", of: line))
                {
                    places[number] = [x, y]
                }
            }
        }
        let coast = Coast.join(ways, at: places)
        patch.add(Coast.areas(along: coast, in: CoastBox(extract.bounds)))
    }

    static func write(_ text: String, to path: String) throws(RegionError) {
        do {
            try text.write(toFile: path, atomically: false, encoding: .utf8)
        } catch {
            throw RegionError("\(path) cannot be written: is the disk full?")
        }
    }
}
