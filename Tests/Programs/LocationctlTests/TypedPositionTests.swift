import ArgumentParser
import FoundationEssentials
import LocationModel
import Testing

@testable import locationctl

@Suite("Positions on the command line", .timeLimit(.minutes(10)))
struct TypedPositionTests {
    /// The words of all commands.
    private static func commands(of command: any ParsableCommand.Type = Locationctl.self, _ path: [String] = [])
        -> [[String]]
    {
        [path] + command.configuration.subcommands.flatMap { commands(of: $0, path + [$0._commandName]) }
    }

    private static func parse(_ words: [String]) -> Bool {
        let read = CommandWords(words, in: Locationctl.self)
        return read.complaint == nil
            && (try? Locationctl.parseAsRoot(TypedNumber.protected(read.words))) != nil
    }

    @Test("every command that takes a position takes one with minus signs")
    func signs() {
        var takers: Set<[String]> = []
        for command in Self.commands() {
            for name in [[], ["home"]] where Self.parse(command + name + ["52.52", "13.405"]) {
                takers.insert(command)
                for position in [["-33.87", "151.2"], ["40.7", "-74.0"], ["-.5", "-0"], ["-0°30'", "-0°15'"]] {
                    #expect(Self.parse(command + name + position), "\(command) \(position)")
                }
            }
        }
        for command in ["sources fixed set", "places add", "monitor add", "search"] {
            #expect(takers.contains(command.split(separator: " ").map(String.init)), "\(command)")
        }
    }

    @Test("options accept negative numbers, and words that are not numbers stay options")
    func options() {
        #expect(Self.parse(["sources", "fixed", "set", "-33.87", "151.2", "--altitude", "-5", "--accuracy", "30"]))
        #expect(Self.parse(["search", "coffee", "--near", "-33.87,151.2"]))
        #expect(!Self.parse(["sources", "fixed", "set", "-33.87", "151.2", "-x"]))
        #expect(
            TypedNumber.protected(["sources", "fixed", "set", "-33.87", "-.5", "--accuracy", "-5", "-h", "--", "-1"])
                == [
                    "sources", "fixed", "set", "−33.87", "−.5", "--accuracy", "−5", "-h", "--", "-1",
                ])
        for program in ["map", "share", "fleet", "privacy"] {
            #expect(TypedNumber.protected([program, "show", "-3.gpx"]) == [program, "show", "-3.gpx"])
        }
        #expect(TypedNumber(argument: "−3.5")?.value == -3.5)
        #expect(TypedNumber(argument: "x") == nil)
        #expect(TypedNumber(argument: "nan") == nil)
    }

    @Test("every command line that a text names can be typed")
    func namedCommands() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Texts/texts.txt").path
        let texts = String(decoding: try Data(contentsOf: URL(filePath: file)), as: UTF8.self)
        // What stands for a value: a name or client, a number, an answer, a position.
        let values = ["home", "1", "gpsd.port"]
        var count = 0
        for line in texts.split(separator: "\n") {
            var rest = line[...]
            while let start = rest.firstRange(of: /run: (sudo )?locationctl/) {
                rest = rest[start.upperBound...]
                var command = rest
                for end in ["; or ", ", or ", ", then ", " To ", " All ", " If ", ". To ", " in a ", "[", "…"] {
                    command = command.firstRange(of: end).map { command[..<$0.lowerBound] } ?? command
                }
                let text = command.replacing("LATITUDE LONGITUDE", with: "-33.87 151.2").replacing(
                    "PLACE", with: "-33.87,151.2"
                )
                .replacing("ID ANSWER", with: "1 allow").replacing("'Why it uses your location.'", with: "TEXT")
                .replacing("URL", with: "https://a.example/v1")
                .replacing("{} {}", with: "1 allow").replacing("rules remove {}{}", with: "rules remove {}")
                // Of another package's program, or without an end.
                guard !text.hasPrefix(" clients add "), !text.hasPrefix(" {}") else { continue }
                count += 1
                let isTyped = values.contains { value in
                    let words = text.replacing("{}", with: value).split(separator: " ").map(String.init)
                    // A value at the end of a text is in another one.
                    return Self.parse(words) || Self.parse(words + [value])
                }
                #expect(isTyped, "locationctl\(text)")
            }
        }
        #expect(count > 60)
    }

    @Test("a position is printed as it can be typed again, however small its numbers are")
    func printed() {
        for (latitude, longitude) in [(-33.87, 151.2), (0.00001, -0.0000005), (-0.5, 180), (51.0, -0.1234567)] {
            guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else { continue }
            let words = FixedLocation(coordinate: coordinate).command.split(separator: " ").map(String.init)
            #expect(Self.parse(words), "\(words)")
            let read = TypedPlace(Array(words[3...4]), command: "").text
            #expect(read.split(separator: " ").compactMap { Double($0) } == [latitude, longitude])
        }
    }
}
