import FoundationEssentials
import MapTiles

/// Changes that osmium applies to an extract, in its text format: ways without missing nodes, and areas of land and sea
/// along the coast.
struct ExtractPatch {
    private var text: [UInt8] = []
    private var lastNumber: Int64
    /// The number of ways that had missing nodes.
    private(set) var mendedWays = 0
    /// The number of areas of land and sea.
    private(set) var coastAreas = 0

    /// Creates a patch of an extract whose numbers end with `highestNumber`.
    init(highestNumber: Int64) {
        lastNumber = max(0, highestNumber)
    }

    /// True if there is nothing to change.
    var isEmpty: Bool { text.isEmpty }
    /// The highest number after the changes.
    var highestNumber: Int64 { lastNumber }

    /// Writes the changes to a file.
    func write(to path: String) throws(RegionError) {
        guard FileManager.default.createFile(atPath: path, contents: Data(text)) else {
            throw RegionError("\(path) cannot be written: is the disk full?")
        }
    }

    private mutating func next() -> Int64 {
        lastNumber += 1
        return lastNumber
    }

    private mutating func add(_ line: String) {
        text += line.utf8
        text.append(UInt8(ascii: "\n"))
    }

    // MARK: Missing nodes

    /// Removes nodes from a way. A ring around an area stays closed; another way is split where nodes are missing,
    /// because its course there is unknown.
    ///
    /// - Parameters:
    ///   - line: The way, in osmium's text format.
    ///   - missing: The missing nodes.
    mutating func mend(_ line: Substring, without missing: Set<Int64>) {
        guard line.first == "w", let number = OPL.number(of: line) else { return }
        mendedWays += 1
        let version = (Int(OPL.field("v", of: line)) ?? 0) + 1
        let tags = OPL.field("T", of: line)
        let runs = Self.runs(of: OPL.nodes(of: line), without: missing)
        guard let first = runs.first else { return add("w\(number) v\(version) dD") }
        add("w\(number) v\(version) dV T\(tags) N\(Self.list(first))")
        for run in runs.dropFirst() { add("w\(next()) v1 dV T\(tags) N\(Self.list(run))") }
    }

    /// Returns the remaining parts of a way, each with two nodes at least.
    static func runs(of nodes: [Int64], without missing: Set<Int64>) -> [[Int64]] {
        if nodes.count > 3, nodes.first == nodes.last {
            var ring = nodes.dropLast().filter { !missing.contains($0) }
            guard ring.count > 2 else { return [] }
            ring.append(ring[0])
            return [ring]
        }
        return nodes.split { missing.contains($0) }.map(Array.init).filter { $0.count > 1 }
    }

    private static func list(_ nodes: [Int64]) -> String { nodes.map { "n\($0)" }.joined(separator: ",") }

    // MARK: Coast

    /// Adds areas of land and sea, which process.lua recognizes by their tag.
    mutating func add(_ divisions: [CoastDivision]) {
        for division in divisions {
            for area in division.land { add(area, "land") }
            for area in division.sea { add(area, "sea") }
        }
    }

    private mutating func add(_ area: CoastArea, _ side: String) {
        coastAreas += 1
        let tag = "Tlocationd:coast=\(side)"
        guard !area.holes.isEmpty else {
            _ = add(area.outer, tag)
            return
        }
        let members =
            ["w\(add(area.outer, ""))@outer"] + area.holes.map { hole in "w\(add(hole, ""))@inner" }
        add("r\(next()) v1 dV \(tag),type=multipolygon M\(members.joined(separator: ","))")
    }

    /// Adds a closed way, and returns its number.
    private mutating func add(_ ring: [CoastPoint], _ tag: String) -> Int64 {
        var nodes: [Int64] = []
        for point in ring {
            nodes.append(next())
            add("n\(lastNumber) v1 dV x\(Self.decimal(point.x)) y\(Self.decimal(point.y))")
        }
        if let first = nodes.first { nodes.append(first) }
        let number = next()
        add("w\(number) v1 dV \(tag) N\(Self.list(nodes))")
        return number
    }

    /// Returns degrees with the seven decimals of OpenStreetMap.
    private static func decimal(_ degrees: Double) -> String {
        let units = Int64((degrees * 1e7).rounded())
        let digits = String(units.magnitude % 10_000_000)
        return
            "\(units < 0 ? "-" : "")\(units.magnitude / 10_000_000).\(String(repeating: "0", count: 7 - digits.count))\(digits)"
    }
}
