import TestSupport
import Testing

/// Every command that prints a result prints it as JSON, too.
@Suite("Formats", .timeLimit(.minutes(10)))
struct FormatTests {
    /// As the argument parser describes a program.
    private struct Description: Decodable {
        struct Command: Decodable {
            var commandName: String
            var subcommands: [Command]?
            var arguments: [Argument]?
        }
        struct Argument: Decodable {
            struct Name: Decodable {
                var name: String
            }
            var names: [Name]?
            var allValues: [String]?
        }
        var command: Command
    }

    private func leaves(of command: Description.Command, _ path: [String] = []) -> [([String], Description.Command)] {
        let subcommands = command.subcommands?.filter { $0.commandName != "help" } ?? []
        guard !subcommands.isEmpty else { return [(path, command)] }
        return subcommands.flatMap { leaves(of: $0, path + [$0.commandName]) }
    }

    @Test func everyCommandHasThem() async throws {
        let result = try await ChildProcess.run([Products.locationctl, "--experimental-dump-help"])
        let commands = leaves(of: try json(result.output, as: Description.self).command)
        #expect(commands.count >= 19)
        // These are for a person; scripts have agent prompts, agent answer and follow. map, privacy, share and fleet are programs
        // of their own, and the last is for the package's installation.
        let others = [
            ["agent", "show"], ["map"], ["privacy"], ["share"], ["fleet"], ["geoclue", "advice"], ["time-zone"],
        ]
        for (path, command) in commands where !others.contains(path) {
            let format = command.arguments?.first { $0.names?.contains { $0.name == "format" } == true }
            let values = Set(format?.allValues ?? [])
            #expect(values.isSuperset(of: ["text", "json"]), "\(path.joined(separator: " "))")
        }
    }

    private struct Outcome: Decodable {
        var status: String
        var accuracy: String
        var limits: [[String: String]]
    }
    private struct Setting: Decodable {
        var isEnabled: Bool
        var isSystem: Bool
        var userID: Int?
    }
    private struct Problem: Decodable {
        var file: String
        var keyPath: String?
        var message: String
    }
    private struct Addition: Decodable {
        var client: String
        var executable: String
        var file: String
        var isInForce: Bool
    }

    /// Those that change something; the others are in the tests of what they do.
    @Test func whatDecisionsPrint() async throws {
        try await DaemonSite.run { daemon in
            let site = daemon.site
            func run<Value: Decodable>(_ type: Value.Type, _ arguments: String...) async throws -> Value {
                let result = try await ChildProcess.run(
                    [Products.locationctl] + arguments + ["--format", "json"],
                    environment: ["LOCATIOND_SOCKET": site.socket])
                #expect(result.code == 0, "\(result)")
                return try json(result.output, as: type)
            }
            let off = try await run(Setting.self, "off")
            #expect(!off.isEnabled && !off.isSystem && off.userID != nil)
            let systemOff = try await run(Setting.self, "off", "--system")
            #expect(!systemOff.isEnabled && systemOff.isSystem && systemOff.userID == nil)
            let allowed = try await run(Outcome.self, "allow", "org.example.Tests")
            #expect(allowed.status == "denied")
            #expect(allowed.limits.map { $0["reason"] } == ["servicesOffForMachine", "servicesOffForUser"])
            let text = try await site.locationctl("allow", "org.example.Tests")
            #expect(text.code == 0)
            for words in [
                "org.example.Tests: denied.\n", "off for you. To switch them on, run: locationctl on",
                "sudo locationctl on --system",
            ] {
                #expect(text.output.contains(words))
            }
            #expect(try await run(Setting.self, "on").isEnabled)
            #expect(try await run(Setting.self, "on", "--system").isEnabled)
            #expect(try await run(Outcome.self, "accuracy", "org.example.Tests", "reduced").accuracy == "reduced")
            #expect(try await run(Outcome.self, "deny", "org.example.Tests").status == "denied")
            #expect(try await run(Outcome.self, "reset", "org.example.Tests").limits.isEmpty)
            let added = try await run(
                Addition.self, "clients", "add", "--executable", "/bin/true", "--when-in-use", "Tests.", "--directory",
                site.directory.path + "/clients.d")
            #expect(added.client == "local.\(added.executable.split(separator: "/").last ?? "")")
            #expect(added.isInForce)
            #expect(try await run([Problem].self, "config", "check", added.file).isEmpty)
            #expect(try await run([Problem].self, "config", "reload").isEmpty)
            try site.write("clients.d/broken.plist", list: ["Mitch": [:]])
            let broken = try await site.locationctl(
                "config", "check", "--config", site.configuration, "--format", "json")
            #expect(broken.code == 78)
            #expect(try json(broken.output, as: [Problem].self).contains { $0.keyPath == "Mitch" })
        }
    }
}
