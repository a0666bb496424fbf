import FoundationEssentials
import MapTiles

/// The properties of an OpenStreetMap extract, as osmium reports them.
struct Extract: Hashable {
    /// The path of the file.
    private(set) var path: String
    /// The bounds: west, south, east, north, in degrees.
    let bounds: [Double]
    /// The size, in bytes.
    let size: Int
    /// The date of the newest change in the data, in ISO 8601; `nil` if unknown.
    let dataDate: String?
    /// The highest number of a node, way or relation.
    private(set) var highestNumber: Int64
    /// The lowest number of a node, way or relation.
    let lowestNumber: Int64
    /// The number of nodes, ways and relations.
    let count: Int64
    /// The directory with the original numbers of the objects, if they were renumbered.
    var originalNumbers: String?
    /// True if nodes, ways and relations are in the order of their numbers.
    let isSorted: Bool

    /// The useful part of the output of `osmium fileinfo --extended --json`.
    private struct Answer: Decodable {
        struct Header: Decodable { var boxes: [[Double]]?; var with_history: Bool? }
        struct Content: Decodable {
            struct Times: Decodable { var last: String? }
            struct Numbers: Decodable { var nodes: Int64, ways: Int64, relations: Int64 }
            var bbox: [Double]?
            var timestamp: Times?
            var objects_ordered: Bool
            // Absent unless the objects are in order.
            var multiple_versions: Bool?
            var count: Numbers
            var minid: Numbers
            var maxid: Numbers
        }
        var header: Header
        var data: Content
    }

    /// Reads the whole file with osmium, which finds damage as well.
    ///
    /// - Parameter original: The path of the file that the user named, for messages, if this is a copy of it.
    init(
        path: String, size: Int, of original: String? = nil, interruption: Interruption
    ) throws(RegionError) {
        let shown = original ?? path
        let output: [UInt8]
        do {
            output = try RegionTool.osmium.output(
                ["fileinfo", "--extended", "--json", "--no-progress", "-F", "pbf", path], interruption: interruption)
        } catch {
            throw RegionError("\(shown) is no OpenStreetMap extract that can be read: \(error)")
        }
        guard let answer = try? JSONDecoder().decode(Answer.self, from: Data(output)) else {
            throw RegionError("\(shown): the output of osmium has an unknown form.")
        }
        if answer.header.with_history == true || answer.data.multiple_versions == true {
            throw RegionError(
                "\(shown) has the history of its objects: make an extract of one moment with `osmium time-filter` first."
            )
        }
        let numbers = [answer.data.count, answer.data.minid, answer.data.maxid]
        guard numbers[0].nodes > 0 else { throw RegionError("\(shown) is empty.") }
        // Data at a single place have no extent, and the box in the header may be wrong.
        let boxes = (answer.header.boxes ?? []) + [answer.data.bbox ?? []]
        guard let bounds = boxes.first(where: { Self.isBox($0) }) else {
            throw RegionError("\(shown) has no data that cover an area.")
        }
        self.path = path
        self.size = size
        self.bounds = bounds
        dataDate = answer.data.timestamp?.last.flatMap { $0.hasPrefix("1970") ? nil : $0 }
        isSorted = answer.data.objects_ordered
        count = numbers[0].nodes + numbers[0].ways + numbers[0].relations
        lowestNumber = min(numbers[1].nodes, numbers[1].ways, numbers[1].relations)
        highestNumber = max(numbers[2].nodes, numbers[2].ways, numbers[2].relations)
    }

    private static func isBox(_ box: [Double]) -> Bool {
        box.count == 4 && box.allSatisfy(\.isFinite) && box[0] < box[2] && box[1] < box[3] && box[0] >= -180
            && box[2] <= 180 && box[1] >= -90 && box[3] <= 90
    }

    /// Returns another file with these data and some more.
    func moved(to path: String, highestNumber: Int64) -> Extract {
        var moved = self
        (moved.path, moved.highestNumber) = (path, highestNumber)
        return moved
    }

    /// The bounds in the form of `tilemaker --bbox`.
    var boundsText: String { bounds.map { "\($0)" }.joined(separator: ",") }
}
