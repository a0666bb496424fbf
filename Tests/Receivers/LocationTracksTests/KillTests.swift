import FoundationEssentials
import Glibc
import LocationModel
import LocationTracks
import SeededRandom
import TestSupport
import Testing

/// Kills a recording process again and again, or lets it run out of space, and checks the file.
@Suite(.timeLimit(.minutes(10)))
struct KillTests {
    private static let writer = Products.directory + "/TrackWriter"

    /// Checks every file in a directory with an independent parser.
    private static let check = """
        import json, os, sys, xml.etree.ElementTree as tree
        for name in sorted(name for name in os.listdir(sys.argv[1]) if name[0] != "."):
            path = os.path.join(sys.argv[1], name)
            if name.endswith(".gpx"):
                count = len(tree.parse(path).getroot().findall(".//{http://www.topografix.com/GPX/1/1}trkpt"))
            else:
                count = len(json.load(open(path))["features"])
            print(name, count)
        """

    @Test("the file is complete whenever the process is killed", arguments: TrackFormat.allCases)
    func kill(format: TrackFormat) async throws {
        let directory = try TemporaryDirectory()
        var generator = SeededGenerator(seed: 1)
        var counts: [String: Int] = [:]
        var total = 0
        for round in 0..<60 {
            let name = "\(round)\(format.suffix)"
            let process = try await ChildProcess([Self.writer, directory.path + "/" + name])
            // From the start of the process to some thousands of points later.
            try await pass(.microseconds(Int.random(in: 0..<100_000, using: &generator)))
            process.signal(SIGKILL)
            #expect(try await process.exitCode() == 128 + SIGKILL)
            let acknowledged = try await process.output.rest().utf8.count { $0 == UInt8(ascii: ".") }
            guard access(directory.path + "/" + name, F_OK) == 0 else {
                #expect(acknowledged == 0)
                continue
            }
            let track = try Track(contentsOfFile: directory.path + "/" + name)
            // The unacknowledged point may be there or not.
            #expect((acknowledged...acknowledged + 1).contains(track.pointCount))
            #expect(track.segments.dropLast().allSatisfy { $0.points.count == 100 })
            counts[name] = track.pointCount
            total += track.pointCount
        }
        #expect(total > 0)
        let result = try await ChildProcess.run(["python3", "-c", Self.check, directory.path])
        #expect(result.errors == "")
        #expect(result.output.split(separator: "\n").count == counts.count)
        for line in result.output.split(separator: "\n") {
            let words = line.split(separator: " ")
            #expect(counts[String(words[0])] == Int(words[1]), "\(line)")
        }
    }

    @Test("a full disk is reported, and the recorded part stays complete", arguments: TrackFormat.allCases)
    func fullDisk(format: TrackFormat) async throws {
        let directory = try TemporaryDirectory()
        // More than the initial size, less than the next.
        let file = directory.path + "/track" + format.suffix
        let result = try await ChildProcess.run([Self.writer, file, "300000"])
        #expect(result.code == 1)
        #expect(result.errors == "\(file): there is no space left; what was recorded before is kept\n")
        let points = result.output.utf8.count { $0 == UInt8(ascii: ".") }
        #expect(points > 100)
        #expect(try Track(contentsOfFile: file).pointCount == points)

        let none = try await ChildProcess.run([Self.writer, directory.path + "/none" + format.suffix, "100"])
        #expect(none.code == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).count == 1)
    }
}
