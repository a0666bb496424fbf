import FoundationEssentials
import MapData
import TestSupport
import Testing

@testable import locationctl_map

@Suite("Making regions")
struct RegionMakingTests {
    @Test(
        "a region is called after its file",
        arguments: [
            ("berlin-latest.osm.pbf", "berlin"), ("liechtenstein-2013-08-03.osm.pbf", "liechtenstein"),
            ("monaco-230101.osm.pbf", "monaco"), ("Helsinki.osm.pbf", "Helsinki"), ("a b<c>.mbtiles", "a-b-c-"),
            ("../x.pmtiles", "x"), (".osm.pbf", "region"), ("‮‮.mbtiles", "region"), ("230101.mbtiles", "230101"),
        ])
    func names(file: String, name: String) {
        #expect(RegionName.of(file) == name)
        #expect(MapRegion.isName(RegionName.of(file)))
    }

    @Test(
        "ways lose the nodes that are missing: lines are parted there, and rings stay closed",
        arguments: [
            ([1, 2, 3, 4], [9], [[1, 2, 3, 4]]), ([1, 2, 3, 4], [2], [[3, 4]]),
            ([1, 2, 3, 4, 5], [3], [[1, 2], [4, 5]]),
            ([1, 2], [1], []), ([1, 2, 3, 4, 1], [1], [[2, 3, 4, 2]]), ([1, 2, 3, 4, 1], [3], [[1, 2, 4, 1]]),
            ([1, 2, 3, 1], [2], []), ([], [1], []),
        ] as [([Int64], Set<Int64>, [[Int64]])])
    func runs(nodes: [Int64], missing: Set<Int64>, expected: [[Int64]]) {
        #expect(ExtractPatch.runs(of: nodes, without: missing) == expected)
    }

    @Test("a patch has mended ways with a new version and numbers of its own beyond the extract's")
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

    @Test("lines come whole, however the bytes are parted")
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

    @Test("tilemaker's output says how far it is, and other lines do not")
    func progress() {
        #expect(RegionTilesMaker.progress(in: "Block 11/11 ways 5 relations 0        ") == 0.35)
        #expect(RegionTilesMaker.progress(in: "Zoom level 14, writing tile 178 of 178     ") == 1)
        #expect(RegionTilesMaker.progress(in: "Zoom level 5, writing tile 0 of 178") == 0.35)
        for line in ["", "Block", "Block x/y", "Block 1/0", "Zoom of", "Zoom level 1, writing tile of", "Sorting ways"]
        {
            #expect(RegionTilesMaker.progress(in: line[...]) == nil, "\(line)")
        }
    }

    @Test("the bar never goes beyond all of the work, and steps count by their weight")
    func share() {
        let progress = Progress([.init(title: "A", weight: 1), .init(title: "B", weight: 3)], isTerminal: true)
        #expect(progress.share(1) == 0)
        progress.begin("A")
        #expect(progress.share(0.5) == 0.125)
        progress.begin("B")
        #expect(progress.share(0) == 0.25 && progress.share(7) == 1 && progress.share(-1) == 0.25)
        progress.finish()
    }

    @Test("a draft is out of sight until it is installed, and takes the place of the region that was there")
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

    @Test("what a killed process has left is removed by the next, and what is at work is not")
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

    @Test("sizes and times are said as people say them")
    func quantities() {
        #expect(
            [0, 999, 1000, 9_949_999, 9_960_000, 2_500_000_000].map(Quantity.size)
                == ["0 bytes", "999 bytes", "1.0 kB", "9.9 MB", "10 MB", "2.5 GB"])
        #expect([0.2, 89, 90, 5399, 7200].map(Quantity.time) == ["1 s", "89 s", "2 min", "90 min", "2.0 h"])
    }

    @Test("a region that has no room is refused before anything is made")
    func room() throws {
        let error = #expect(throws: RegionError.self) {
            try Estimate.requireRoom(.max / 2, in: "/tmp", for: "planet.osm.pbf")
        }
        #expect(error?.description.contains("planet.osm.pbf") == true)
        try Estimate.requireRoom(0, in: "/tmp", for: "x")
    }
}
