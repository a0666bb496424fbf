import FoundationEssentials
import Glibc
import TestSupport
import Testing

/// Rules and places by `locationctl`, as people type them and as scripts read them.
@Suite("Rules by command", .timeLimit(.minutes(10)))
struct RuleCommandTests {
    private struct Rule: Decodable {
        var id: String
        var sentence: String
        var state: String
        var doubt: String?
    }

    private struct Trial: Decodable {
        struct Span: Decodable {
            var receives: String
            var count: Int
            var rules: [[String: JSONText]]
        }
        var client: String
        var spans: [Span]
    }

    /// A string or a Boolean.
    private enum JSONText: Decodable, Equatable {
        case text(String)
        case flag(Bool)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let flag = try? container.decode(Bool.self) {
                self = .flag(flag)
            } else {
                self = .text(try container.decode(String.self))
            }
        }
    }

    @Test("a place, a rule about it, and their removal take one command each; every refusal names the remedy")
    func story() async throws {
        try await DaemonSite.run { daemon in
            let site = daemon.site
            func say(_ arguments: String..., code: Int32 = 0, words: String...) async throws {
                let result = try await ChildProcess.run(
                    [Products.locationctl] + arguments, environment: ["LOCATIOND_SOCKET": site.socket])
                #expect(result.code == code, "\(arguments): \(result)")
                for text in words { #expect((result.output + result.errors).contains(text), "\(arguments): \(result)") }
            }
            try await say("rules", words: "There are no rules.", "locationctl help rules add")
            try await say(
                "rules", "add", "--inside", "home", "--deny", code: 1,
                words: "You have no place home.", "locationctl places add home --here")
            try await say("places", "add", "home", "-12.5", "-98.7", "--radius", "300", words: "radius 300 m")
            try await say("places", "add", "home", "1", "1", code: 1, words: "--replace")
            try await say(
                "rules", "add", "--inside", "home", "--deny", "--except", "org.example.Doorbell",
                words: "Rule 1: within 300 m of home: nobody but org.example.Doorbell", "0.3 to 2.0 km",
                "locationctl rules remove 1")
            try await say("rules", "add", "--hours", "25:00-06:00", "--deny", code: 64, words: "--hours")
            try await say("rules", "add", "--on-battery", code: 64, words: "--deny")
            try await say("places", "remove", "home", code: 1, words: "locationctl rules remove 1")
            let list = try await site.locationctl("rules", "list", "--format", "json")
            let rules = try json(list.output, as: [Rule].self)
            #expect(rules.map(\.id) == ["1"] && rules[0].state == "inDoubt" && rules[0].doubt == "no location yet")
            try await say("explain", "org.example.Tests", words: "Does a rule withhold this location? yes: rule 1")
            try await say("rules", "remove", "7", code: 1, words: "You have no rule 7.", "locationctl rules list")
            try await say("rules", "remove", "1", words: "Rule 1 is removed.")
            try await say("places", "remove", "home", words: "home is removed.")
            try await say("places", words: "You have no places.")
        }
    }

    @Test("the user's rule that withholds the location is named to the user, with its end, and to no program")
    func withholdingRule() async throws {
        try await DaemonSite.run { daemon in
            let site = daemon.site
            _ = try await site.locationctl("places", "add", "home", "--here", "--radius", "5000")
            #expect(try await site.locationctl("rules", "add", "--inside", "home", "--deny").code == 0)
            let words = "Your rule 1 withholds your location from locationctl now (within 5 km of home: nobody)"
            let remedy = "To remove this one, run: locationctl rules remove 1"
            for command in [
                ["get", "--timeout", "3"], ["get", "--timeout", "1", "--format", "json"],
                ["places", "add", "here", "--here"],
            ] {
                let result = try await ChildProcess.run(
                    [Products.locationctl] + command, environment: ["LOCATIOND_SOCKET": site.socket])
                #expect(result.code == 75 && result.output == "", "\(result)")
                #expect(result.errors.contains(words) && result.errors.contains(remedy), "\(result)")
                // Once, although both the request and its reasons have it.
                #expect(result.errors.split(separator: "\n").count == 1, "\(result)")
            }
            for command in ["watch", "follow"] {
                let process = try await ChildProcess(
                    [Products.locationctl, command], environment: ["LOCATIOND_SOCKET": site.socket])
                let line = try #require(try await process.errors.receive())
                #expect(line.contains(words) && line.contains(remedy), "\(line)")
                process.signal(SIGINT)
                _ = try await process.exitCode()
            }
            let status = try await site.locationctl("status")
            #expect(status.output.contains("  rule          \(words)"), "\(status.output)")
            let doctor = try await site.locationctl("doctor")
            #expect(doctor.output.contains("your rule 1 withholds your location"), "\(doctor.output)")
            // A program hears what it would hear without a fix.
            let program = try await Wire.connect(to: site.socket)
            await program.call("Location.GetLocation", #"{"timeout":1}"#)
            let answer = try await program.receive() ?? ""
            #expect(answer.contains("error") && !answer.contains("rule") && !answer.contains("home"), "\(answer)")
            // Where it applies no longer, the location is back.
            #expect(try await site.locationctl("rules", "remove", "1").code == 0)
            #expect(try await site.locationctl("get").code == 0)
        }
    }

    @Test("a track is played without a service, and prints what each client would have received and by which rule")
    func trial() async throws {
        let site = try DaemonSite(["DefaultPolicy": ["Rules": [["When": ["Hours": "22:00-06:00"], "Deny": true]]]])
        let points = (0..<600).map { index in
            let latitude = 52.0 + Double(abs(300 - index)) * 0.0002
            let time = index * 10
            let (hour, minute, second) = (8 + time / 3600, time / 60 % 60, time % 60)
            func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
            return "<trkpt lat=\"\(latitude)\" lon=\"13\">"
                + "<time>2026-11-23T\(two(hour)):\(two(minute)):\(two(second))Z</time></trkpt>"
        }
        try site.write(
            "way.gpx",
            "<gpx version=\"1.1\" creator=\"t\" xmlns=\"http://www.topografix.com/GPX/1/1\"><trk><trkseg>"
                + points.joined() + "</trkseg></trk></gpx>")
        func play(_ arguments: String...) async throws -> ChildProcess.Result {
            try await ChildProcess.run(
                [Products.locationctl, "rules", "try", "--config", site.configuration, "--track"]
                    + [site.directory.path + "/way.gpx"] + arguments, environment: ["TZ": "UTC"])
        }
        let all = try await play("--format", "json")
        #expect(all.code == 0, "\(all)")
        let trials = try json(all.output, as: [Trial].self)
        #expect(trials.map(\.client) == ["org.example.Tests", "org.locationd.locationctl"])
        #expect(trials.allSatisfy { $0.spans.map(\.receives) == ["exact"] && $0.spans[0].count == 600 })

        try site.declare("org.example.Absent", executable: "/usr/bin/is-not-installed")
        let without = try await play("--format", "json")
        #expect(try json(without.output, as: [Trial].self).map(\.client) == trials.map(\.client))
        #expect(without.errors.hasPrefix("Left out 1 declared program that is not installed."), "\(without.errors)")
        #expect(try await play("--client", "org.example.Absent").output.contains("org.example.Absent"))

        let zone = ["--place", "home=52,13,300", "--rule", "--inside home --deny --except org.example.Tests"]
        let concealed = try await ChildProcess.run(
            [Products.locationctl, "rules", "try", "--config", site.configuration, "--track"]
                + [site.directory.path + "/way.gpx", "--format", "json"] + zone, environment: ["TZ": "UTC"])
        let found = try json(concealed.output, as: [Trial].self)
        #expect(found[0].spans.map(\.receives) == ["exact"], "the exception")
        #expect(found[1].spans.first?.receives == "exact" && found[1].spans.last?.receives == "exact")
        let withheld = found[1].spans.filter { $0.receives == "nothing" }
        #expect(!withheld.isEmpty && withheld.allSatisfy { $0.rules.first?["id"] == .text("1") && $0.count == 0 })

        let night = try await play("--at", "2026-11-23T21:50:00Z", "--client", "org.example.Tests")
        for words in ["exact location", "nothing", "rule machine-1 (from 22:00 to 06:00: nobody)", "22:00:0"] {
            #expect(night.output.contains(words), "\(night)")
        }
        let paced = try await play("--rule", "--every 600", "--client", "org.example.Tests", "--format", "geojson")
        #expect(
            paced.output.contains(#""type":"FeatureCollection""#) && paced.output.contains(#""count":10"#), "\(paced)")
        #expect(try await play("--client", "org.example.Nobody").code == 1)
    }
}
