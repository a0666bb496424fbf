import FoundationEssentials
import TestSupport
import Testing

@Suite("locationctl search", .timeLimit(.minutes(2)))
struct SearchCommandTests {
    /// Runs the command with two towns as the world's places, without regions and without the service.
    private func search(_ arguments: String...) async throws -> ChildProcess.Result {
        let directory = try TemporaryDirectory()
        _ = try Written.write(
            [
                Written.point("n1", 9.5215, 47.141, ["place": "town", "name": "Vaduz", "alt_name": "Liechtenstadt"]),
                Written.point("n2", 9.509, 47.166, ["place": "town", "name": "Schaan"]),
            ], to: "\(directory.path)/world.places", in: directory)
        return try await ChildProcess.run(
            [Products.locationctl, "search"] + arguments,
            environment: [
                "LOCATIOND_MAP_DATA": directory.path, "XDG_DATA_HOME": directory.path, "XDG_DATA_DIRS": directory.path,
                "LOCATIOND_SOCKET": "\(directory.path)/none", "LC_ALL": "C.UTF-8",
            ])
    }

    @Test("nothing found ends with status 1, and tells how to add streets and shops")
    func nothingFound() async throws {
        let result = try await search("Xyzzyplugh")
        #expect(result.code == 1 && result.output.isEmpty)
        #expect(result.errors.contains("locationctl map add"), "\(result.errors)")
        let json = try await search("Xyzzyplugh", "--json")
        #expect(json.code == 1 && json.output == "[]\n" && json.errors == result.errors)
    }

    @Test("distances are from the place that --near names, which is shown")
    func nearName() async throws {
        let result = try await search("Schaan", "--near", "Vaduz")
        #expect(result.code == 0)
        #expect(result.errors == "Near Vaduz.\n", "\(result.errors)")
        #expect(result.output.hasPrefix("1  Schaan · 2.9"), "\(result.output)")
        let nautical = try await search("Schaan", "--near", "Vaduz", "--units", "nautical", "--coordinates", "ddm")
        #expect(nautical.output.hasPrefix("1  Schaan · 1.59 NM\n"), "\(nautical.output)")
        #expect(nautical.output.hasSuffix("47° 09.9600′ N, 009° 30.5400′ E\n"), "\(nautical.output)")
        let unknown = try await search("Schaan", "--near", "Xyzzyplugh")
        #expect(unknown.code == 1 && unknown.errors.hasPrefix("--near: nothing is called “Xyzzyplugh”."))
    }

    @Test("a place that was found by another name is listed with it")
    func otherName() async throws {
        let result = try await search("Liechtenstadt", "--near", "none")
        #expect(result.output.hasPrefix("1  Vaduz · also called liechtenstadt\n"), "\(result.output)")
    }
}
