import FoundationEssentials
import Glibc
import LocationInterface
import LocationModel
import TestSupport
import Testing
import Varlink

@testable import LocationClient
import LocationServiceManagement

/// Programs of this version beside a service of the next one: see org.locationd(7).
@Suite("Programs beside a newer service", .timeLimit(.minutes(10)))
struct NextVersionTests {
    private static let unknown = NextVersion.name

    /// The elements of a stream up to the one that is looked for.
    private func element<Stream: AsyncSequence>(
        of stream: Stream, where isFound: (Stream.Element) -> Bool
    ) async throws -> Stream.Element {
        for try await element in stream where isFound(element) { return element }
        throw AwaitedInVain("an element", because: "the stream has ended")
    }

    @Test("each stream of the library continues after an unknown diagnostic, reason and source")
    func streams() async throws {
        try await NextVersion.run { socket in
            let manager = LocationManager(socketPath: socket)
            let update = try await element(of: manager.liveUpdates()) { $0.location != nil && $0.diagnostic != nil }
            #expect(update.diagnostic == .unknown(Self.unknown))
            #expect(update.cause?.reason == .unknown(Self.unknown))
            #expect(update.location?.sourceInformation?.kind == .unknown(Self.unknown))
            #expect(update.sentence == NextVersion.text)
            let frame = try await element(of: manager.followUpdates()) { $0.frame != nil && $0.diagnostic != nil }
            #expect(frame.diagnostic == .unknown(Self.unknown))
            _ = try await element(of: manager.visits()) { $0.visit != nil }
            let pause = try await element(of: manager.visits()) { $0.diagnostic != nil }
            #expect(pause.diagnostic == .unknown(Self.unknown))
            let monitor = LocationMonitor("m", socketPath: socket)
            let event = try await element(of: monitor.events) { $0.diagnostic != nil }
            #expect(event.diagnostic == .unknown(Self.unknown))
            // A state that this version does not know is none that it could act on.
            #expect(try await monitor.lastEvents.map(\.state) == [.unknown])
            #expect(try await monitor.record(for: "x")?.lastEvent.state == .unknown)
            let authorization = try await element(of: manager.authorizationUpdates()) { _ in true }
            #expect(authorization.status == .authorizedAlways)
            #expect(try await manager.requestLocation().sourceInformation?.kind == .unknown(Self.unknown))
            #expect(try await manager.requestWhenInUseAuthorization().status == .authorizedAlways)
        }
    }

    @Test("a manager reads unknown values, and an agent offers no unknown answer")
    func management() async throws {
        try await NextVersion.run { socket in
            let manager = LocationServiceManager(socketPath: socket)
            #expect(try await manager.status(satellites: true).sources.map(\.kind) == [.unknown(Self.unknown)])
            #expect(try await manager.clients().count == 1)
            #expect(try await manager.history().count == 1)
            #expect(try await manager.explain(client: "a").steps.count == 1)
            #expect(try await manager.rules().count == 1)
            #expect(try await manager.places().count == 1)
            #expect(try await manager.setAccuracy(.full, of: "a").limits.map(\.reason) == [.unknown(Self.unknown)])
            let prompts = try await manager.prompts()
            #expect(prompts.map(\.kind) == [.unknown(Self.unknown)] && prompts.map(\.choices) == [[]])
            let event = try await element(of: manager.agentEvents()) { $0.prompt != nil }
            #expect(event.prompt?.choices == [])
        }
    }

    @Test("for an unknown kind of prompt an agent offers only the answers that grant nothing")
    func answerable() {
        func choices(_ kind: AgentInterface.Kind) -> [PromptChoice] {
            AgentInterface.Prompt(
                id: 1, kind: kind, client: "a", displayName: "A", processID: 1, userID: 1, usageDescription: "b",
                choices: PromptChoice.allCases + [.unknown("forAnHour")]
            ).answerable.choices
        }
        #expect(choices(.whenInUse) == PromptChoice.allCases)
        #expect(choices(.unknown("share")) == [.dontAllow, .keepWhileUsing])
    }

    @Test(
        "a command shows the values that it knows, and succeeds",
        arguments: [
            ["get"], ["status"], ["clients"], ["history"], ["explain", "a"], ["rules"], ["places"], ["sources"],
            ["agent", "prompts"], ["allow", "a"], ["monitor", "list"],
        ])
    func commands(command: [String]) async throws {
        try await NextVersion.run { socket in
            for format in [[], ["--format", "json"]] {
                let result = try await ChildProcess.run(
                    [Products.locationctl] + command + format, environment: ["LOCATIOND_SOCKET": socket])
                #expect(result.code == 0, "\(result.errors)")
                #expect(!result.output.isEmpty && !result.output.contains("unknown("), "\(result.output)")
            }
        }
    }

    /// Runs a program that streams beside a service of the next version until it has printed a line with all of `texts`.
    private func expectLine(
        with texts: [String], from command: [String], environment: [String: String] = [:]
    ) async throws {
        try await NextVersion.run { socket in
            let process = try await ChildProcess(
                command, environment: environment.merging(["LOCATIOND_SOCKET": socket]) { $1 })
            var (isFound, passed): (Bool, [String]) = (false, [])
            while !isFound, let line = try await process.output.receive() {
                isFound = texts.allSatisfy { line.contains($0) }
                passed.append(line)
            }
            #expect(isFound, "\(passed)")
            process.signal(SIGTERM)
            _ = try await process.exitCode()
        }
    }

    @Test("a streaming command continues", arguments: ["watch", "follow"])
    func streamingCommands(command: String) async throws {
        // The one with all members, after one for each.
        try await expectLine(
            with: [#""latitude""#, Self.unknown], from: [Products.locationctl, command, "--format", "json"])
    }

    @Test(
        "a program outside the package continues",
        arguments: [
            ("live", "latitude 60.0"), ("headings", "heading 60.0"), ("authorization", "authorizedAlways full"),
            ("session", "authorizedAlways: "), ("session-always", "authorizedAlways: "), ("accuracies", "3000.0: 60.0"),
            ("enabled", "enabled: true"),
        ])
    func outsider(command: String, line: String) async throws {
        try await expectLine(with: [line], from: [Products.outsider, command])
    }

    @Test("an unknown error is reported with its sentence")
    func errors() async throws {
        try await NextVersion.runFailing { socket in
            await #expect(throws: LocationError.unexpected(NextVersion.sentence)) {
                try await LocationManager(socketPath: socket).requestLocation()
            }
            await #expect(throws: LocationError.unexpected(NextVersion.sentence)) {
                for try await _ in LocationManager(socketPath: socket).liveUpdates() {}
            }
            let result = try await ChildProcess.run(
                [Products.locationctl, "get"], environment: ["LOCATIOND_SOCKET": socket])
            #expect(result.code != 0 && result.errors.contains(NextVersion.sentence), "\(result.errors)")
        }
    }

    @Test("a method that an older service lacks is an error that names both releases and the remedy")
    func olderService() async throws {
        try await ScriptedService.run {
            $0.fail(.methodNotFound($0.method))
        } test: { socket, _ in
            func expectBoth(_ error: LocationError?) {
                let sentence = "\(error.map { "\($0)" } ?? "")"
                #expect(sentence.contains("release 1 ") && sentence.contains(serviceVersion), "\(sentence)")
                #expect(sentence.hasSuffix("sudo systemctl restart locationd.service"))
            }
            let manager = LocationManager(socketPath: socket)
            expectBoth(await #expect(throws: LocationError.self) { try await manager.requestLocation() })
            expectBoth(await #expect(throws: LocationError.self) { for try await _ in manager.liveUpdates() {} })
            expectBoth(
                await #expect(throws: LocationError.self) {
                    try await LocationServiceManager(socketPath: socket).places()
                })
        }
    }

    private static let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "..")

    /// Compiles a sample in C into `directory`. Returns the program.
    private func compile(_ sample: String, in directory: TemporaryDirectory, _ options: String...) async throws
        -> String
    {
        let program = "\(directory.path)/\(sample)"
        let source = Self.sources.appending(path: "OtherLanguages/\(sample).c").path
        let result = try await ChildProcess.run(["/usr/bin/env", "cc", "-o", program, source] + options)
        try #require(result.code == 0, "\(result.errors)")
        return program
    }

    @Test("the sample in C without a library continues")
    func programInC() async throws {
        let directory = try TemporaryDirectory()
        let program = try await compile("where-sockets", in: directory)
        try await expectLine(with: [#""latitude":60"#, #""diagnostic":"\#(Self.unknown)""#], from: [program])
    }

    @Test(
        "the sample in C with sd-varlink prints the location",
        .enabled(
            if: FileManager.default.fileExists(atPath: "/usr/include/systemd/sd-varlink.h"),
            "sd-varlink comes with systemd 257, as in Debian 13"))
    func programWithSDVarlink() async throws {
        let directory = try TemporaryDirectory()
        let program = try await compile("where-sd-varlink", in: directory, "-lsystemd")
        try await expectLine(with: ["60.00000 60.00000"], from: [program])
    }

    @Test(
        "a seed shows its content on its page, and the user's location if it shows that",
        arguments: [
            ("tracking", [#""position":[60,60]"#]), ("clustering", [#""position":[60,60]"#, #""glyph":"U""#]),
            ("annotations", [#""title":"Reclining Woman""#]), ("overlays", [#""kind":"shape""#]),
            ("search", [#""center":[9.5215,47.141"#]),
        ])
    func seed(name: String, texts: [String]) async throws {
        try await NextVersion.run { socket in
            let process = try await ChildProcess(
                [Products.directory + "/Seeds", name], environment: ["LOCATIOND_SOCKET": socket])
            let address = try #require(try await process.output.receive())
            let page = try await ChildProcess(["/usr/bin/env", "python3", "-B", "-c", Self.page, address])
            var missing = texts
            while !missing.isEmpty, let line = try await page.output.receive() {
                missing.removeAll { line.contains($0) }
            }
            #expect(missing.isEmpty)
            for program in [page, process] {
                program.signal(SIGTERM)
                _ = try await program.exitCode()
            }
        }
    }

    /// Opens the address of a map and prints what its page is sent.
    private static let page = """
        import http.cookiejar, sys, urllib.request
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        browser = urllib.request.build_opener(urllib.request.ProxyHandler({}), cookies)
        with browser.open(sys.argv[1]) as index:
            root = index.url
        with browser.open(root + "events") as events:
            for line in events:
                print(line.decode().rstrip(), flush=True)
        """

    @Test("a program in Python continues", .enabled(if: ForeignClientTests.python != nil))
    func python() async throws {
        let script = """
            import asyncio, locationd
            async def main():
                async for update in locationd.updates():
                    if update.location and update.diagnostic:
                        print(update.diagnostic, update.location.kind, update.cause.reason)
                        break
            asyncio.run(main())
            """
        try await NextVersion.run { socket in
            let package = Self.sources.appending(path: "../Config/packaging/python")
            let result = try await ChildProcess.run(
                [try #require(ForeignClientTests.python), "-B", "-c", script],
                environment: ["LOCATIOND_SOCKET": socket, "PYTHONPATH": package.path])
            let names = Array(repeating: Self.unknown, count: 3).joined(separator: " ")
            #expect(result.output == names + "\n", "\(result.errors)")
        }
    }
}
