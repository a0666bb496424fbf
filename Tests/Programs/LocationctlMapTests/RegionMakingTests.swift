import FoundationEssentials
import MapTiles
import TestSupport
import Testing

@testable import locationctl_map

@Suite("Making regions", .timeLimit(.minutes(10)))
struct RegionMakingTests {
    @Test(
        "a region is named after its file",
        arguments: [
            ("berlin-latest.osm.pbf", "berlin"), ("liechtenstein-2013-08-03.osm.pbf", "liechtenstein"),
            ("monaco-230101.osm.pbf", "monaco"), ("Helsinki.osm.pbf", "Helsinki"), ("a b<c>.mbtiles", "a-b-c-"),
            ("../x.mbtiles", "x"), (".osm.pbf", "region"), ("‮‮.mbtiles", "region"), ("230101.mbtiles", "230101"),
        ])
    func names(file: String, name: String) {
        #expect(RegionName.of(file) == name)
        #expect(MapRegion.isName(RegionName.of(file)))
    }

    @Test(
        "ways lose the nodes that are missing: lines are split there, and rings stay closed",
        arguments: [
            ([1, 2, 3, 4], [9], [[1, 2, 3, 4]]), ([1, 2, 3, 4], [2], [[3, 4]]),
            ([1, 2, 3, 4, 5], [3], [[1, 2], [4, 5]]),
            ([1, 2], [1], []), ([1, 2, 3, 4, 1], [1], [[2, 3, 4, 2]]), ([1, 2, 3, 4, 1], [3], [[1, 2, 4, 1]]),
            ([1, 2, 3, 1], [2], []), ([], [1], []),
        ] as [([Int64], Set<Int64>, [[Int64]])])
    func runs(nodes: [Int64], missing: Set<Int64>, expected: [[Int64]]) {
        #expect(ExtractPatch.runs(of: nodes, without: missing) == expected)
    }

    @Test("a patch has the corrected ways with a new version and ids beyond the extract's")
    func patch() throws {
        let directory = try TemporaryDirectory()
        var patch = ExtractPatch(highestNumber: 100)
        patch.mend("w7 v3 dV c0 t i0 u Tname=A%20%B,highway=path Nn1,n2,n3,n4,n5", without: [3])
        patch.mend("w8 v1 dV T Nn1,n2", without: [1])
        let path = "\(directory.path)/patch.opl"
        try patch.write(to: path)
        #expect(
            try String(contentsOfFile: path, encoding: .utf8)
                == "w7 v4 dV Tname=A%20%B,highway=path Nn1,n2\nw101 v1 dV Tname=A%20%B,highway=path Nn4,n5\nw8 v2 dD\n")
        #expect(patch.mendedWays == 2 && patch.highestNumber == 101)
    }

    @Test("lines are whole, however the bytes are split")
    func lines() {
        let text = "n1 x1\nn2 äö x2\n\nn3"
        for size in 1...text.utf8.count {
            var buffer = LineBuffer()
            var lines: [String] = []
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                buffer.add(Array(rest.prefix(size))) { lines.append(String($0)) }
                rest = rest.dropFirst(size)
            }
            #expect(lines == ["n1 x1", "n2 äö x2"])
        }
    }

    @Test("the progress is read from tilemaker's output, and other lines are not")
    func progress() {
        #expect(RegionTilesMaker.progress(in: "Block 11/11 ways 5 relations 0        ") == 0.35)
        #expect(RegionTilesMaker.progress(in: "Zoom level 14, writing tile 178 of 178     ") == 1)
        #expect(RegionTilesMaker.progress(in: "Zoom level 5, writing tile 0 of 178") == 0.35)
        for line in ["", "Block", "Block x/y", "Block 1/0", "Zoom of", "Zoom level 1, writing tile of", "Sorting ways"]
        {
            #expect(RegionTilesMaker.progress(in: line[...]) == nil, "\(line)")
        }
    }

    @Test("the bar never exceeds the work, and steps count by their weight")
    func share() {
        let progress = Progress([.init(title: "A", weight: 1), .init(title: "B", weight: 3)], isTerminal: true)
        #expect(progress.share(1) == 0)
        progress.begin("A")
        #expect(progress.share(0.5) == 0.125)
        progress.begin("B")
        #expect(progress.share(0) == 0.25 && progress.share(7) == 1 && progress.share(-1) == 0.25)
        progress.finish()
    }

    @Test("a draft is hidden until it is installed, and replaces the region that was there")
    func draft() throws {
        let directory = try TemporaryDirectory()
        let regions = { (try? FileManager.default.contentsOfDirectory(atPath: directory.path))?.sorted() ?? [] }
        for content in ["old", "new"] {
            let draft = try RegionDraft(name: "here", in: directory.path)
            #expect(regions().contains(".here.partial"))
            #expect(throws: RegionError.self) { try RegionDraft(name: "here", in: directory.path) }
            try content.write(toFile: "\(draft.directory)/file", atomically: false, encoding: .utf8)
            try draft.install()
            #expect(regions() == ["here"])
            #expect(try String(contentsOfFile: "\(directory.path)/here/file", encoding: .utf8) == content)
        }
        try RegionDraft.remove("here", in: directory.path)
        #expect(regions().isEmpty)
    }

    @Test("leftovers of a killed process are removed by the next, and those of a running one are not")
    func leftOvers() throws {
        let directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: "\(directory.path)/.dead.partial/deep", withIntermediateDirectories: true)
        let working = try RegionDraft(name: "working", in: directory.path)
        let other = try RegionDraft(name: "other", in: directory.path)
        let left = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
        #expect(left == [".other.partial", ".working.partial"])
        try working.discard()
        try other.discard()
    }

    @Test("sizes and times are written in the usual units")
    func quantities() {
        #expect(
            [0, 999, 1000, 9_949_999, 9_960_000, 2_500_000_000].map(HumanReadable.size)
                == ["0 bytes", "999 bytes", "1.0 kB", "9.9 MB", "10 MB", "2.5 GB"])
        #expect([0.2, 89, 90, 5399, 7200].map(HumanReadable.time) == ["1 s", "89 s", "2 min", "90 min", "2.0 h"])
    }

    @Test("a region that has no room is refused before anything is made")
    func room() throws {
        let error = #expect(throws: RegionError.self) {
            try Estimate.requireRoom(.max / 2, in: "/tmp", for: "planet.osm.pbf")
        }
        #expect(error?.description.contains("planet.osm.pbf") == true)
        try Estimate.requireRoom(0, in: "/tmp", for: "x")
    }

    @Test("a tool's output is passed on, its failure is quoted, and one with too much output is ended")
    func tools() throws {
        let interruption = Interruption()
        defer { interruption.stop() }
        let shell = RegionTool(name: "sh", package: "dash")
        #expect(try shell.output(["-c", "echo out; echo err >&2"], interruption: interruption) == Array("out\n".utf8))
        let failed = #expect(throws: RegionError.self) {
            try shell.output(
                ["-c", "echo out; printf '10 %%\\r20 %%\\rbad input\\n' >&2; exit 3"], interruption: interruption)
        }
        #expect(failed?.description == "sh has failed with status 3. It said: bad input")
        let killed = #expect(throws: RegionError.self) {
            try shell.output(["-c", "kill -9 $$"], interruption: interruption)
        }
        #expect(killed?.description == "sh was ended by signal 9. It said: nothing.")
        try shell.run(["-c", "exit 3"], accepting: [0, 3], interruption: interruption) { _ in }
        let endless = #expect(throws: RegionError.self) {
            try shell.output(["-c", "exec yes"], interruption: interruption)
        }
        #expect(endless?.description.contains("more than 16 MB") == true)
        // Given up by who reads: no failure of the tool's.
        try shell.run(["-c", "exec yes"], interruption: interruption) { _ in false }
        #expect(throws: RegionError.self) {
            try shell.run(["-c", "exit 1"], interruption: interruption) { _ in true }
        }
        let missing = RegionTool(name: "no-such-tool", package: "nothing")
        let lack = #expect(throws: RegionError.self) { try RegionTool.require([shell, missing]) }
        #expect(
            lack?.description == "no-such-tool is needed to make a region out of an extract, and not installed. "
                + "To install it on Debian, run: sudo apt install nothing")
        #expect(throws: RegionError.self) { try missing.output([], interruption: interruption) }
        try RegionTool.require([shell])
    }

    @Test("a file is copied completely, and never over another one")
    func copying() throws {
        let directory = try TemporaryDirectory()
        let interruption = Interruption()
        defer { interruption.stop() }
        let (source, target) = ("\(directory.path)/a", "\(directory.path)/b")
        let bytes = Data((0..<9_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try bytes.write(to: URL(filePath: source))
        var reports: [Double] = []
        try FileCopy(interruption: interruption).copy(source, to: target) { reports.append($0) }
        #expect(try Data(contentsOf: URL(filePath: target)) == bytes)
        #expect(reports == reports.sorted() && reports.last == 1 && reports.count == 3)
        for (from, to) in [
            (source, target), ("\(directory.path)/gone", "\(directory.path)/c"),
            (directory.path, "\(directory.path)/c"),
        ] {
            #expect(throws: RegionError.self) { try FileCopy(interruption: interruption).copy(from, to: to) { _ in } }
        }
        #expect(try Data(contentsOf: URL(filePath: target)) == bytes)
    }

    @Test("areas of land and sea become closed ways, those with holes relations, all with ids of their own")
    func coastAreas() throws {
        let directory = try TemporaryDirectory()
        let box = CoastBox([0, 0, 10, 10])
        let island: [CoastPoint] = [[2, 2], [8, 2], [8, 8], [2, 8], [2, 2]]
        var patch = ExtractPatch(highestNumber: -5)
        patch.add([try #require(CoastDivision(box, along: [island]))])
        #expect(patch.coastAreas == 2)
        let path = "\(directory.path)/patch.opl"
        try patch.write(to: path)
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        let numbers = lines.compactMap { OPL.number(of: $0) }
        #expect(numbers == Array(1...Int64(lines.count)) && patch.highestNumber == Int64(lines.count))
        for way in lines where way.first == "w" {
            let nodes = OPL.nodes(of: way)
            #expect(nodes.count > 3 && nodes.first == nodes.last)
        }
        #expect(lines.contains { $0.first == "w" && OPL.field("T", of: $0) == "locationd:coast=land" })
        let relation = try #require(lines.last { $0.first == "r" })
        #expect(OPL.field("T", of: relation) == "locationd:coast=sea,type=multipolygon")
        #expect(relation.contains("@outer") && relation.contains("@inner"))
        #expect(throws: RegionError.self) { try patch.write(to: "\(directory.path)/none/patch.opl") }
    }

    @Test(
        "lines of osmium's text format are split into their fields, complete or not",
        arguments: [
            ("w12 v3 dV Thighway=path Nn1,n2x9.5y47,n-3", Int64?(12), [1, 2, -3], "highway=path"),
            ("w x", nil, [], ""), ("w7", 7, [], ""), ("", nil, [], ""), ("w9223372036854775808 N", nil, [], ""),
            ("w1 T N", 1, [], ""), ("w1 Nn1,,x,n2", 1, [1, 2], ""),
        ] as [(String, Int64?, [Int64], String)])
    func textFormat(line: String, number: Int64?, nodes: [Int64], tags: String) {
        #expect(OPL.number(of: line[...]) == number)
        #expect(OPL.nodes(of: line[...]) == nodes)
        #expect(OPL.field("T", of: line[...]) == tags)
    }

    @Test("a draft that cannot be made gives the reason, and a discarded one is deleted")
    func draftFailures() throws {
        let directory = try TemporaryDirectory()
        let file = "\(directory.path)/file"
        try "".write(toFile: file, atomically: false, encoding: .utf8)
        let error = #expect(throws: RegionError.self) { try RegionDraft(name: "x", in: file) }
        #expect(error?.description.contains("cannot be made") == true)
        let draft = try RegionDraft(name: "x", in: directory.path)
        try draft.discard()
        try draft.discard()
        #expect(throws: RegionError.self) { try draft.install() }
        #expect(throws: RegionError.self) { try RegionDraft.remove("x", in: directory.path) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["file"])
    }
}
