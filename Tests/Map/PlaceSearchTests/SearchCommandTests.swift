import FoundationEssentials
import TestSupport
import Testing

@Suite("locationctl search", .timeLimit(.minutes(10)))
struct SearchCommandTests {
    private func search(_ arguments: String...) async throws -> ChildProcess.Result {
        try await locationctl(["search"] + arguments, in: TemporaryDirectory())
    }

    /// Runs a command with two towns and a bakery as the world's places, without regions and without the service.
    private func locationctl(_ arguments: [String], in directory: TemporaryDirectory) async throws
        -> ChildProcess.Result
    {
        _ = try Written.write(
            [
                Written.point(
                    "n1", 9.5215, 47.141, ["place": "town", "name": "Vaduz", "alt_name": "Liechtenstadt;Burg Vadutz"]),
                Written.point("n2", 9.509, 47.166, ["place": "town", "name": "Schaan"]),
                Written.point(
                    "n3", 9.522, 47.142, ["shop": "bakery", "name": "Oven", "opening_hours": "Mo-Sa 06:00-18:00"]),
            ], to: "\(directory.path)/world.places", in: directory)
        return try await ChildProcess.run(
            [Products.locationctl] + arguments,
            environment: [
                "LOCATIOND_MAP_DATA": directory.path, "XDG_DATA_HOME": directory.path, "XDG_DATA_DIRS": directory.path,
                "LOCATIOND_SOCKET": "\(directory.path)/none", "LC_ALL": "C.UTF-8",
            ])
    }

    @Test("nothing found ends with status 1, and explains how to add streets and shops")
    func nothingFound() async throws {
        let result = try await search("Xyzzyplugh")
        #expect(result.code == 1 && result.output.isEmpty)
        #expect(result.errors.contains("locationctl map add"), "\(result.errors)")
        let json = try await search("Xyzzyplugh", "--json")
        #expect(json.code == 1 && json.output == "[]\n" && json.errors == result.errors)
    }

    @Test("a place that is found by another name, or by a word of one, is shown with it")
    func otherNames() async throws {
        for (typed, line) in [
            ("Liechtenstadt", "1  Vaduz · also called Liechtenstadt\n"),
            ("burg", "1  Vaduz · also called Burg Vadutz\n"),
            ("vaduz", "1  Vaduz\n"),
        ] {
            let result = try await search(typed)
            #expect(result.output.hasPrefix(line), "\(result.output)")
        }
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

    @Test("places that are open now are listed with their hours, which are not compared with the time there")
    func openNow() async throws {
        let result = try await search("bakery open now", "--near", "47.14,9.52")
        #expect(result.code == 0 && result.output.contains("open Mon to Sat 6:00–18:00"), "\(result.output)")
        #expect(result.errors.contains("compare their hours with the time there"), "\(result.errors)")
        let other = try await search("bakery", "--near", "47.14,9.52")
        #expect(other.output == result.output && other.errors.isEmpty, "\(other.errors)")
    }

    @Test("a coordinate may begin with a minus sign, as the query and as --near")
    func sign() async throws {
        let result = try await search("-33.87, 151.21")
        #expect(result.code == 0 && result.output.hasPrefix("1  -33.87, 151.21"), "\(result.output)\(result.errors)")
        let words = try await search("-33.87", "-151.21", "--near", "-33.87,-151.2")
        #expect(words.output.hasPrefix("1  -33.87, -151.21 · "), "\(words.output)\(words.errors)")
    }

    @Test("near me without a position reports what is missing")
    func nearMe() async throws {
        let result = try await search("near", "me")
        #expect(result.code == 1 && result.output.isEmpty)
        #expect(
            result.errors.contains("Your location is not known") && result.errors.contains("--near PLACE"),
            "\(result.errors)")
    }

    @Test("sources fixed set accepts the position and the size of the place that a name means, and no other word")
    func placeOfAName() async throws {
        let directory = try TemporaryDirectory()
        let configuration = ["--config", "\(directory.path)/locationd.plist"]
        try PropertyList.text([:]).write(toFile: configuration[1], atomically: true, encoding: .utf8)
        let set = try await locationctl(["sources", "fixed", "set", "vaduz"] + configuration, in: directory)
        #expect(set.code == 0 && set.errors == "Taken: Vaduz\n", "\(set.errors)")
        #expect(set.output.hasPrefix("This machine is at 47.141000° N, 9.521500° E, within 3.00 km."), "\(set.output)")
        let shown = try await locationctl(["sources", "fixed", "--format", "json"] + configuration, in: directory)
        #expect(
            shown.output.contains(#""horizontalAccuracy":3000,"isSet":true,"latitude":47.141,"longitude":9.5215"#),
            "\(shown.output)"
        )
        let unknown = try await locationctl(["sources", "fixed", "set", "Xyzzyplugh"] + configuration, in: directory)
        #expect(unknown.code == 1 && unknown.output.isEmpty)
        #expect(unknown.errors.hasPrefix("Nothing is called “Xyzzyplugh”."), "\(unknown.errors)")
    }
}
